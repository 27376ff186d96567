package io.woodbird.testkit.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Filter;
import io.woodbird.FilterPlan;
import io.woodbird.FilterStats;
import io.woodbird.MutableFilter;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.FppMeter;
import io.woodbird.testkit.Trials;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Windows in time, on a clock that the tests set. */
final class WindowTest {
  private static final Duration DAY = Duration.ofHours(24);

  private final AtomicLong clock = new AtomicLong();

  private MutableFilter<Long> window(long keys) {
    return Woodbird.window(Keys.longs(), keys, DAY).clock(clock::get).seed(1).build();
  }

  private void pass(Duration time) {
    clock.addAndGet(time.toNanos());
  }

  @Test
  void aKeyIsHereForTheWholeWindowAndGoneAfterIt() {
    MutableFilter<Long> filter = window(10_000);
    filter.putLong(7L);
    pass(DAY.minusNanos(1));
    assertThat(filter.mightContainLong(7L)).isTrue();
    pass(DAY);
    filter.putLong(8L); // Ends the generation of the first key.
    pass(DAY);
    assertThat(filter.mightContainLong(7L)).isFalse();
  }

  @Test
  void put_saysWhetherTheKeyWasNewInTheWindow() {
    MutableFilter<Long> filter = window(10_000);
    assertThat(filter.putLong(7L)).isTrue();
    assertThat(filter.putLong(7L)).isFalse();
    for (int hour = 0; hour < 100; hour++) {
      pass(Duration.ofHours(1));
      filter.putLong(1000L + hour);
    }
    assertThat(filter.putLong(7L)).isTrue();
  }

  @Test
  void everyKeyOfTheWindowIsHereWhateverTheLoadAndTheClock() {
    Trials.sized(
        "everyKeyOfTheWindowIsHereWhateverTheLoadAndTheClock",
        20,
        4000,
        (random, size) -> {
          clock.set(random.nextLong(1L << 40));
          MutableFilter<Long> filter = window(Math.max(1, size / 2));
          Map<Long, Long> lastPut = new HashMap<>();
          long now = 0; // as the filter should see it
          for (int i = 0; i < size; i++) {
            switch (random.nextInt(20)) {
              case 0 -> clock.addAndGet(-random.nextLong(1L << 46)); // Time does not go back.
              case 1, 2 -> {
                long leap = random.nextLong(DAY.toNanos() / 3);
                clock.addAndGet(leap);
                filter.mightContainLong(0L); // So that it sees the leap before the next jump back.
                now += leap;
              }
              default -> {
                long key = random.nextInt(size);
                filter.putLong(key);
                lastPut.put(key, now);
              }
            }
            if (i % 50 == 0) {
              long then = now;
              lastPut.forEach(
                  (key, put) -> {
                    if (then - put < DAY.toNanos()) {
                      assertThat(filter.mightContain(key)).isTrue();
                    }
                  });
            }
          }
        });
  }

  @Test
  void aLeapFarForwardEmptiesTheWindowAtOnce() {
    MutableFilter<Long> filter = window(10_000);
    for (long key = 0; key < 5000; key++) {
      filter.putLong(key);
    }
    pass(Duration.ofDays(20_000));
    filter.putLong(-1L);
    pass(DAY);
    filter.putLong(-2L);
    pass(DAY);
    assertThat(filter.mightContainLong(-2L)).isTrue();
    int left = 0;
    for (long key = 0; key < 5000; key++) {
      left += filter.mightContainLong(key) ? 1 : 0;
    }
    assertThat(left).isLessThan(200);
  }

  @Test
  void theFppHoldsOverManyDaysOfSteadyLoad() {
    int keys = 50_000;
    MutableFilter<Long> filter = window(keys);
    long next = 0;
    for (int step = 0; step < 4 * 96; step++) {
      for (int i = 0; i < keys / 96; i++) {
        filter.putLong(next++);
      }
      pass(Duration.ofMinutes(15));
      if (step % 48 == 47) {
        FppMeter.measure("steady load", filter::mightContainLong, 1L << 40, 100_000)
            .assertAtMost(0.01);
      }
    }
    FilterStats stats = filter.stats();
    assertThat(stats.currentFpp()).isLessThanOrEqualTo(0.01);
    assertThat((double) stats.estimatedKeys()).isBetween(0.95 * keys, 1.3 * keys);
  }

  @Test
  void tooManyKeysRaiseTheFppAndNeverShortenTheWindow() {
    MutableFilter<Long> filter = window(1000);
    for (long key = 0; key < 20_000; key++) {
      filter.putLong(key);
      pass(Duration.ofMillis(100));
    }
    for (long key = 0; key < 20_000; key++) {
      assertThat(filter.mightContainLong(key)).isTrue();
    }
    assertThat(filter.stats().overfull()).isTrue();
  }

  @Test
  void theLastKeysAreHereInAWindowOfKeys() {
    MutableFilter<Long> filter = Woodbird.window(Keys.longs(), 10_000).seed(2).build();
    for (long key = 0; key < 100_000; key++) {
      filter.putLong(key);
      if (key % 1000 == 999) {
        for (long recent = Math.max(0, key - 9_999); recent <= key; recent++) {
          assertThat(filter.mightContainLong(recent)).isTrue();
        }
      }
    }
    int left = 0;
    for (long key = 0; key < 50_000; key++) {
      left += filter.mightContainLong(key) ? 1 : 0;
    }
    assertThat(left).isLessThan(1000);
  }

  @Test
  void keysPutByManyThreadsWhileGenerationsChangeAreHere() throws Exception {
    MutableFilter<Long> filter = window(20_000);
    AtomicBoolean wrong = new AtomicBoolean();
    Thread[] threads = new Thread[4];
    for (int t = 0; t < threads.length; t++) {
      long first = t * 1_000_000L;
      threads[t] =
          new Thread(
              () -> {
                for (long key = first; key < first + 40_000; key++) {
                  clock.addAndGet(Duration.ofSeconds(1).toNanos());
                  filter.putLong(key);
                  if (!filter.mightContainLong(key)
                      || !filter.mightContainLong(Math.max(first, key - 1000))) {
                    wrong.set(true);
                  }
                }
              });
    }
    for (Thread thread : threads) {
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(wrong).isFalse();
  }

  @Test
  void aSavedWindowGoesOnWhereItWas(@TempDir Path folder) throws IOException {
    MutableFilter<Long> filter = window(10_000);
    filter.putLong(1L);
    pass(Duration.ofHours(23));
    filter.putLong(2L);
    pass(Duration.ofHours(2));
    filter.putLong(3L);
    Path path = folder.resolve("window.wbird");
    filter.save(path);
    try (OpenFilter<Long> mapped = Woodbird.open(path, Keys.longs())) {
      mapped.verify();
      assertThat(mapped.mightContainLong(2L)).isTrue();
      assertThat(mapped.mightContainLong(3L)).isTrue();
      assertThat(mapped.mightContainLong(4L)).isFalse();
      assertThat(mapped.stats()).isEqualTo(filter.stats());
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    Filter<Long> read =
        Woodbird.readFrom(new ByteArrayInputStream(out.toByteArray()), Keys.longs());
    assertThat(read).isInstanceOf(MutableFilter.class);
    assertThat(((MutableFilter<Long>) read).putLong(3L)).isFalse();
    assertThat(((MutableFilter<Long>) read).putLong(5L)).isTrue();
  }

  @Test
  void plan_isWhatIsBuilt() {
    for (double fpp : new double[] {0.1, 0.01, 0.001}) {
      FilterPlan plan = Woodbird.window(Keys.longs(), 1_000_000, DAY).fpp(fpp).plan();
      MutableFilter<Long> built = Woodbird.window(Keys.longs(), 1_000_000, DAY).fpp(fpp).build();
      assertThat(built.stats().bits()).isEqualTo(plan.bits());
      assertThat(built.sizeInBytes()).isEqualTo(plan.bytes());
      assertThat(plan.fpp()).isLessThanOrEqualTo(fpp);
    }
    assertThat(Woodbird.window(Keys.longs(), 1_000_000, DAY).plan().bitsPerKey())
        .isLessThanOrEqualTo(17.5);
  }

  @Test
  void badParametersAreRefusedByName() {
    assertThatThrownBy(() -> Woodbird.window(Keys.longs(), 0, DAY))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expectedKeys must be positive: 0");
    assertThatThrownBy(() -> Woodbird.window(Keys.longs(), 1, Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT0S");
    assertThatThrownBy(() -> Woodbird.window(Keys.longs(), 1L << 50, DAY).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("more than a filter on the heap holds");
  }
}
