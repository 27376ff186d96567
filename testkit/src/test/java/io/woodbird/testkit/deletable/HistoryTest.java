package io.woodbird.testkit.deletable;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.DeletableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.DeletableLayout;
import io.woodbird.testkit.FppMeter;
import io.woodbird.testkit.Trials;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Long histories of puts, removes and questions, beside a plain multiset. */
final class HistoryTest {
  private static final int STEPS = 8;
  private static final int PROBES = 20_000;
  private static final int MEASUREMENTS = 20;

  /** The filters whose keys can be removed. */
  enum Kind {
    QUOTIENT,
    COUNTING,
    GROWING;

    DeletableFilter<Long> make(int room, double fpp, long seed) {
      return this == GROWING
          ? Woodbird.growing(Keys.longs()).fpp(fpp).upTo(room).seed(seed).build()
          : DeletableLayout.valueOf(name())
              .of(Woodbird.deletable(Keys.longs(), room).fpp(fpp))
              .seed(seed)
              .build();
    }
  }

  /** A filter and the multiset that it should be. */
  private static final class History {
    private final Kind kind;
    private final DeletableFilter<Long> filter;
    private final SplittableRandom random;
    private final double fpp;
    private final int room;
    private final int[] times; // how often each key is in
    private final int[] held; // the keys that are in, each as often as it is
    private int size;
    private long operations;
    private long asked;
    private long wrong;
    private double wrongExpected;
    private long beyond;

    History(Kind kind, int room, double fpp, SplittableRandom random) {
      this.kind = kind;
      this.filter = kind.make(room, fpp, random.nextLong());
      this.random = random;
      this.fpp = fpp;
      this.room = room;
      this.times = new int[2 * room]; // So many keys that some are put twice, and none often.
      this.held = new int[room];
      this.beyond = times.length;
    }

    void run(long most) {
      long measured = 0;
      while (operations < most) {
        goTo(room * random.nextInt(STEPS + 1) / STEPS, most);
        if (operations - measured >= most / MEASUREMENTS) { // Small filters get there often.
          measure();
          measured = operations;
        }
      }
      everyKeyIsIn();
      measure();
    }

    /** Puts and removes until so many keys are in. */
    private void goTo(int target, long most) {
      while (size != target && operations < most) {
        // Six steps of ten lead there, as far as there is room.
        if (size < room && (size == 0 || random.nextInt(10) < 6 == size < target)) {
          put(random.nextInt(times.length));
        } else {
          remove(random.nextInt(size));
        }
        ask(random.nextInt(times.length));
        operations += 2;
      }
    }

    private void put(int key) {
      boolean fresh = filter.putLong((long) key);
      if (fresh && times[key] > 0) {
        throw new AssertionError("certainly new, but in: " + key);
      }
      times[key]++;
      held[size++] = key;
    }

    private void remove(int place) {
      int key = held[place];
      held[place] = held[--size];
      if (!filter.removeLong((long) key)) {
        throw new AssertionError("certainly not here, but in: " + key);
      }
      times[key]--;
    }

    private void ask(int key) {
      boolean maybe = filter.mightContainLong((long) key);
      if (times[key] > 0) {
        if (!maybe) {
          throw new AssertionError("false negative: " + key + ", operation " + operations);
        }
        return;
      }
      asked++;
      wrong += maybe ? 1 : 0;
      wrongExpected += kind == Kind.GROWING ? fpp : -Math.expm1(Math.log1p(-fpp) * size / room);
    }

    /** The count is exact and the fpp no higher than it says, at this size. */
    private void measure() {
      if (filter.stats().layout().startsWith("quotient")) {
        assertThat(filter.stats().estimatedKeys()).isEqualTo(size);
      }
      FppMeter.Measurement measured =
          FppMeter.measure("at " + size, filter, Long::valueOf, beyond, PROBES);
      if (kind != Kind.COUNTING) {
        assertThat(filter.stats().estimatedKeys()).isEqualTo(size);
        measured.assertAtMost(filter.stats().currentFpp());
      }
      assertThat(filter.stats().overfull()).isFalse();
      measured.assertAtMost(fpp);
      beyond += PROBES;
    }

    private void everyKeyIsIn() {
      for (int key = 0; key < times.length; key++) {
        if (times[key] > 0 && !filter.mightContainLong((long) key)) {
          throw new AssertionError("false negative: " + key);
        }
      }
      new FppMeter.Measurement("all along", asked, wrong).assertAtMost(wrongExpected / asked);
    }
  }

  private static void run(Kind kind, int room, double fpp, int trials, long most) {
    Trials.run(kind + " history", trials, random -> new History(kind, room, fpp, random).run(most));
  }

  @ParameterizedTest
  @CsvSource({
    "QUOTIENT, 70000, 0.0072",
    "QUOTIENT, 3000, 0.0009",
    "QUOTIENT, 20000, 0.2",
    "QUOTIENT, 200, 1e-6",
    "QUOTIENT, 1, 0.01",
    "COUNTING, 40000, 0.01",
    "COUNTING, 3000, 0.001",
    "COUNTING, 20000, 0.2",
    "COUNTING, 200, 1e-6",
    "COUNTING, 5, 1e-9",
    "GROWING, 40000, 0.01",
    "GROWING, 3000, 0.001",
    "GROWING, 20000, 0.2",
    "GROWING, 200, 1e-6",
    "GROWING, 1, 0.01"
  })
  void manyOperationsAgreeWithAMultiset(Kind kind, int room, double fpp) {
    // Ten for each place: the filter fills and empties about twice. A fault of one operation in
    // 60,000 is missed once in 150 runs (e^-5). The largest quotient filter has two shards, the
    // largest growing one about six.
    run(kind, room, fpp, 1, Math.max(300_000, 10L * room));
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({
    "QUOTIENT, 1000000, 0.0072",
    "QUOTIENT, 50000, 0.0009",
    "COUNTING, 1000000, 0.01",
    "GROWING, 1000000, 0.01"
  })
  void aHundredMillionOperationsAgreeWithAMultiset(Kind kind, int room, double fpp) {
    run(kind, room, fpp, 1, 100_000_000);
  }
}
