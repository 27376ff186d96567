package io.woodbird.key;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Hashing a key allocates nothing, except for the copy of a String. */
@Tag("jdk")
final class AllocationTest {
  private static final int CALLS = 100_000;
  private static final Keys.Keyed KEYED = Keys.keyed(new byte[16]);

  /** A hasher and some of its keys. */
  private record Case<K>(String name, KeyHasher<K> hasher, K[] keys) {
    long run(int calls) {
      long sum = 0;
      for (int i = 0; i < calls; i++) {
        sum += hasher.hash(keys[i % keys.length], i);
      }
      return sum;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case<?>> cases() {
    return Stream.of(kinds("", null), kinds("keyed ", KEYED)).flatMap(part -> part);
  }

  private static Stream<Case<?>> kinds(String prefix, Keys.Keyed keyed) {
    Long[] longs = {0L, 1L, -1L, Long.MIN_VALUE, 123_456_789L};
    Integer[] ints = {0, 1, -1, Integer.MIN_VALUE, 123_456_789};
    byte[][] bytes = {new byte[0], new byte[5], new byte[16], new byte[100], new byte[5000]};
    UUID[] uuids = {new UUID(0, 0), new UUID(1, 2), new UUID(-1, 5)};
    return Stream.of(
        new Case<>(prefix + "longs", keyed == null ? Keys.longs() : keyed.longs(), longs),
        new Case<>(prefix + "ints", keyed == null ? Keys.ints() : keyed.ints(), ints),
        new Case<>(prefix + "bytes", keyed == null ? Keys.bytes() : keyed.bytes(), bytes),
        new Case<>(prefix + "uuids", keyed == null ? Keys.uuids() : keyed.uuids(), uuids));
  }

  private static long allocated() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  /** The fewest bytes a call took in one of several rounds, so that compilation does not count. */
  private static double bytesPerCall(int rounds, Runnable calls) throws InterruptedException {
    long least = Long.MAX_VALUE;
    for (int round = 0; round < rounds && least >= CALLS; round++) {
      long before = allocated();
      calls.run();
      least = Math.min(least, allocated() - before);
      if (round > 10) {
        Thread.sleep(5); // Compilation runs in a thread of its own.
      }
    }
    return (double) least / CALLS;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aHashAllocatesLessThanAByte(Case<?> keys) throws InterruptedException {
    long[] sum = {0};
    double bytes = bytesPerCall(2_000, () -> sum[0] += keys.run(CALLS));
    assertThat(bytes).as("bytes per call; the hashes add up to %d", sum[0]).isLessThan(1);
  }

  @Test
  void theMeasurementSeesAnAllocation() throws InterruptedException {
    Object[] sink = new Object[1];
    double bytes =
        bytesPerCall(
            5,
            () -> {
              for (int i = 0; i < CALLS; i++) {
                sink[0] = new byte[8];
              }
            });
    assertThat(bytes).isBetween(16.0, 40.0);
  }

  @Test
  void aStringIsCopiedOnce() throws InterruptedException {
    Case<String> text = new Case<>("60 chars", Keys.strings(), new String[] {"a".repeat(60)});
    long[] sum = {0};
    double bytes = bytesPerCall(20, () -> sum[0] += text.run(CALLS));
    assertThat(bytes).as("bytes per call; the hashes add up to %d", sum[0]).isBetween(0.0, 90.0);
  }
}
