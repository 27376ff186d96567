package io.woodbird.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a server that sends nothing is given up. */
final class SilenceTest {
  private static final long BEGIN = Long.MAX_VALUE - 10; // Clocks may pass the largest number.
  private final Silence silence = new Silence(BEGIN);

  @Test
  void messagesEndTheSilence_alsoWhileThePositionStandsStill() {
    for (int i = 1; i <= 5; i++) {
      long now = BEGIN + i * Silence.MOST_NANOS;
      assertThat(silence.isTooLong(7, now)).as("round %d", i).isFalse();
      silence.end(now); // One more row of a large transaction.
    }
    assertThat(silence.isTooLong(7, BEGIN + 6 * Silence.MOST_NANOS + 1)).isTrue();
  }

  @Test
  void anotherPositionEndsTheSilence() {
    assertThat(silence.isTooLong(7, BEGIN + Silence.MOST_NANOS + 1)).isFalse();
    assertThat(silence.isTooLong(8, BEGIN + 2 * Silence.MOST_NANOS + 2)).isFalse();
    assertThat(silence.isTooLong(8, BEGIN + 3 * Silence.MOST_NANOS + 2)).isFalse();
    assertThat(silence.isTooLong(8, BEGIN + 3 * Silence.MOST_NANOS + 3)).isTrue();
  }
}
