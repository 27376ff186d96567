package io.woodbird.spring;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.woodbird.redis.RedisEvent;
import java.util.Locale;

/** What went wrong in Redis, and what is well again, as counters. */
final class RedisMeters implements MeterBinder {
  private final RedisGuardStore store;

  RedisMeters(RedisGuardStore store) {
    this.store = store;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    store
        .events()
        .forEach(
            (guard, counts) -> {
              for (RedisEvent.Cause cause : RedisEvent.Cause.values()) {
                FunctionCounter.builder(
                        "woodbird.redis.events",
                        counts,
                        all -> all.containsKey(cause) ? all.get(cause).sum() : 0)
                    .description("What happened to the filter in Redis")
                    .tags("guard", guard, "cause", cause.name().toLowerCase(Locale.ROOT))
                    .register(registry);
              }
            });
  }
}
