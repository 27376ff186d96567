package io.woodbird.bench.rival;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Guava's BloomFilter. */
final class GuavaRival {
  private GuavaRival() {}

  /** It does not tell its size, but its written form does: 6 bytes, then the words. */
  private static long bits(BloomFilter<?> filter) {
    Counter counter = new Counter();
    try {
      filter.writeTo(counter);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return (counter.bytes - 6) * 8;
  }

  private static final class Counter extends OutputStream {
    private long bytes;

    @Override
    public void write(int b) {
      bytes++;
    }

    @Override
    public void write(byte[] b, int off, int len) {
      bytes += len;
    }
  }

  static final class Longs implements LongRival {
    private final BloomFilter<Long> filter;

    Longs(long n, double fpp) {
      filter = BloomFilter.create(Funnels.longFunnel(), n, fpp);
    }

    @Override
    public void put(long key) {
      filter.put(key);
    }

    @Override
    public boolean mightContain(long key) {
      return filter.mightContain(key);
    }

    @Override
    public long bits() {
      return GuavaRival.bits(filter);
    }
  }

  static final class Strings implements StringRival {
    // Not unencodedCharsFunnel, which is three times slower.
    private final BloomFilter<CharSequence> filter;

    Strings(long n, double fpp) {
      filter = BloomFilter.create(Funnels.stringFunnel(StandardCharsets.UTF_8), n, fpp);
    }

    @Override
    public void put(String key) {
      filter.put(key);
    }

    @Override
    public boolean mightContain(String key) {
      return filter.mightContain(key);
    }

    @Override
    public long bits() {
      return GuavaRival.bits(filter);
    }
  }
}
