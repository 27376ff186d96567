package io.woodbird.filter.bloom;

import io.woodbird.FilterStats;
import io.woodbird.filter.FilterSpec;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Tells a listener that a filter passed its promised fpp, and again at each doubling of it. */
final class OverfullNotices {
  /*
   * Puts that changed a bit are counted: all of them in small filters, in large ones only those whose
   * hash ends in enough zeros, so that the count costs nothing and threads do not meet on it. 2^14
   * counted keys give the number of keys to 1 %. A new key that is a false positive changes no bit,
   * which the thresholds take into account. At a threshold the bits themselves are looked at; if the
   * count was early, they are looked at again when it has grown by 0.4 %.
   */
  private static final int COUNTED = 1 << 14;

  private final @Nullable Consumer<FilterStats> listener;
  private final BloomShape shape;
  private final double promisedFpp;
  private final long skipMask;
  private final AtomicLong counted = new AtomicLong();

  /** The count to look at the bits at; while a thread does so, a count that is never reached. */
  private final AtomicLong nextCount = new AtomicLong(Long.MAX_VALUE);

  /** The doublings of the promised fpp that were told; belongs to the thread that looks. */
  private int level;

  OverfullNotices(@Nullable Consumer<FilterStats> listener, FilterSpec<?> spec, BloomShape shape) {
    this.listener = listener;
    this.shape = shape;
    this.promisedFpp = spec.promisedFpp();
    this.skipMask = Long.highestOneBit(Math.max(1, spec.expectedKeys() / COUNTED)) - 1;
    if (listener != null) {
      nextCount.set(freshKeysAt(promisedFpp));
    }
  }

  /** Notes that a put changed a bit. */
  void fresh(long hash, Supplier<FilterStats> stats) {
    if (listener != null && (hash & skipMask) == 0) {
      counted.incrementAndGet();
      long mark = nextCount.get();
      // Of several threads that pass a mark at once one looks, and goes on with what the others
      // put meanwhile.
      while (fresh() > mark && nextCount.compareAndSet(mark, Long.MAX_VALUE)) {
        try {
          look(fresh(), stats.get(), listener);
        } catch (Throwable e) {
          nextCount.compareAndSet(Long.MAX_VALUE, mark); // The next put looks again.
          throw e;
        }
        mark = nextCount.get();
      }
    }
  }

  /** Looks at bits that came without puts: from a file, or from another filter. */
  void recount(Supplier<FilterStats> stats) {
    long mark = nextCount.get();
    if (listener == null || !nextCount.compareAndSet(mark, Long.MAX_VALUE)) {
      return;
    }
    FilterStats now;
    try {
      now = stats.get();
    } catch (Throwable e) {
      nextCount.set(mark);
      throw e;
    }
    int told = level;
    while (now.currentFpp() > promisedFpp * Math.pow(2, level)) {
      level++;
    }
    counted.accumulateAndGet(freshKeysAt(now.currentFpp()) / (skipMask + 1), Math::max);
    nextCount.set(freshKeysAt(promisedFpp * Math.pow(2, level)));
    if (level > told) {
      listener.accept(now);
    }
  }

  private long fresh() {
    return counted.get() * (skipMask + 1);
  }

  private void look(long fresh, FilterStats stats, Consumer<FilterStats> told) {
    boolean passed = stats.currentFpp() > promisedFpp * Math.pow(2, level);
    level += passed ? 1 : 0;
    nextCount.set(passed ? freshKeysAt(promisedFpp * Math.pow(2, level)) : fresh + fresh / 256);
    if (passed) {
      told.accept(stats);
    }
  }

  /** The number of puts that changed a bit by the time the fpp is {@code fpp}. */
  private long freshKeysAt(double fpp) {
    if (fpp >= 1) {
      return Long.MAX_VALUE;
    }
    double high = 1;
    while (shape.fpp(high) < fpp) {
      high *= 2;
    }
    double low = high / 2;
    for (int i = 0; i < 30; i++) {
      double middle = (low + high) / 2;
      if (shape.fpp(middle) < fpp) {
        low = middle;
      } else {
        high = middle;
      }
    }
    double fresh = 0;
    int steps = 64;
    for (int i = 0; i < steps; i++) {
      fresh += (1 - shape.fpp(high * (i + 0.5) / steps)) * high / steps;
    }
    return (long) fresh;
  }
}
