package io.woodbird.cli.say;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.console.shared.Amounts;
import org.junit.jupiter.api.Test;

final class UnitsTest {
  @Test
  void numbers_areShownAsPeopleReadThem() {
    assertThat(Units.count(-1234567)).isEqualTo("-1,234,567");
    assertThat(Units.count(1, "line")).isEqualTo("1 line");
    assertThat(Units.bytes(999)).isEqualTo("999 bytes");
    assertThat(Units.bytes(1_660_964_047)).isEqualTo("1.66 GB");
    assertThat(Units.bytes(999_999_999)).isEqualTo("1 GB");
    assertThat(Units.chance(0.001)).isEqualTo("0.1 %");
    assertThat(Units.chance(0.25)).isEqualTo("25 %");
    assertThat(Units.chance(1.2e-6)).isEqualTo("1.2e-06");
    assertThat(Units.seconds(125)).isEqualTo("2 min 5 s");
  }

  @Test
  void aSizeForAnOption_isRoundedUpAndCanBeReadAgain() {
    assertThat(Units.sizeOption(2_501_000_000L)).isEqualTo("2.51GB");
    for (long bytes : new long[] {7, 999, 1001, 99_950, 999_499, 999_999, 2_501_000_000L}) {
      assertThat(Amounts.bytes(Units.sizeOption(bytes)).orElseThrow())
          .as("%d bytes", bytes)
          .isBetween(bytes, bytes + bytes / 50);
    }
  }
}
