package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class QuantityTest {
  @ParameterizedTest
  @CsvSource({
    "10M, 10000000",
    "2e9, 2000000000",
    "2B, 2000000000",
    "1_000, 1000",
    "1.5k, 1500",
    "7, 7",
    "0.5M, 500000"
  })
  void count_readsWhatPeopleWrite(String text, long value) throws BadRequestException {
    assertThat(Quantity.count("keys", text)).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({
    "500MB, 500000000",
    "500MiB, 524288000",
    "2 GiB, 2147483648",
    "1k, 1000",
    "64, 64",
    "3b, 3",
    "1.5 gb, 1500000000"
  })
  void bytes_tellsThousandsFromPowersOfTwo(String text, long value) throws BadRequestException {
    assertThat(Quantity.bytes("budget", text)).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({"0.1%, 0.001", "1e-3, 0.001", "1/1000, 0.001", ".5, 0.5", "1 / 1k, 0.001"})
  void probability_readsWhatPeopleWrite(String text, double value) throws BadRequestException {
    assertThat(Quantity.probability("fpp", text)).isEqualTo(value);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "x", "10x", "1e", "--1", "-1", "1/", "NaN", "Infinity", "10MB", "0x10", "1%"})
  void count_refusesTheRest(String text) {
    assertThatThrownBy(() -> Quantity.count("keys", text))
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("keys");
  }

  @Test
  void count_refusesWhatIsTooLarge() {
    assertThatThrownBy(() -> Quantity.count("keys", "1e999"))
        .isInstanceOf(BadRequestException.class);
  }
}
