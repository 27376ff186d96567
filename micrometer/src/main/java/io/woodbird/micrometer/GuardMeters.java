package io.woodbird.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.woodbird.guard.Admission;
import io.woodbird.guard.FollowingFilter;
import io.woodbird.guard.Generation;
import io.woodbird.guard.Guard;
import io.woodbird.guard.GuardStats;
import io.woodbird.guard.RebuildEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a guard as meters, with the name of the guard as tag. They are counters and not
 * ratios, so that you choose the time over which to measure: the fpp is {@code
 * rate(woodbird.guard.loader{result=false_positive}) / (the same +
 * rate(woodbird.guard.requests{verdict=not_here}))}.
 *
 * <pre>{@code
 * RebuildCounts builds = new RebuildCounts();
 * RebuildingFilter<Long> ids = RebuildingFilter.of(Keys.longs(), source).onEvent(builds).start();
 * Guard<Long, Product> products = Guard.of(ids, loader);
 * new GuardMeters("products", products).rebuilt(ids::generation, builds).bindTo(registry);
 * }</pre>
 *
 * <p>The registry refers to the guard weakly. When the guard was garbage collected, its counters
 * keep their last values.
 */
public final class GuardMeters implements MeterBinder {
  private final String name;
  private final Admission<?> admission;
  private @Nullable Supplier<Optional<Generation>> generation;
  private @Nullable RebuildCounts events;

  /**
   * Measures a guard, and the follower of its filter if it has one.
   *
   * @param name tells it from other guards
   * @param guard the guard
   */
  public GuardMeters(String name, Guard<?, ?> guard) {
    this(name, guard.admission());
  }

  /**
   * Measures an admission, the part of a guard that decides and counts.
   *
   * @param name tells it from other guards
   * @param admission the admission
   */
  public GuardMeters(String name, Admission<?> admission) {
    this.name = Objects.requireNonNull(name, "name");
    this.admission = Objects.requireNonNull(admission, "admission");
  }

  /**
   * Measures also how the guard's filter is rebuilt.
   *
   * @param answering gives the generation that answers
   * @param counts listens to the events of the filter
   * @return this
   */
  public GuardMeters rebuilt(Supplier<Optional<Generation>> answering, RebuildCounts counts) {
    generation = Objects.requireNonNull(answering, "answering");
    events = Objects.requireNonNull(counts, "counts");
    return this;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    String requests = "woodbird.guard.requests";
    counter(registry, requests, "verdict", "not_here", GuardStats::stopped);
    counter(registry, requests, "verdict", "maybe", GuardStats::maybe);
    counter(registry, requests, "verdict", "unknown", GuardStats::unknown);
    counter(registry, requests, "verdict", "audited", GuardStats::audited);
    String loader = "woodbird.guard.loader";
    counter(registry, loader, "result", "found", GuardStats::found);
    counter(registry, loader, "result", "false_positive", GuardStats::falsePositives);
    counter(registry, loader, "result", "other_miss", s -> s.missed() - s.falsePositives());
    counter(registry, loader, "result", "failed", GuardStats::failed);
    counter(registry, loader, "result", "rejected", GuardStats::rejected);
    FunctionCounter.builder("woodbird.guard.wrong", admission, a -> a.counts().wrong())
        .description("Real keys that the filter denied, found by the audit")
        .tag("guard", name)
        .register(registry);
    if (admission.filter() instanceof FollowingFilter<?> following) {
      follower(following, registry);
    }
    if (events != null && generation != null) {
      rebuilds(events, generation, registry);
    }
  }

  private void counter(
      MeterRegistry registry,
      String meter,
      String tag,
      String value,
      ToDoubleFunction<GuardStats> count) {
    FunctionCounter.builder(meter, admission, a -> count.applyAsDouble(a.counts()))
        .tags("guard", name, tag, value)
        .register(registry);
  }

  private void follower(FollowingFilter<?> following, MeterRegistry registry) {
    Map<String, ToDoubleFunction<FollowingFilter<?>>> counts =
        Map.of("given", FollowingFilter::confirmations, "failed", FollowingFilter::failures);
    counts.forEach(
        (result, count) ->
            FunctionCounter.builder("woodbird.follower.proofs", following, count)
                .description("Requests to the source for a proof that keys are absent")
                .tags("guard", name, "result", result)
                .register(registry));
    FunctionCounter.builder("woodbird.follower.waits", following, FollowingFilter::waits)
        .description("Keys that waited for a proof")
        .tag("guard", name)
        .register(registry);
    Tags tags = Tags.of("guard", name);
    registry.gauge("woodbird.follower.waiting", tags, following, FollowingFilter::waiting);
    registry.gauge("woodbird.follower.misses", tags, following, FollowingFilter::misses);
  }

  private void rebuilds(
      RebuildCounts counts, Supplier<Optional<Generation>> answering, MeterRegistry registry) {
    for (RebuildEvent.Kind kind : RebuildEvent.Kind.values()) {
      FunctionCounter.builder("woodbird.rebuild.events", counts, all -> all.count(kind))
          .description("What happened to the filter")
          .tags("guard", name, "event", kind.name().toLowerCase(Locale.ROOT))
          .register(registry);
    }
    gauge(registry, "woodbird.filter.keys", answering, Generation::keys);
    gauge(registry, "woodbird.filter.capacity", answering, Generation::capacity);
    gauge(registry, "woodbird.filter.generation", answering, Generation::number);
    TimeGauge.builder(
            "woodbird.filter.age",
            admission,
            TimeUnit.SECONDS,
            a -> answering.get().map(GuardMeters::age).orElse(Double.NaN))
        .description("Time since the filter was built")
        .tag("guard", name)
        .register(registry);
  }

  private static double age(Generation built) {
    return Duration.between(built.builtAt(), Instant.now()).toSeconds();
  }

  /** The registry holds the admission weakly, so that is what a gauge is of. */
  private void gauge(
      MeterRegistry registry,
      String meter,
      Supplier<Optional<Generation>> answering,
      ToDoubleFunction<Generation> value) {
    registry.gauge(
        meter,
        Tags.of("guard", name),
        admission,
        a -> answering.get().map(value::applyAsDouble).orElse(Double.NaN));
  }
}
