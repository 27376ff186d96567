package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.BloomFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HeatMapTest {
  @TempDir private Path folder;

  private Map<String, Object> heat(BloomFilter<Long> filter, int keys)
      throws IOException, BadRequestException {
    for (long key = 0; key < keys; key++) {
      filter.putLong(key);
    }
    filter.save(folder.resolve("f.wbird"));
    return new FilesApi(folder).heat(Map.of("name", "f.wbird"));
  }

  /**
   * The mean of the squared deviations, in sigmas as computed, is 1 if the formula is right; with
   * 2,048 tiles its own sigma is 0.031, and the formula leaves out terms of a percent.
   */
  @ParameterizedTest
  @ValueSource(doubles = {0.3, 0.1, 0.01, 0.002, 1e-4, 1e-8})
  void spread_isWhatChanceGives(double fpp) throws IOException, BadRequestException {
    BloomFilter<Long> filter = Woodbird.bloom(Keys.longs(), 400_000).fpp(fpp).seed(11).build();
    for (int keys : new int[] {100_000, 400_000}) {
      Map<String, Object> heat = heat(filter, keys);
      assertThat((Double) heat.get("spread")).isBetween(1 - 0.21, 1 + 0.21);
      assertThat((Double) heat.get("mean")).isEqualTo(filter.stats().fill());
      assertThat(heat.get("verdict")).isEqualTo("even");
      assertThat((Integer) heat.get("tiles")).isBetween(1900, 2048);
    }
  }

  /** A hasher that spreads badly, as hashCode of consecutive numbers would. */
  @Test
  void verdict_isUnevenForABadHash() throws IOException, BadRequestException {
    KeyHasher<Long> bad =
        new KeyHasher<>() {
          @Override
          public long hash(Long key, long seed) {
            return Keys.longs().hash(key / 16, seed);
          }

          @Override
          public String id() {
            return "bad";
          }
        };
    BloomFilter<Long> filter = Woodbird.bloom(bad, 400_000).fpp(0.01).seed(11).build();
    Map<String, Object> even = heat(filter, 400_000);
    assertThat(even.get("verdict")).isEqualTo("even"); // Fewer keys, but spread well.
    KeyHasher<Long> clumped =
        new KeyHasher<>() {
          @Override
          public long hash(Long key, long seed) {
            long hash = Keys.longs().hash(key, seed);
            return key % 4 == 0 ? hash >>> 1 : hash;
          }

          @Override
          public String id() {
            return "clumped";
          }
        };
    Map<String, Object> uneven =
        heat(Woodbird.bloom(clumped, 400_000).fpp(0.01).seed(11).build(), 400_000);
    assertThat(uneven.get("verdict")).isEqualTo("uneven");
  }

  @Test
  void verdict_isOpenForFewTiles() throws IOException, BadRequestException {
    BloomFilter<Long> filter = Woodbird.bloom(Keys.longs(), 100).fpp(0.01).seed(1).build();
    assertThat(heat(filter, 100).get("verdict")).isEqualTo("few");
  }
}
