package io.woodbird.testkit.bloom;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.BloomFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.BloomLayout;
import io.woodbird.testkit.Together;
import java.io.IOException;
import java.io.OutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A filter of more than 2^33 bits uses all of them. */
@Tag("slow")
final class HugeFilterTest {
  private static final long EXPECTED_KEYS = 1_050_000_000L;
  private static final long KEYS = 20_000_000;
  private static final int PARTS = 64;
  private static final int HEADER_BYTES = 256;

  @ParameterizedTest
  @EnumSource(BloomLayout.class)
  void keysLandInAllPartsOfIt(BloomLayout layout) throws IOException {
    BloomFilter<Long> filter =
        layout.of(Woodbird.bloom(Keys.longs(), EXPECTED_KEYS).fpp(0.01)).seed(81).build();
    long bits = filter.stats().bits();
    assertThat(bits).isGreaterThan(1L << 33);
    Together.run(
        2,
        thread -> {
          for (long key = thread; key < KEYS; key += 2) {
            filter.putLong(key);
          }
        });
    for (long key = 0; key < KEYS; key++) {
      assertThat(filter.mightContainHash(filter.hashOfLong(key))).isTrue();
    }
    SetBits set = new SetBits(bits / 8);
    filter.writeTo(set);
    // Half of the parts lie beyond 2^32 bits, three of four beyond 2^31. The bits of a key, 6 or 7,
    // go together in the blocked layout: that many times the variance of a Poisson number of keys,
    // and a little less for bits that meet.
    double mean = (double) set.total() / PARTS;
    double deviation = Math.sqrt(7 * mean);
    for (int part = 0; part < PARTS; part++) {
      assertThat((double) set.parts[part])
          .as("bits set in part %d of %d", part, PARTS)
          .isBetween(mean - 5 * deviation, mean + 5 * deviation);
    }
    assertThat((double) filter.stats().estimatedKeys()).isBetween(0.99 * KEYS, 1.01 * KEYS);
  }

  /** Counts the bits of a file that say "set", part by part: in a file a set bit is a 0. */
  private static final class SetBits extends OutputStream {
    final long[] parts = new long[PARTS];
    private final long dataBytes;
    private long at = -HEADER_BYTES; // The data follows the header.

    SetBits(long dataBytes) {
      this.dataBytes = dataBytes;
    }

    long total() {
      long total = 0;
      for (long part : parts) {
        total += part;
      }
      return total;
    }

    @Override
    public void write(int value) {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) {
      for (int i = 0; i < count; i++, at++) {
        if (at >= 0 && at < dataBytes) {
          int part = (int) (at * PARTS / dataBytes);
          parts[part] += 8 - Integer.bitCount(bytes[offset + i] & 0xff);
        }
      }
    }
  }
}
