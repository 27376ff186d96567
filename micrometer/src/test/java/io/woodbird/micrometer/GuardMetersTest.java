package io.woodbird.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.guard.Follower;
import io.woodbird.guard.FollowingFilter;
import io.woodbird.guard.Guard;
import io.woodbird.guard.RebuildingFilter;
import io.woodbird.key.Keys;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The meters of a guard in a program without Spring. */
final class GuardMetersTest {
  private final MeterRegistry registry = new SimpleMeterRegistry();

  private double count(String meter, String... tags) {
    return registry.get(meter).tags(tags).functionCounter().count();
  }

  private double gauge(String meter) {
    return registry.get(meter).tag("guard", "products").gauge().value();
  }

  private static Optional<String> row(long id) {
    return id == 1 ? Optional.of("a product") : Optional.empty();
  }

  @Test
  void aGuardThatIsRebuilt_hasItsCountsAndItsGeneration() throws Exception {
    RebuildCounts builds = new RebuildCounts();
    try (RebuildingFilter<Long> ids =
        RebuildingFilter.of(Keys.longs(), () -> Stream.of(1L, 2L))
            .seed(1)
            .onEvent(builds)
            .build()) {
      Guard<Long, String> products = Guard.of(ids, GuardMetersTest::row);
      new GuardMeters("products", products).rebuilt(ids::generation, builds).bindTo(registry);
      assertThat(gauge("woodbird.filter.keys")).isNaN();
      products.get(1L); // The filter can't tell yet.
      ids.rebuildNow().get(5, TimeUnit.MINUTES);
      products.get(1L);
      products.get(2L); // Looked up, and not there.
      products.get(3L); // Stopped: with this seed it is no false positive.
      assertThat(gauge("woodbird.filter.keys")).isEqualTo(2);
      assertThat(gauge("woodbird.filter.generation")).isEqualTo(1);
      assertThat(gauge("woodbird.filter.capacity")).isGreaterThan(2);
      double age = registry.get("woodbird.filter.age").timeGauge().value(TimeUnit.DAYS);
      assertThat(age).isBetween(0.0, 1.0);
    }
    assertThat(count("woodbird.guard.requests", "verdict", "unknown")).isEqualTo(1);
    assertThat(count("woodbird.guard.requests", "verdict", "maybe")).isEqualTo(2);
    assertThat(count("woodbird.guard.requests", "verdict", "not_here")).isEqualTo(1);
    assertThat(count("woodbird.guard.loader", "result", "found")).isEqualTo(2);
    assertThat(count("woodbird.guard.loader", "result", "false_positive")).isEqualTo(1);
    assertThat(count("woodbird.rebuild.events", "event", "built")).isEqualTo(1);
    assertThat(count("woodbird.rebuild.events", "event", "failed")).isZero();
  }

  @Test
  void aGuardThatFollowsItsSource_hasItsProofs() throws Exception {
    MutableFilter<Long> filter = Woodbird.bloom(Keys.longs(), 100).seed(1).build();
    Follower<Long> follower = asked -> Follower.Proof.complete();
    try (FollowingFilter<Long> following = FollowingFilter.over(filter, follower).start()) {
      Guard<Long, String> products = Guard.of(following, GuardMetersTest::row);
      new GuardMeters("products", products).bindTo(registry);
      while (count("woodbird.guard.requests", "verdict", "not_here") == 0) {
        products.get(3L);
        Thread.sleep(10);
      }
      assertThat(count("woodbird.follower.waits", "guard", "products")).isPositive();
      assertThat(count("woodbird.follower.proofs", "result", "given")).isPositive();
      assertThat(gauge("woodbird.follower.waiting")).isZero();
      assertThat(gauge("woodbird.follower.misses")).isZero();
    }
  }

  @Test
  void aGuardOfAPlainFilter_hasOnlyItsOwnMeters() {
    Guard<Long, String> products =
        Guard.of(Woodbird.bloom(Keys.longs(), 100).build(), GuardMetersTest::row);
    new GuardMeters("products", products).bindTo(registry);
    assertThat(registry.getMeters())
        .extracting(Meter::getId)
        .allSatisfy(
            id -> {
              assertThat(id.getName()).startsWith("woodbird.guard.");
              assertThat(id.getTag("guard")).isEqualTo("products");
            })
        .hasSize(10);
  }
}
