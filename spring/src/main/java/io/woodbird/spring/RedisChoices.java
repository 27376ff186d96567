package io.woodbird.spring;

import io.woodbird.redis.Durability;
import io.woodbird.redis.RedisStore;
import io.woodbird.spring.WoodbirdProperties.Shared;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a filter in Redis, after they were checked.
 *
 * @param isNear whether there is a copy in this process
 * @param lag how old the copy may be to deny a key; null if it must not deny any
 * @param durability when a put counts as done; null for the filter's own
 */
record RedisChoices(boolean isNear, @Nullable Duration lag, @Nullable Durability durability) {
  /**
   * A key that the copy denies is looked up in the database, so this only decides how often Redis
   * is asked before that. The copy is usually a few milliseconds old.
   */
  private static final Duration LAG_IF_LOOKED_UP = Duration.ofSeconds(1);

  static RedisChoices of(GuardPlan plan, Duration timeout) {
    Shared shared = plan.properties().redis();
    Duration lag = shared.lag();
    if (lag != null && !shared.near()) {
      throw GuardsFactory.wrong(
          plan.guard(),
          "redis.lag is the age of a copy, and there is none.",
          "Set woodbird.guards." + plan.guard() + ".redis.near: true, or remove redis.lag.");
    }
    if (lag != null && (lag.isNegative() || lag.isZero())) {
      throw GuardsFactory.wrong(
          plan.guard(),
          "redis.lag must be positive: " + lag + ".",
          "Remove it, so that Redis is asked before a key is denied.");
    }
    if (lag == null && plan.isLookedUp()) {
      lag = LAG_IF_LOOKED_UP;
    }
    return new RedisChoices(shared.near(), lag, durability(plan.guard(), shared, timeout));
  }

  private static @Nullable Durability durability(String guard, Shared shared, Duration timeout) {
    if (shared.durability() == null) {
      if (shared.replicas() != null || shared.patience() != null) {
        throw GuardsFactory.wrong(
            guard,
            "redis.replicas and redis.patience belong to a durability, and none is chosen.",
            "Set woodbird.guards." + guard + ".redis.durability to replicas or disk.");
      }
      return null;
    }
    Duration patience = shared.patience() == null ? timeout.dividedBy(2) : shared.patience();
    if (patience.compareTo(timeout) >= 0) {
      throw GuardsFactory.wrong(
          guard,
          "redis.patience, " + patience + ", is not below woodbird.redis.timeout, " + timeout + ".",
          "Make the time-out longer, or the patience shorter.");
    }
    int usual = shared.durability() == Shared.Level.REPLICAS ? 1 : 0;
    int replicas = shared.replicas() == null ? usual : shared.replicas();
    return new Durability(Durability.Level.valueOf(shared.durability().name()), replicas, patience);
  }

  <K> RedisStore<K> applied(RedisStore<K> store) {
    RedisStore<K> chosen = store;
    if (isNear) {
      chosen = lag == null ? chosen.near() : chosen.near(lag);
    }
    return durability == null ? chosen : chosen.durability(durability);
  }
}
