package io.woodbird.spring;

import io.woodbird.guard.Generation;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Whether the guards guard. UP if all filters are built and nothing is wrong with them, otherwise
 * UNKNOWN: a guard that can't tell lets requests through, so the application is not down.
 */
final class GuardHealthIndicator extends AbstractHealthIndicator {
  private final Guards guards;

  GuardHealthIndicator(Guards guards) {
    this.guards = guards;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    boolean well = true;
    for (NamedGuard guard : guards.all()) {
      Map<String, Object> details = new LinkedHashMap<>();
      Generation generation = guard.generation().orElse(null);
      String failure = guard.lastFailure();
      String state = generation == null ? "not built" : "built";
      details.put("state", guard.isDisabled() ? "disabled" : state);
      if (generation != null) {
        details.put("generation", generation.number());
        details.put("keys", generation.keys());
        details.put("builtAt", generation.builtAt().toString());
      }
      details.put("follows", guard.following() != null);
      if (failure != null) {
        details.put("problem", failure);
      }
      well &= guard.isDisabled() || (generation != null && failure == null);
      builder.withDetail(guard.name(), details);
    }
    if (well) {
      builder.up();
    } else {
      builder.unknown();
    }
  }
}
