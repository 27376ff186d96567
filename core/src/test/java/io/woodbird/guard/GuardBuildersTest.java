package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the builders of this package take, and what they refuse. */
final class GuardBuildersTest {
  private final RebuildingFilterBuilder<Long> rebuilding =
      RebuildingFilter.of(Keys.longs(), () -> Stream.of(1L));

  @Test
  void aSettingOutOfRange_isRefused_andTheMessageHasIt() {
    for (double value : new double[] {-1, 0, 1, Double.NaN}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> rebuilding.fpp(value))
          .withMessage("fpp must be above 0 and below 1: " + value);
    }
    for (double value : new double[] {0.99, 1000.1, Double.NaN}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> rebuilding.headroom(value))
          .withMessage("headroom must be from 1 to 1000: " + value);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rebuilding.expectedKeys(0))
        .withMessage("expectedKeys must be positive: 0");
    for (Supplier<?> refused :
        List.<Supplier<?>>of(
            () -> rebuilding.every(Duration.ZERO),
            () -> rebuilding.retryAfter(Duration.ZERO),
            () -> rebuilding.patience(Duration.ZERO),
            () -> rebuilding.settle(Duration.ofNanos(-1)))) {
      assertThatIllegalArgumentException().isThrownBy(refused::get);
    }
    try (RebuildingFilter<Long> filter = rebuilding.build()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> filter.rebuildNow(-1))
          .withMessage("atLeastKeys must not be negative: -1");
    }
  }

  @Test
  void theEndsOfEachRange_areTaken_andEachSettingGoesOnWithTheBuilder() {
    assertThat(
            Stream.of(
                rebuilding.name("ids"),
                rebuilding.fpp(0.999),
                rebuilding.headroom(1),
                rebuilding.headroom(1000),
                rebuilding.expectedKeys(1),
                rebuilding.floor(0),
                rebuilding.allowEmpty(),
                rebuilding.every(Duration.ofNanos(1)),
                rebuilding.every(() -> Duration.ZERO),
                rebuilding.retryAfter(Duration.ofNanos(1)),
                rebuilding.patience(Duration.ofNanos(1)),
                rebuilding.settle(Duration.ZERO),
                rebuilding.seed(3),
                rebuilding.forgetPrevious(),
                rebuilding.store(new FakeShared(1)),
                rebuilding.store(GenerationStore.memory()),
                rebuilding.onEvent(event -> {}),
                rebuilding.recentPuts(1024),
                rebuilding.scheduler(new ManualScheduler())))
        .allMatch(same -> same == rebuilding);
    try (RebuildingFilter<Long> filter = rebuilding.build()) {
      assertThat(filter.name()).isEqualTo("ids");
      assertThat(filter.stats().promisedFpp()).isEqualTo(0.999);
      assertThat(filter.hashOfLong(5)).isEqualTo(Keys.longs().hashLong(5, 3));
    }
  }

  @Test
  void aFollowingFilter_takesWhatItsMethodsSay() {
    FollowingFilterBuilder<Long> following =
        FollowingFilter.over(
            Woodbird.bloom(Keys.longs(), 10).build(), asked -> Follower.Proof.complete());
    assertThat(
            Stream.of(
                following.freshness(Duration.ofMillis(34)),
                following.freshness(Duration.ZERO),
                following.patience(Duration.ofNanos(1)),
                following.mostWaiting(1),
                following.lookUpMisses(asked -> key -> true),
                following.clock(java.time.InstantSource.system()),
                following.thread(FollowThread.system("x")),
                following.name("x"),
                following.onDoubt(doubt -> {})))
        .allMatch(same -> same == following);
    assertThatNullPointerException().isThrownBy(() -> following.name(null));
    assertThatNullPointerException().isThrownBy(() -> following.onDoubt(null));
  }

  @Test
  void aGuard_takesAShareFromNoneToAll() {
    GuardBuilder<Long> guard = Guard.over(Woodbird.bloom(Keys.longs(), 10).build());
    assertThat(
            Stream.of(guard.bulkhead(1), guard.audit(0), guard.audit(1), guard.onWrong(key -> {})))
        .allMatch(same -> same == guard);
    assertThat(guard.admission().filter().mightContain(1L)).isFalse();
  }
}
