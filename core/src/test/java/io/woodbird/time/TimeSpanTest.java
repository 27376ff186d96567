package io.woodbird.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class TimeSpanTest {
  private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

  @Test
  void aHundredYearsAreTheLongest() {
    for (Duration span : new Duration[] {FOR_EVER, Duration.ofDays(36_501)}) {
      assertThat(TimeSpan.positive("x", span)).isEqualTo(TimeSpan.LONGEST);
      assertThat(TimeSpan.notNegative("x", span)).isEqualTo(TimeSpan.LONGEST);
      assertThat(TimeSpan.atLeastMillis("x", 5, span)).isEqualTo(TimeSpan.LONGEST);
      assertThat(TimeSpan.bounded(span)).isEqualTo(TimeSpan.LONGEST);
    }
    Duration hour = Duration.ofHours(1);
    assertThat(TimeSpan.positive("x", hour)).isEqualTo(hour);
    assertThat(TimeSpan.notNegative("x", Duration.ZERO)).isZero();
    assertThat(TimeSpan.bounded(hour)).isEqualTo(hour);
  }

  @Test
  void momentsAreComparedRightByTheirDifference() {
    long span = TimeSpan.LONGEST.toNanos();
    for (long now : new long[] {0, Long.MAX_VALUE, Long.MIN_VALUE, -1}) {
      assertThat(now + span - now).isPositive();
      assertThat(now - (now - span)).isPositive();
      assertThat(now + span - (now + span + 1)).isNegative();
    }
  }

  @Test
  void whatIsNotAllowedIsRefusedByNameAndValue() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TimeSpan.positive("every", Duration.ZERO))
        .withMessage("every must be positive: PT0S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TimeSpan.positive("every", Duration.ofSeconds(Long.MIN_VALUE)))
        .withMessageStartingWith("every must be positive: PT-");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TimeSpan.notNegative("settle", Duration.ofNanos(-1)))
        .withMessage("settle must not be negative: PT-0.000000001S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TimeSpan.atLeastMillis("lease", 100, Duration.ofNanos(99_999_999)))
        .withMessage("lease must be at least 100 ms: PT0.099999999S");
    assertThatNullPointerException()
        .isThrownBy(() -> TimeSpan.positive("every", null))
        .withMessage("every");
    assertThat(TimeSpan.bounded(Duration.ofSeconds(Long.MIN_VALUE))).isZero();
  }
}
