package io.woodbird.cli.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Units;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class NumbersTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "10M 10000000",
        "2e9 2000000000",
        "2B 2000000000",
        "1_000 1000",
        "1,000,000 1000000",
        "2.5k 2500",
        "1e18 1000000000000000000",
        "9223372036854775807 9223372036854775807",
        "0 0",
        "1.5E3 1500"
      })
  void counts(String text, long value) {
    assertThat(Numbers.count("keys", text)).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "500MB 500000000",
        "500MiB 524288000",
        "1.5GB 1500000000",
        "64KiB 65536",
        "64kB 64000",
        "1000 1000",
        "7B 7",
        "2TiB 2199023255552"
      })
  void sizes(String text, long value) {
    assertThat(Numbers.size("budget", text)).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "0.1% 0.001",
        "1e-3 0.001",
        "1/1000 0.001",
        "25% 0.25",
        ".5 0.5",
        "2/3e3 6.666666666666666e-4"
      })
  void probabilities(String text, double value) {
    assertThat(Numbers.chance("fpp", text)).isEqualTo(value);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "M",
        "-1",
        "1.5",
        "1e",
        "1e99",
        "1e999999999",
        "1e-999999999",
        "ten",
        "0x10",
        "_1",
        "1 000",
        "\u0661",
        "9223372036854775808",
        "1MM",
        "--",
        "e5",
        ".",
        "1.2.3",
        "99999999999999999999999999999999999999999999"
      })
  void whatIsNoCount_isRefused(String text) {
    assertThatExceptionOfType(Failure.class).isThrownBy(() -> Numbers.count("keys", text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "500M", "5G", "1.5B", "5mb", "5Mib", "MB", "-5MB", "1e30TB", "5 MB"})
  void whatIsNoSize_isRefused(String text) {
    assertThatExceptionOfType(Failure.class).isThrownBy(() -> Numbers.size("budget", text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "0", "1", "100%", "0%", "1/0", "1/1", "/5", "5/", "-1%", "NaN", "1e-999", "%"})
  void whatIsNoProbability_isRefused(String text) {
    assertThatExceptionOfType(Failure.class).isThrownBy(() -> Numbers.chance("fpp", text));
  }

  @Test
  void numbers_areShownAsPeopleReadThem() {
    assertThat(Units.count(-1234567)).isEqualTo("-1,234,567");
    assertThat(Units.count(1, "line")).isEqualTo("1 line");
    assertThat(Units.bytes(999)).isEqualTo("999 bytes");
    assertThat(Units.bytes(1_660_964_047)).isEqualTo("1.66 GB");
    assertThat(Units.bytes(999_999_999)).isEqualTo("1 GB");
    assertThat(Units.sizeOption(2_501_000_000L)).isEqualTo("2.51GB");
    assertThat(Numbers.size("budget", Units.sizeOption(2_501_000_000L)))
        .isGreaterThan(2_501_000_000L);
    assertThat(Units.chance(0.001)).isEqualTo("0.1 %");
    assertThat(Units.chance(0.25)).isEqualTo("25 %");
    assertThat(Units.chance(1.2e-6)).isEqualTo("1.2e-06");
    assertThat(Units.seconds(125)).isEqualTo("2 min 5 s");
  }
}
