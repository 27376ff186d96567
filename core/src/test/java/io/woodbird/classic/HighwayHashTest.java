package io.woodbird.classic;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("jdk")
class HighwayHashTest {
  private static final long[] REDISSON = {
    0x9e3779b97f4a7c15L, 0xf39cc0605cedc834L, 0x1082276bf3a27251L, 0xf86c6a11d0c18e95L
  };

  /** The key of the tests that come with HighwayHash. */
  private static final long[] COUNTING = {
    0x0706050403020100L, 0x0f0e0d0c0b0a0908L, 0x1716151413121110L, 0x1f1e1d1c1b1a1918L
  };

  @ParameterizedTest
  @CsvSource({
    "'', b7aad9c226c6a36b, b2d4e4a63557bca6",
    "a, ab0bc04b5da94740, a0462b5aca912353",
    "hello, 7fd1d0bcd0c085e1, 70f5d2de26f6a7d9",
    "https://example.com/0, 7b9fea2884d613a4, c327995773e47c6b",
    "0123456789abcdef0123456789abcdef, d3c86bd01f2269fd, cfa12b16012f2c58",
    "0123456789abcdef0123456789abcdefX, 56396040344f48af, 3cf6e9b477d42f4a"
  })
  void hash_hasTheValuesRecordedFromRedisson(String text, String first, String second) {
    assertThat(HighwayHash.hash(text.getBytes(UTF_8), REDISSON))
        .isEqualTo(
            new Hash128(Long.parseUnsignedLong(first, 16), Long.parseUnsignedLong(second, 16)));
  }

  /** Some of the 65 values that come with HighwayHash, for the bytes 0, 1, 2, and so on. */
  @ParameterizedTest
  @CsvSource({
    "0, 0FED268F9D8FFEC7, 33565E767F093E6F",
    "1, D6B0A8893681E7A8, DC291DF9EB9CDCB4",
    "2, 3D15AD265A16DA04, 78085638DC32E868",
    "3, 0607621B295F0BEB, BFE69A0FD9CEDD79",
    "4, 26399EB46DACE49E, 2E922AD039319208",
    "8, A1E96D84280552E8, 695CF1C63BEC0AC2",
    "13, A225564112FE6157, B2E94C78B8DDB848"
  })
  void hash_hasThePublishedValues(int length, String first, String second) {
    assertThat(HighwayHash.hash(counting(length), COUNTING))
        .isEqualTo(
            new Hash128(Long.parseUnsignedLong(first, 16), Long.parseUnsignedLong(second, 16)));
  }

  @Test
  void hash_isRedissonsForEveryLength() {
    long seed = 0x51a7e9d3;
    Random random = new Random(seed);
    for (int length = 0; length <= 300; length++) {
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      long[] key = random.longs(4).toArray();
      long[] expected = org.redisson.misc.HighwayHash.hash128(bytes, 0, length, key);
      assertThat(HighwayHash.hash(bytes, key))
          .as("length %d, seed %#x", length, seed)
          .isEqualTo(new Hash128(expected[0], expected[1]));
    }
  }

  private static byte[] counting(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) i;
    }
    return bytes;
  }
}
