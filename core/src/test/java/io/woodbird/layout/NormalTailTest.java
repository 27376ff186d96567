package io.woodbird.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tail of the normal distribution against its table. */
@Tag("jdk")
final class NormalTailTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0.5",
    "0.5, 0.3085375387",
    "1, 0.1586552539",
    "1.959963985, 0.025",
    "3, 0.0013498980",
    "5, 0.00000028665"
  })
  void above_isNearTheTable(double z, double expected) {
    assertThat(NormalTail.above(z)).isCloseTo(expected, within(8e-8));
    assertThat(NormalTail.above(-z)).isCloseTo(1 - expected, within(8e-8));
  }

  @Test
  void above_falls() {
    for (double z = -7; z < 7; z += 0.01) {
      assertThat(NormalTail.above(z)).isGreaterThanOrEqualTo(NormalTail.above(z + 0.01));
    }
  }
}
