package io.woodbird.console.shared;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AmountsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "10M | 10000000",
        "2e9 | 2000000000",
        "2B | 2000000000",
        "3T | 3000000000000",
        "1_000 | 1000",
        "1,000,000 | 1000000",
        "12,345.5k | 12345500",
        "2.5k | 2500",
        "0.5M | 500000",
        "7 | 7",
        "1e18 | 1000000000000000000",
        "9223372036854775807 | 9223372036854775807",
        "0 | 0",
        "1.5E3 | 1500"
      })
  void counts_areReadAsPeopleWriteThem(String text, long value) {
    assertThat(Amounts.count(text)).hasValue(value);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "500MB | 500000000",
        "500MiB | 524288000",
        "1.5GB | 1500000000",
        "1.5 gb | 1500000000",
        "2 GiB | 2147483648",
        "64KiB | 65536",
        "64kB | 64000",
        "1000 | 1000",
        "7B | 7",
        "3b | 3",
        "2TiB | 2199023255552"
      })
  void sizes_tellThousandsFromPowersOfTwo(String text, long value) {
    assertThat(Amounts.bytes(text)).hasValue(value);
    assertThat(Amounts.halfUnit(text)).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0.1% | 0.001",
        "0.1 % | 0.001",
        "1e-3 | 0.001",
        "1/1000 | 0.001",
        "1 / 1k | 0.001",
        "25% | 0.25",
        ".5 | 0.5",
        "2/3e3 | 6.666666666666666e-4"
      })
  void probabilities_areReadAsPeopleWriteThem(String text, double value) {
    assertThat(Amounts.probability(text)).hasValue(value);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "M",
        "x",
        "-1",
        "--1",
        "1.5",
        "1e",
        "1/",
        "1%",
        "1e99",
        "1e999",
        "1e999999999",
        "1e-999999999",
        "ten",
        "10x",
        "10MB",
        "0x10",
        "_1",
        "1 000",
        "2,5M",
        "1,00",
        "1,0000",
        "1000,000",
        "0,001",
        "\u0661",
        "9223372036854775808",
        "1MM",
        "--",
        "e5",
        ".",
        "1.2.3",
        "NaN",
        "Infinity",
        "99999999999999999999999999999999999999999999"
      })
  void whatIsNoCount_isRefused(String text) {
    assertThat(Amounts.count(text)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "500M", "5G", "1k", "1.5B", "5mbb", "MB", "-5MB", "1e30TB", "5 M B", "1,5GB", "1,50MB"
      })
  void whatIsNoSize_isRefused(String text) {
    assertThat(Amounts.bytes(text)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "0", "1", "100%", "0%", "1/0", "0/0", "1/1", "/5", "5/", "-1%", "NaN", "1e-999", "%",
        "5%%", "1/2/3", "1k", "0,1%", "0,001%", "1,5%"
      })
  void whatIsNoProbability_isRefused(String text) {
    assertThat(Amounts.probability(text)).isEmpty();
  }

  @Test
  void halfAUnit_isNamed() {
    assertThat(Amounts.halfUnit("500M")).isEqualTo("M");
    assertThat(Amounts.halfUnit("5 g")).isEqualTo("G");
    assertThat(Amounts.halfUnit("5x")).isNull();
    assertThat(Amounts.halfUnit("M")).isNull();
  }
}
