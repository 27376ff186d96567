package io.woodbird.filter.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.file.FileReader;
import io.woodbird.filter.FilterSpec;
import io.woodbird.key.Keys;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.Generational;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Four threads at full speed on windows that change their generation every few puts. */
@Tag("compiled")
final class WindowRaceTest {
  private static final int THREADS = 4;
  private static final int KEYS = 7;
  private static final long SPAN = 1_000_000_000;
  private static final int ROUND = 100_000;
  private static final int BETWEEN_SAVES = 5_000;

  private final AtomicLong clock = new AtomicLong();
  private final AtomicLongArray called = new AtomicLongArray(THREADS);
  private final AtomicLong asked = new AtomicLong();
  private final AtomicLong denied = new AtomicLong();
  private long next = 1000;

  private WindowFilter<Long> empty(BlockShape shape, long span) {
    Generational layout = new Generational(new BlockedBloom(2, shape));
    return new WindowFilter<>(
        new FilterSpec<>(Keys.longs(), 3, KEYS, 0.01), layout, span, clock::get);
  }

  /** One round after the other; each goes on with what was saved after the one before. */
  private void run(BlockShape shape, long span, long questions) throws Exception {
    WindowFilter<Long> filter = empty(shape, span);
    while (asked.get() < questions) {
      round(filter, span);
      WindowFilter<Long> again = empty(shape, span);
      WindowCodec.fill(again, FileReader.read(new ByteArrayInputStream(bytes(filter))));
      filter = again;
    }
    assertThat(denied).as("denied of %,d", asked.get()).hasValue(0);
  }

  private void round(WindowFilter<Long> filter, long span) throws InterruptedException {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    AtomicLong left = new AtomicLong(ROUND);
    for (int key = 0; key < THREADS; key++) {
      put(filter, key);
    }
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      int number = i;
      threads.add(
          new Thread(
              () -> {
                try {
                  if (span == 0 && number == 0) {
                    putInOrder(filter, left);
                  } else {
                    ask(filter, number, span, left);
                  }
                } catch (Throwable e) {
                  failure.set(e);
                  left.set(0);
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failure).hasValue(null);
  }

  private void put(WindowFilter<Long> filter, int key) {
    long now = clock.get();
    filter.put((Long) (long) key);
    called.set(key, now);
  }

  /** Alone, so that its keys are always among the last seven. */
  private void putInOrder(WindowFilter<Long> filter, AtomicLong left) {
    while (left.get() > 0) {
      for (int key = 0; key < THREADS; key++) {
        put(filter, key);
      }
      for (int i = THREADS; i < KEYS; i++) {
        filter.put((Long) next++);
      }
    }
  }

  private void ask(WindowFilter<Long> filter, int number, long span, AtomicLong left)
      throws IOException {
    long other = 1000L * (number + 1);
    long here = 0;
    for (int i = 0; left.get() > 0; i++) {
      if (span > 0 && i % 3 == 0) {
        put(filter, number);
        filter.put((Long) other++);
        clock.addAndGet(SPAN / 20);
      }
      check(filter, i % THREADS, span);
      here++;
      if (i % 64 == 0) {
        left.addAndGet(-64);
      }
      if (i % BETWEEN_SAVES == 0 && number == 1) {
        long[] before = new long[THREADS];
        for (int key = 0; key < THREADS; key++) {
          before[key] = called.get(key);
        }
        Filter<Long> file = Woodbird.wrap(ByteBuffer.wrap(bytes(filter)), Keys.longs());
        for (int key = 0; key < THREADS; key++) {
          judge(file.mightContain((Long) (long) key), before[key], span);
        }
        here += THREADS;
      }
    }
    asked.addAndGet(here);
  }

  private void check(Filter<Long> filter, int key, long span) {
    long put = called.get(key);
    judge(filter.mightContain((Long) (long) key), put, span);
  }

  private void judge(boolean here, long put, long span) {
    if (!here && (span == 0 || clock.get() - put < span)) {
      denied.incrementAndGet();
    }
  }

  private static byte[] bytes(WindowFilter<Long> filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }

  @ParameterizedTest
  @EnumSource(names = {"TWO_3", "PAIR_2"})
  void noKeyOfTheLastSevenIsDenied(BlockShape shape) throws Exception {
    run(shape, 0, 2_500_000);
  }

  @ParameterizedTest
  @EnumSource(names = {"TWO_3", "PAIR_2"})
  void noKeyOfTheLastSecondIsDenied(BlockShape shape) throws Exception {
    run(shape, SPAN, 2_500_000);
  }

  @Tag("slow")
  @ParameterizedTest
  @EnumSource(names = {"TWO_3", "PAIR_2"})
  void noKeyOfTheLastSevenIsDenied_inManyQuestions(BlockShape shape) throws Exception {
    run(shape, 0, 250_000_000);
  }

  @Tag("slow")
  @ParameterizedTest
  @EnumSource(names = {"TWO_3", "PAIR_2"})
  void noKeyOfTheLastSecondIsDenied_inManyQuestions(BlockShape shape) throws Exception {
    run(shape, SPAN, 250_000_000);
  }
}
