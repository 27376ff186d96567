package io.woodbird.bench;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.woodbird.bench.rival.Removing;
import io.woodbird.bench.rival.Rival;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/** Fills rivals, and looks at them once they are full. */
final class Filling {
  /** Keys are made so many at a time, outside the measured time. */
  private static final int SLICE = 1 << 16;

  /** Keys to measure the fpp with: at 1 % one standard deviation is 0.007 %. */
  static final int TRIALS = 1 << 21;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private Filling() {}

  /**
   * What filling took, without the making of keys.
   *
   * @param nanos the time
   * @param cpuNanos the same, but while it finishes the time of all threads
   * @param bytesPerKey what the thread allocated in the second half, when all code is compiled
   */
  record Cost(long nanos, long cpuNanos, double bytesPerKey) {}

  /** Puts the keys 0 to n - 1 and finishes. */
  static <A> Cost fill(Rival<A> rival, KeyKind<A> kind, long n) {
    long nanos = 0;
    long bytes = 0;
    long counted = 0;
    for (long first = 0; first < n; first += SLICE) {
      int size = (int) Math.min(SLICE, n - first);
      A keys = kind.keys().apply(numbers(first, size));
      long before = THREADS.getCurrentThreadAllocatedBytes();
      long start = System.nanoTime();
      for (int from = 0; from < size; from += Rival.CHUNK) {
        rival.putAll(keys, from, Math.min(size, from + Rival.CHUNK));
      }
      nanos += System.nanoTime() - start;
      if (first + size > n / 2) {
        bytes += THREADS.getCurrentThreadAllocatedBytes() - before;
        counted += size;
      }
    }
    long cpuStart = SYSTEM.getProcessCpuTime();
    long start = System.nanoTime();
    rival.finish();
    long end = System.nanoTime();
    long cpuNanos = nanos + SYSTEM.getProcessCpuTime() - cpuStart;
    return new Cost(nanos + end - start, cpuNanos, (double) bytes / counted);
  }

  /** Removes the keys 0 to n - 1; returns the nanoseconds, without the making of keys. */
  static <A> long empty(Removing<A> rival, KeyKind<A> kind, long n) {
    long nanos = 0;
    for (long first = 0; first < n; first += SLICE) {
      int size = (int) Math.min(SLICE, n - first);
      A keys = kind.keys().apply(numbers(first, size));
      long start = System.nanoTime();
      for (int from = 0; from < size; from += Rival.CHUNK) {
        rival.removeAll(keys, from, Math.min(size, from + Rival.CHUNK));
      }
      nanos += System.nanoTime() - start;
    }
    return nanos;
  }

  /** Fails if a key that was put is not found. */
  static <A> void requireAllKeys(Rival<A> rival, KeyKind<A> kind, long n) {
    long[] ids = Workload.HIT.ids(n, SLICE);
    int found = rival.count(kind.keys().apply(ids), 0, SLICE);
    if (found != SLICE) {
      throw new IllegalStateException(
          "false negatives: " + (SLICE - found) + " of " + SLICE + " keys that were put");
    }
  }

  /** Measures the share of keys never put that may be here; trials is a multiple of 2^16. */
  static <A> double fpp(Rival<A> rival, KeyKind<A> kind, long n, int trials) {
    long[] ids = Workload.MISS.ids(n, trials);
    long found = 0;
    for (int from = 0; from < trials; from += SLICE) {
      A keys = kind.keys().apply(Arrays.copyOfRange(ids, from, from + SLICE));
      found += rival.count(keys, 0, SLICE);
    }
    return (double) found / trials;
  }

  private static long[] numbers(long first, int count) {
    long[] ids = new long[count];
    for (int i = 0; i < count; i++) {
      ids[i] = first + i;
    }
    return ids;
  }
}
