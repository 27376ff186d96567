package io.woodbird.filter.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.woodbird.BloomFilter;
import io.woodbird.FilterStats;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.words.HeapWords;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a Bloom filter of either kind says of itself. */
final class BloomShapeTest {
  private static final int KEYS = 20_000;

  private static BloomFilter<Long> filter(
      boolean classic, double fpp, List<FilterStats> notices, int keys) {
    var builder = Woodbird.bloom(Keys.longs(), KEYS).fpp(fpp).seed(71).onOverfull(notices::add);
    BloomFilter<Long> filter = (classic ? builder.classic() : builder).build();
    for (long key = 0; key < keys; key++) {
      filter.putLong(key);
    }
    return filter;
  }

  /** Blocks of one word, two words, and two blocks. */
  @ParameterizedTest
  @CsvSource({"true, 0.01", "false, 0.05", "false, 0.01", "false, 0.001", "false, 0.00001"})
  void stats_countBits_andEstimateKeysAndFpp(boolean classic, double fpp) {
    BloomFilter<Long> filter = filter(classic, fpp, new ArrayList<>(), KEYS);
    HeapWords words = BloomFilters.wordsOf(filter);
    long set = 0;
    for (long word = 0; word < words.count(); word++) {
      set += Long.bitCount(words.get(word));
    }
    FilterStats stats = filter.stats();
    assertThat(stats.bits()).isEqualTo(64 * words.count());
    assertThat(stats.fill()).isCloseTo(set / (64.0 * words.count()), within(1e-12));
    // The deviation is below that of a count of 20,000 keys, 0.7 %; five are 3.5 %.
    assertThat((double) stats.estimatedKeys()).isCloseTo(KEYS, within(0.035 * KEYS));
    int asked = 200_000;
    int wrong = 0;
    for (long key = 1; key <= asked; key++) {
      wrong += filter.mightContainLong(-key) ? 1 : 0;
    }
    double expected = asked * stats.currentFpp();
    assertThat((double) wrong).isCloseTo(expected, within(5 * Math.sqrt(expected) + 1));
    assertThat(stats.layout()).startsWith(classic ? "classic Bloom, 7 bits" : "blocked Bloom, ");
  }

  @ParameterizedTest
  @CsvSource({"true, 0.01", "false, 0.01"})
  void theListener_isToldOfThePromisedFpp_andOfEachDoubling(boolean classic, double fpp) {
    List<FilterStats> notices = new ArrayList<>();
    BloomFilter<Long> filter = filter(classic, fpp, notices, KEYS);
    assertThat(notices).isEmpty();
    for (long key = KEYS; key < 4 * KEYS; key++) {
      filter.putLong(key);
    }
    double last = filter.stats().currentFpp();
    assertThat(notices).hasSize((int) Math.floor(Math.log(last / fpp) / Math.log(2)) + 1);
    for (int level = 0; level < notices.size(); level++) {
      // The bits are looked at again when the count has grown by 1/256, and the fpp grows with the
      // seventh power of it at most: by 2.8 %.
      double mark = fpp * Math.pow(2, level);
      assertThat(notices.get(level).currentFpp()).isBetween(mark, 1.028 * mark);
    }
  }
}
