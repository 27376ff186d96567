package io.woodbird.guard;

import java.util.Collection;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Rows that can be made to fail, to hang, to vanish. */
final class TestSource implements KeySource<Long> {
  final ConcurrentSkipListSet<Long> rows = new ConcurrentSkipListSet<>();
  volatile int opened;
  volatile int closed;

  /** Throws at this row; negative for none. */
  volatile long throwAt = -1;

  /** Waits before this row; negative for none. */
  volatile long hangAt = -1;

  /** Interrupts its own thread at this row; negative for none. */
  volatile long interruptAt = -1;

  volatile boolean throwAtOnce;

  /** Does not care about interrupts while it hangs. */
  volatile boolean stubborn;

  final CountDownLatch hanging = new CountDownLatch(1);
  final CountDownLatch release = new CountDownLatch(1);

  static TestSource of(long from, long to) {
    TestSource source = new TestSource();
    LongStream.range(from, to).forEach(source.rows::add);
    return source;
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate")
  public Stream<Long> open() {
    opened++;
    if (throwAtOnce) {
      throw new IllegalStateException("the database is away");
    }
    Collection<Long> snapshot = rows.stream().toList();
    long[] row = {0};
    return Stream.concat(snapshot.stream(), Stream.of(Long.MIN_VALUE))
        .peek(key -> at(row[0]++))
        .filter(key -> key != Long.MIN_VALUE)
        .onClose(() -> closed++);
  }

  private void at(long row) {
    if (row == throwAt) {
      throw new IllegalStateException("the connection broke at row " + row);
    }
    if (row == interruptAt) {
      Thread.currentThread().interrupt();
    }
    if (row == hangAt) {
      hanging.countDown();
      while (true) {
        try {
          release.await();
          return;
        } catch (InterruptedException e) {
          if (!stubborn) {
            throw new IllegalStateException("interrupted at row " + row, e);
          }
        }
      }
    }
  }
}
