package io.woodbird.testkit.deletable;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.DeletableFilter;
import io.woodbird.Filter;
import io.woodbird.FilterStats;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.Together;
import io.woodbird.testkit.deletable.HistoryTest.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Threads that put, remove and ask at once: no key that is in is denied, and counts add up. */
final class AtOnceTest {
  private static final int BATCH = 256;

  /** A filter with keys that stay in all the time, and room for those that come and go. */
  private static final class Churn {
    private final Kind kind;
    private final DeletableFilter<Long> filter;
    private final int threads;
    private final int room;
    private final int stay;
    private final LongAdder left = new LongAdder();

    Churn(Kind kind, int threads, int room, double fpp) {
      this.kind = kind;
      this.filter = kind.make(room, fpp, 94);
      this.threads = threads;
      this.room = room;
      this.stay = room / 2;
      for (long key = 0; key < stay; key++) {
        filter.putLong(key);
      }
    }

    void run(int rounds) throws IOException {
      Together.run(threads, thread -> work(thread, rounds));
      everyKeyThatStaysIsIn(filter);
      if (filter.stats().layout().startsWith("quotient")) {
        assertThat(filter.stats().estimatedKeys()).isEqualTo(stay + left.sum());
      }
      if (kind == Kind.GROWING) {
        assertThat(filter.stats().estimatedKeys()).isEqualTo(stay + left.sum());
      }
      // All goes: if any step had been lost, something would be left over, or missing.
      for (int thread = 0; thread < threads; thread++) {
        for (long key = first(thread); key < first(thread) + own() / 2; key++) {
          assertThat(filter.removeLong(key)).isTrue();
        }
      }
      for (long key = 0; key < stay; key++) {
        assertThat(filter.removeLong(key)).isTrue();
      }
      // A key that has no bits left when its part grows leaves one of its two places behind.
      FilterStats end = filter.stats();
      assertThat(kind == Kind.GROWING ? end.estimatedKeys() : end.fill()).isZero();
    }

    private int own() {
      return (room - stay) / threads;
    }

    private long first(int thread) {
      return 1_000_000L * (thread + 1);
    }

    private void work(int thread, int rounds) throws IOException {
      SplittableRandom random = new SplittableRandom(thread);
      long first = first(thread);
      for (int round = 0; round < rounds; round++) {
        for (long key = first; key < first + own(); key++) {
          filter.putLong(key);
          require(filter.mightContainLong(key), key);
          long other = random.nextLong(stay);
          require(filter.mightContainLong(other), other);
        }
        askBatch(random);
        if (round % 8 == thread % 8) {
          everyKeyThatStaysIsIn(written());
        }
        int kept = round == rounds - 1 ? own() / 2 : 0;
        for (long key = first + kept; key < first + own(); key++) {
          require(filter.mightContainLong(key), key);
          require(filter.removeLong(key), key);
          long other = random.nextLong(stay);
          require(filter.mightContainLong(other), other);
        }
        left.add(kept);
      }
    }

    private void askBatch(SplittableRandom random) {
      long[] hashes = random.longs(BATCH, 0, stay).map(filter::hashOfLong).toArray();
      assertThat(filter.candidates(hashes, BATCH, new int[BATCH])).isEqualTo(BATCH);
    }

    /** The filter as it is written while others change it. */
    private Filter<Long> written() throws IOException {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      filter.writeTo(out);
      return Woodbird.readFrom(new ByteArrayInputStream(out.toByteArray()), Keys.longs());
    }

    private void everyKeyThatStaysIsIn(Filter<Long> asked) {
      for (long key = 0; key < stay; key++) {
        require(asked.mightContainLong(key), key);
      }
    }

    private static void require(boolean right, long key) {
      if (!right) {
        throw new AssertionError("denied: " + key);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "QUOTIENT, 2, 1500, 0.0072", "QUOTIENT, 4, 3000, 0.0009", "QUOTIENT, 8, 140000, 0.1",
    "COUNTING, 2, 100, 1e-3", "COUNTING, 4, 3000, 0.01", "COUNTING, 8, 3000, 1e-5",
    "GROWING, 2, 1500, 0.01", "GROWING, 4, 30000, 0.001", "GROWING, 8, 140000, 0.1"
  })
  void noKeyIsDenied_andCountsAddUp(Kind kind, int threads, int room, double fpp)
      throws IOException {
    // 300,000 puts and as many removes beside those of the other threads: a race that one of them
    // in 100,000 loses is missed once in 400 runs (e^-6).
    new Churn(kind, threads, room, fpp).run(Math.max(2, 300_000 / room));
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({
    "QUOTIENT, 2, 1500, 0.0072",
    "QUOTIENT, 3, 200, 0.0009",
    "QUOTIENT, 8, 3000, 0.1",
    "COUNTING, 2, 100, 1e-3",
    "COUNTING, 8, 3000, 1e-5",
    "GROWING, 2, 1500, 0.01",
    "GROWING, 8, 30000, 0.001"
  })
  void noKeyIsDenied_inManyRounds(Kind kind, int threads, int room, double fpp) throws IOException {
    new Churn(kind, threads, room, fpp).run(20_000_000 / room);
  }
}
