package io.woodbird.spring;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.woodbird.guard.FollowingFilter;
import io.woodbird.guard.Generation;
import io.woodbird.guard.GuardStats;
import io.woodbird.guard.RebuildEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * The numbers of all guards as meters. Counters, not ratios: the measured fpp is {@code
 * rate(woodbird.guard.loader{result=false_positive}) / (the same + rate(woodbird.guard.requests
 * {verdict=not_here}))} over any time you choose.
 */
final class GuardMeters implements MeterBinder {
  private final Guards guards;

  GuardMeters(Guards guards) {
    this.guards = guards;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    guards.all().forEach(guard -> bind(guard, registry));
  }

  private static void bind(NamedGuard guard, MeterRegistry registry) {
    String requests = "woodbird.guard.requests";
    counter(guard, registry, requests, "verdict", "not_here", GuardStats::stopped);
    counter(guard, registry, requests, "verdict", "maybe", GuardStats::maybe);
    counter(guard, registry, requests, "verdict", "unknown", GuardStats::unknown);
    counter(guard, registry, requests, "verdict", "audited", GuardStats::audited);
    String loader = "woodbird.guard.loader";
    counter(guard, registry, loader, "result", "found", GuardStats::found);
    counter(guard, registry, loader, "result", "false_positive", GuardStats::falsePositives);
    counter(guard, registry, loader, "result", "other_miss", s -> s.missed() - s.falsePositives());
    counter(guard, registry, loader, "result", "failed", GuardStats::failed);
    counter(guard, registry, loader, "result", "rejected", GuardStats::rejected);
    FunctionCounter.builder("woodbird.guard.wrong", guard, g -> g.stats().wrong())
        .description("Real keys that the filter denied, found by the audit")
        .tag("guard", guard.name())
        .register(registry);
    for (RebuildEvent.Kind kind : RebuildEvent.Kind.values()) {
      FunctionCounter.builder("woodbird.rebuild.events", guard, g -> g.count(kind).sum())
          .description("What happened to the filter")
          .tags("guard", guard.name(), "event", kind.name().toLowerCase(Locale.ROOT))
          .register(registry);
    }
    FollowingFilter<Object> following = guard.following();
    if (following != null) {
      follower(guard.name(), following, registry);
    }
    gauge(guard, registry, "woodbird.filter.keys", Generation::keys);
    gauge(guard, registry, "woodbird.filter.capacity", Generation::capacity);
    gauge(guard, registry, "woodbird.filter.generation", Generation::number);
    TimeGauge.builder("woodbird.filter.age", guard, TimeUnit.SECONDS, GuardMeters::age)
        .description("Time since the filter was built")
        .tag("guard", guard.name())
        .register(registry);
  }

  private static void follower(
      String guard, FollowingFilter<Object> following, MeterRegistry registry) {
    Map<String, ToDoubleFunction<FollowingFilter<Object>>> counts =
        Map.of("given", FollowingFilter::confirmations, "failed", FollowingFilter::failures);
    counts.forEach(
        (result, count) ->
            FunctionCounter.builder("woodbird.follower.proofs", following, count)
                .description("Requests to the source for a proof that keys are absent")
                .tags("guard", guard, "result", result)
                .register(registry));
    FunctionCounter.builder("woodbird.follower.waits", following, FollowingFilter::waits)
        .description("Keys that waited for a proof")
        .tag("guard", guard)
        .register(registry);
    Tags tags = Tags.of("guard", guard);
    registry.gauge("woodbird.follower.waiting", tags, following, FollowingFilter::waiting);
    registry.gauge("woodbird.follower.misses", tags, following, FollowingFilter::misses);
  }

  private static double age(NamedGuard guard) {
    return guard
        .generation()
        .map(built -> (double) Duration.between(built.builtAt(), Instant.now()).toSeconds())
        .orElse(Double.NaN);
  }

  private static void counter(
      NamedGuard guard,
      MeterRegistry registry,
      String name,
      String tag,
      String value,
      ToDoubleFunction<GuardStats> count) {
    FunctionCounter.builder(name, guard, g -> count.applyAsDouble(g.stats()))
        .tags("guard", guard.name(), tag, value)
        .register(registry);
  }

  private static void gauge(
      NamedGuard guard, MeterRegistry registry, String name, ToDoubleFunction<Generation> value) {
    registry.gauge(
        name,
        Tags.of("guard", guard.name()),
        guard,
        g -> g.generation().map(value::applyAsDouble).orElse(Double.NaN));
  }
}
