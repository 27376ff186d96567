package io.woodbird.bench.rival;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hasher128;
import com.dynatrace.hash4j.hashing.Hashing;
import java.nio.charset.StandardCharsets;
import org.apache.commons.collections4.bloomfilter.EnhancedDoubleHasher;
import org.apache.commons.collections4.bloomfilter.Hasher;
import org.apache.commons.collections4.bloomfilter.Shape;
import org.apache.commons.collections4.bloomfilter.SimpleBloomFilter;

/** Commons Collections' SimpleBloomFilter. */
final class CommonsRival {
  /*
   * The library has no hash function: it wants 128 good bits per key. For Strings that is
   * MurmurHash3 x64, as commons-codec has it too; hash4j's is the same function, and here anyway. A
   * long would pay for a byte array on that way, so longs get two rounds of a mixer instead.
   */
  private static final Hasher128 MURMUR3 = Hashing.murmur3_128();

  private CommonsRival() {}

  private static SimpleBloomFilter filter(long n, double fpp) {
    return new SimpleBloomFilter(Shape.fromNP(Math.toIntExact(n), fpp));
  }

  static final class Longs implements LongRival {
    private final SimpleBloomFilter filter;

    Longs(long n, double fpp) {
      filter = filter(n, fpp);
    }

    @Override
    public void put(long key) {
      filter.merge(hasher(key));
    }

    @Override
    public boolean mightContain(long key) {
      return filter.contains(hasher(key));
    }

    private static Hasher hasher(long key) {
      return new EnhancedDoubleHasher(mix(key), mix(key + 0x9e3779b97f4a7c15L));
    }

    /** The finaliser of MurmurHash3. */
    private static long mix(long value) {
      long x = value;
      x = (x ^ x >>> 33) * 0xff51afd7ed558ccdL;
      x = (x ^ x >>> 33) * 0xc4ceb9fe1a85ec53L;
      return x ^ x >>> 33;
    }

    @Override
    public long bits() {
      return filter.getShape().getNumberOfBits();
    }
  }

  static final class Strings implements StringRival {
    private final SimpleBloomFilter filter;

    Strings(long n, double fpp) {
      filter = filter(n, fpp);
    }

    @Override
    public void put(String key) {
      filter.merge(hasher(key));
    }

    @Override
    public boolean mightContain(String key) {
      return filter.contains(hasher(key));
    }

    private static Hasher hasher(String key) {
      HashValue128 hash = MURMUR3.hashBytesTo128Bits(key.getBytes(StandardCharsets.UTF_8));
      return new EnhancedDoubleHasher(
          hash.getMostSignificantBits(), hash.getLeastSignificantBits());
    }

    @Override
    public long bits() {
      return filter.getShape().getNumberOfBits();
    }
  }
}
