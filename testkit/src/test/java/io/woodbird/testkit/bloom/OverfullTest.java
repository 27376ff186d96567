package io.woodbird.testkit.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.woodbird.BloomBuilder;
import io.woodbird.BloomFilter;
import io.woodbird.DurableFilter;
import io.woodbird.FilterStats;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.BloomLayout;
import io.woodbird.testkit.Together;
import io.woodbird.testkit.Trials;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A filter that gets more keys than planned says so. */
final class OverfullTest {
  private final List<FilterStats> notices = new CopyOnWriteArrayList<>();

  private BloomBuilder<Long> filter(long expectedKeys, double fpp) {
    return Woodbird.bloom(Keys.longs(), expectedKeys).fpp(fpp).seed(71).onOverfull(notices::add);
  }

  private static void put(BloomFilter<Long> filter, long from, long to) {
    for (long key = from; key < to; key++) {
      filter.putLong(key);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1, 0.01",
    "10, 0.1",
    "1000, 0.3",
    "1000, 1e-4",
    "20000, 0.01",
    "100000, 1e-3",
    "300000, 1e-6"
  })
  void nothingIsSaidUpToTheExpectedNumberOfKeys(long expectedKeys, double fpp) {
    BloomFilter<Long> filter = filter(expectedKeys, fpp).build();
    put(filter, 0, expectedKeys);
    put(filter, 0, expectedKeys);
    assertThat(notices).isEmpty();
    assertThat(filter.stats().overfull()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(BloomLayout.class)
  void thePromiseAndEachDoublingOfItIsToldOnce(BloomLayout layout) {
    int expectedKeys = 50_000;
    double promised = 0.01;
    BloomFilter<Long> filter = layout.of(filter(expectedKeys, promised)).build();
    put(filter, 0, 10L * expectedKeys);
    double last = filter.stats().currentFpp();
    int levels = (int) Math.floor(Math.log(last / promised) / Math.log(2)) + 1;
    assertThat(levels).as("levels up to fpp %s", last).isEqualTo(7);
    assertThat(notices).hasSize(levels);
    for (int level = 0; level < levels; level++) {
      // One in two keys is counted, 25,000 of them at the first mark: the number of keys is known
      // to sqrt(1/2) / sqrt(25,000) = 0.45 %, the fpp, which grows with less than the fourth power,
      // to 1.8 %; five deviations are 9 %.
      double mark = promised * Math.pow(2, level);
      assertThat(notices.get(level).currentFpp())
          .as("fpp at notice %d", level)
          .isCloseTo(mark, within(0.09 * mark));
    }
  }

  @Test
  void theNoticeOfASmallFilterComesWhenItsFppPassesThePromise() {
    Trials.run(
        "theNoticeOfASmallFilterComesWhenItsFppPassesThePromise",
        50,
        random -> {
          notices.clear();
          BloomFilter<Long> filter = filter(1000, 0.01).seed(random.nextLong()).build();
          for (long key = 0; notices.isEmpty(); key++) {
            assertThat(key).isLessThan(2000);
            filter.putLong(key);
          }
          // It comes at the key for which the fpp should be 1 %, or later if it is less. By chance
          // it is more: the deviation is 4 % of the fpp (BlockedBloomSize), and five are 20 %.
          assertThat(notices.get(0).currentFpp()).isBetween(0.01, 0.012);
        });
  }

  /** A process that begins again and again would else never be told. */
  @ParameterizedTest
  @EnumSource(BloomLayout.class)
  void keysOfAnEarlierProcess_andOfAnotherFilter_count(BloomLayout layout, @TempDir Path folder)
      throws IOException {
    Path file = folder.resolve("seen.wbird");
    int next = 0;
    for (int run = 0; run < 6; run++) {
      try (DurableFilter<Long> filter = layout.of(filter(1000, 0.01)).file(file)) {
        for (int i = 0; i < 400; i++) {
          filter.putLong(next++);
        }
      }
      if (next > 1000) { // At 1,200 keys the fpp may be the promised one, or twice as much.
        assertThat(notices).hasSizeBetween(1, 2);
        break;
      }
      assertThat(notices).as("told after %d keys", next).isEmpty();
    }
    notices.clear();
    layout.of(filter(1000, 0.01)).file(file).close();
    assertThat(notices).as("it is overfull when it is opened").hasSize(1);
    notices.clear();
    BloomFilter<Long> one = layout.of(filter(1000, 0.01)).build();
    BloomFilter<Long> two = layout.of(filter(1000, 0.01)).build();
    put(one, 0, 900);
    put(two, 900, 1800);
    assertThat(notices).isEmpty();
    one.union(two);
    assertThat(notices).hasSize(1);
    put(one, 1800, 1801);
    assertThat(notices).hasSize(1);
  }

  /** 64 bits for each of 64 positions: no formula may say that it is never wrong. */
  @ParameterizedTest
  @EnumSource(BloomLayout.class)
  void aFilterWithRoomInPlenty_isOpenedAgain(BloomLayout layout, @TempDir Path folder)
      throws IOException {
    Path file = folder.resolve("roomy.wbird");
    BloomBuilder<Long> roomy =
        layout.of(Woodbird.bloom(Keys.longs(), 10).maxBytes(10_000_000).onOverfull(notices::add));
    for (int run = 0; run < 2; run++) {
      try (DurableFilter<Long> filter = roomy.file(file)) {
        assertThat(filter.mightContainLong(1)).isEqualTo(run > 0);
        filter.putLong(1);
        assertThat(filter.stats().promisedFpp()).isPositive();
      }
    }
    assertThat(notices).isEmpty();
  }

  @Test
  void statsSayIt() {
    BloomFilter<Long> filter = filter(1000, 0.01).build();
    put(filter, 0, 1000);
    assertThat(filter.stats().overfull()).isFalse();
    assertThat(filter.toString()).doesNotContain("OVERFULL");
    put(filter, 1000, 3000);
    FilterStats stats = filter.stats();
    assertThat(stats.overfull()).isTrue();
    assertThat(stats.currentFpp()).isGreaterThan(stats.promisedFpp());
    assertThat(filter.toString()).contains("OVERFULL");
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8})
  void ofManyThreadsThatPassAMarkOneTells(int threads) {
    // Mostly with the classic layout, whose marks are computed fast.
    int count = 8000;
    Trials.run(
        "ofManyThreadsThatPassAMarkOneTells",
        60 / threads,
        random -> {
          long seed = random.nextLong();
          BloomLayout layout = random.nextInt(16) > 0 ? BloomLayout.CLASSIC : BloomLayout.BLOCKED;
          // The order of the puts decides which of them are false positives, so the last mark may
          // be passed a few keys earlier or later than by one thread.
          int least = told(layout, seed, 1, count * 96 / 100);
          int most = told(layout, seed, 1, count * 104 / 100);
          assertThat(least).isGreaterThan(3);
          assertThat(told(layout, seed, threads, count)).isBetween(least, most);
        });
  }

  private int told(BloomLayout layout, long seed, int threads, int count) {
    notices.clear();
    BloomFilter<Long> filter = layout.of(filter(2000, 0.01)).seed(seed).build();
    Together.run(
        threads,
        thread -> {
          for (long key = thread; key < count; key += threads) {
            filter.putLong(key);
          }
        });
    assertThat(notices).allMatch(FilterStats::overfull, "overfull");
    return notices.size();
  }

  @Test
  void aFilterSizedByBytesPromisesWhatItsSizeGives() {
    BloomFilter<Long> filter =
        Woodbird.bloom(Keys.longs(), 100_000)
            .maxBytes(100_000)
            .seed(72)
            .onOverfull(notices::add)
            .build();
    assertThat(filter.sizeInBytes()).isLessThanOrEqualTo(100_000);
    put(filter, 0, 95_000);
    assertThat(notices).isEmpty();
    put(filter, 95_000, 105_000);
    assertThat(notices).hasSize(1);
  }

  @Test
  void aListenerThatThrowsThrowsFromThePutThatPassedTheMark() {
    BloomFilter<Long> filter =
        Woodbird.bloom(Keys.longs(), 100)
            .seed(73)
            .onOverfull(
                stats -> {
                  throw new IllegalStateException("told");
                })
            .build();
    List<Long> refused = new ArrayList<>();
    for (long key = 0; key < 200; key++) {
      try {
        filter.putLong(key);
      } catch (IllegalStateException e) {
        refused.add(key);
      }
    }
    assertThat(refused).as("keys whose put passed a mark").isNotEmpty().hasSizeLessThan(8);
    assertThat(refused).allMatch(filter::mightContain, "is in: the put took effect before");
  }
}
