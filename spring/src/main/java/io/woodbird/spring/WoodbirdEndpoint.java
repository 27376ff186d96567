package io.woodbird.spring;

import io.woodbird.FilterStats;
import io.woodbird.guard.Generation;
import io.woodbird.guard.GuardStats;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Guards for operators: {@code GET /actuator/woodbird}, {@code GET /actuator/woodbird/products},
 * {@code GET /actuator/woodbird/products/42} to ask about a key, {@code POST
 * /actuator/woodbird/products} with {@code {"action": "rebuild"}} or {@code "rollback"}.
 */
@Endpoint(id = "woodbird")
public final class WoodbirdEndpoint {
  private final Guards guards;

  WoodbirdEndpoint(Guards guards) {
    this.guards = guards;
  }

  /**
   * A guard as it is.
   *
   * @param generation the generation that answers
   * @param counts what the guard has seen
   * @param problem what is wrong, if something is
   */
  public record Summary(
      @Nullable Generation generation, GuardStats counts, @Nullable String problem) {}

  /**
   * A guard with a look at the bits of its filter.
   *
   * @param summary the guard
   * @param filter its filter
   */
  public record Details(Summary summary, FilterStats filter) {}

  /**
   * All guards.
   *
   * @return by name
   */
  @ReadOperation
  public Map<String, Summary> guards() {
    Map<String, Summary> all = new LinkedHashMap<>();
    guards.all().forEach(guard -> all.put(guard.name(), summary(guard)));
    return all;
  }

  private static Summary summary(NamedGuard guard) {
    return new Summary(guard.generation().orElse(null), guard.stats(), guard.lastFailure());
  }

  /**
   * One guard.
   *
   * @param name its name
   * @return the guard, or null if there is none
   */
  @ReadOperation
  public @Nullable Details guard(@Selector String name) {
    NamedGuard guard = guards.find(name);
    return guard == null ? null : new Details(summary(guard), guard.filter().stats());
  }

  /**
   * Asks about a key. Counts as no request.
   *
   * @param name the guard
   * @param key the key
   * @return the answer, or null if there is no such guard
   */
  @ReadOperation
  public @Nullable Map<String, String> check(@Selector String name, @Selector String key) {
    NamedGuard guard = guards.find(name);
    if (guard == null) {
      return null;
    }
    try {
      return Map.of("answer", guard.check(key));
    } catch (IllegalArgumentException e) {
      throw new InvalidEndpointRequestException(
          "no key of guard '" + name + "': " + key, "the key can't be read");
    }
  }

  /**
   * Rebuilds, or goes back to the generation before.
   *
   * @param name the guard
   * @param action rebuild or rollback
   * @param atLeastKeys for a rebuild whose source has really shrunk: how many keys are enough
   * @return what was done; status 404 if there is no such guard
   */
  @WriteOperation
  public WebEndpointResponse<Map<String, String>> act(
      @Selector String name, String action, @Nullable Long atLeastKeys) {
    NamedGuard guard = guards.find(name);
    if (guard == null) {
      return new WebEndpointResponse<>(
          Map.of("error", "there is no guard '" + name + "'"),
          WebEndpointResponse.STATUS_NOT_FOUND);
    }
    return new WebEndpointResponse<>(act(guard, action, atLeastKeys));
  }

  private static Map<String, String> act(
      NamedGuard guard, String action, @Nullable Long atLeastKeys) {
    return switch (action) {
      case "rebuild" -> {
        if (atLeastKeys != null && atLeastKeys < 0) {
          throw new InvalidEndpointRequestException(
              "atLeastKeys must not be negative: " + atLeastKeys, "atLeastKeys is negative");
        }
        var unused = atLeastKeys == null ? guard.rebuild() : guard.rebuild(atLeastKeys);
        yield Map.of("done", "a build was asked for");
      }
      case "rollback" -> rollBack(guard);
      default ->
          throw new InvalidEndpointRequestException(
              "action is rebuild or rollback, not " + action, "the action is not known");
    };
  }

  private static Map<String, String> rollBack(NamedGuard guard) {
    try {
      return Map.of(
          "done",
          guard.rollBack().map(Generation::toString).orElse("there is no generation before"));
    } catch (IllegalStateException e) {
      throw new InvalidEndpointRequestException(
          String.valueOf(e.getMessage()), "the guard can't roll back");
    }
  }
}
