package io.woodbird.testkit.bloom;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.BloomFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.BloomLayout;
import io.woodbird.testkit.FppMeter;
import io.woodbird.testkit.Together;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many keys from many threads: none is lost. */
final class ManyKeysTest {
  private static final int BATCH = 4096;

  @ParameterizedTest
  @CsvSource({
    "BLOCKED, 2, 0.01",
    "BLOCKED, 4, 1e-3",
    "BLOCKED, 8, 0.3",
    "CLASSIC, 3, 0.1",
  })
  void noneOfTwoMillionKeysIsLost(BloomLayout layout, int threads, double fpp) {
    noKeyIsLost(layout, threads, fpp, 2_000_000);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({
    "BLOCKED, 2, 0.01",
    "BLOCKED, 4, 1e-3",
    "BLOCKED, 8, 0.3",
    "CLASSIC, 3, 0.1",
  })
  void noneOfTenMillionKeysIsLost(BloomLayout layout, int threads, double fpp) {
    noKeyIsLost(layout, threads, fpp, 10_000_000);
  }

  @Test
  @Tag("slow")
  void noneOfABillionKeysIsLost() {
    noKeyIsLost(BloomLayout.BLOCKED, 4, 0.01, 1_000_000_000);
  }

  private static void noKeyIsLost(BloomLayout layout, int threads, double fpp, long keys) {
    BloomFilter<Long> filter =
        layout.of(Woodbird.bloom(Keys.longs(), keys).fpp(fpp)).seed(61).build();
    LongAdder fresh = new LongAdder();
    Together.run(threads, thread -> fresh.add(put(filter, thread, threads, keys)));
    LongAdder found = new LongAdder();
    Together.run(2, thread -> found.add(found(filter, thread, keys)));
    assertThat(found.sum()).as("keys found").isEqualTo(keys);
    // The fpp grows from 0 to the promised one, so less than that share of the new keys was taken
    // for an old one.
    assertThat(fresh.sum()).as("keys that were new").isBetween((long) ((1 - fpp) * keys), keys);
    // 5 sqrt(n), the bound of the contract, is more than what the census of a sample misses.
    assertThat((double) filter.stats().estimatedKeys())
        .isBetween(
            keys - 5 * Math.sqrt(keys) - keys / 1000.0, keys + 5 * Math.sqrt(keys) + keys / 1000.0);
    FppMeter.measure("seed 61", filter, Long::valueOf, keys, (long) Math.max(1e6, 100 / fpp))
        .assertAtMost(fpp);
  }

  /** Every thread puts its share in blocks, so that neighbours in time are neighbours in number. */
  private static long put(BloomFilter<Long> filter, int thread, int threads, long keys) {
    long fresh = 0;
    for (long from = (long) thread * BATCH; from < keys; from += (long) threads * BATCH) {
      for (long key = from; key < Math.min(keys, from + BATCH); key++) {
        fresh += filter.putLong(key) ? 1 : 0;
      }
    }
    return fresh;
  }

  private static long found(BloomFilter<Long> filter, int half, long keys) {
    long[] hashes = new long[BATCH];
    int[] selected = new int[BATCH];
    long found = 0;
    long to = half == 0 ? keys / 2 : keys;
    for (long from = half == 0 ? 0 : keys / 2; from < to; from += BATCH) {
      int count = (int) Math.min(BATCH, to - from);
      for (int i = 0; i < count; i++) {
        hashes[i] = filter.hashOfLong(from + i);
      }
      found += filter.candidates(hashes, count, selected);
    }
    return found;
  }
}
