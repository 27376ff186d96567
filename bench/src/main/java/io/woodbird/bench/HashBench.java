package io.woodbird.bench;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import com.google.common.hash.HashFunction;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Time to hash one key that is in the cache. "Chars" hash UTF-16 units, the others UTF-8 bytes.
 *
 * <p>The loops are alike and written out: a shared loop would call the hash through an interface,
 * and box the longs.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class HashBench {
  /** Keys per invocation: the Strings of a pool lie in L2. */
  static final int KEYS = 1024;

  private static final long SEED = 0x5eedL;
  private static final byte[] SECRET = "sixteen bytes it".getBytes(StandardCharsets.US_ASCII);

  private static final KeyHasher<String> STRINGS = Keys.strings();
  private static final KeyHasher<byte[]> BYTES = Keys.bytes();
  private static final KeyHasher<Long> LONGS = Keys.longs();
  private static final KeyHasher<String> KEYED_STRINGS = Keys.keyed(SECRET).strings();
  private static final KeyHasher<byte[]> KEYED_BYTES = Keys.keyed(SECRET).bytes();
  private static final KeyHasher<Long> KEYED_LONGS = Keys.keyed(SECRET).longs();
  private static final Hasher64 RAPID = Hashing.rapidhashV3(SEED);
  private static final Hasher64 XXH3 = Hashing.xxh3_64(SEED);
  private static final Hasher64 WYHASH = Hashing.wyhashFinal4(SEED);
  private static final HashFunction MURMUR3 =
      com.google.common.hash.Hashing.murmur3_128((int) SEED);

  /** Strings, and their bytes. */
  @State(Scope.Thread)
  public static class Texts {
    @Param({"URL60", "ASCII16", "CJK20"})
    String text;

    private String[] strings;
    private byte[][] bytes;

    @Setup
    public void make() {
      strings = new String[KEYS];
      bytes = new byte[KEYS][];
      long[] ids = Workload.HIT.ids(1L << 40, KEYS);
      String[] urls = KeyKind.STRINGS.keys().apply(ids);
      for (int i = 0; i < KEYS; i++) {
        strings[i] =
            switch (text) {
              case "URL60" -> urls[i];
              case "ASCII16" -> urls[i].substring(38, 54);
              case "CJK20" -> ideographs(ids[i]);
              default -> throw new IllegalArgumentException(text);
            };
        bytes[i] = strings[i].getBytes(StandardCharsets.UTF_8);
      }
    }

    /** Twenty characters from U+4E00 on. */
    private static String ideographs(long id) {
      StringBuilder made = new StringBuilder();
      for (int i = 0; i < 20; i++) {
        made.append((char) (0x4e00 + (KeyKind.scramble(id + i) >>> 52)));
      }
      return made.toString();
    }
  }

  /** Longs. */
  @State(Scope.Thread)
  public static class Numbers {
    private long[] longs;

    @Setup
    public void make() {
      longs = KeyKind.LONGS.keys().apply(Workload.HIT.ids(1L << 40, KEYS));
    }
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long woodbirdStrings(Texts keys) {
    long sum = 0;
    for (String key : keys.strings) {
      sum += STRINGS.hash(key, SEED);
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long woodbirdBytes(Texts keys) {
    long sum = 0;
    for (byte[] key : keys.bytes) {
      sum += BYTES.hash(key, SEED);
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long woodbirdLongs(Numbers keys) {
    long sum = 0;
    for (long key : keys.longs) {
      sum += LONGS.hash(key, SEED);
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long keyedStrings(Texts keys) {
    long sum = 0;
    for (String key : keys.strings) {
      sum += KEYED_STRINGS.hash(key, SEED);
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long keyedBytes(Texts keys) {
    long sum = 0;
    for (byte[] key : keys.bytes) {
      sum += KEYED_BYTES.hash(key, SEED);
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long keyedLongs(Numbers keys) {
    long sum = 0;
    for (long key : keys.longs) {
      sum += KEYED_LONGS.hash(key, SEED);
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long rapidStrings(Texts keys) {
    long sum = 0;
    for (String key : keys.strings) {
      sum += RAPID.hashBytesToLong(key.getBytes(StandardCharsets.UTF_8));
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long rapidBytes(Texts keys) {
    long sum = 0;
    for (byte[] key : keys.bytes) {
      sum += RAPID.hashBytesToLong(key);
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long rapidChars(Texts keys) {
    long sum = 0;
    for (String key : keys.strings) {
      sum += RAPID.hashCharsToLong(key);
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long rapidLongs(Numbers keys) {
    long sum = 0;
    for (long key : keys.longs) {
      sum += RAPID.hashLongToLong(key);
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long xxh3Strings(Texts keys) {
    long sum = 0;
    for (String key : keys.strings) {
      sum += XXH3.hashBytesToLong(key.getBytes(StandardCharsets.UTF_8));
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long xxh3Bytes(Texts keys) {
    long sum = 0;
    for (byte[] key : keys.bytes) {
      sum += XXH3.hashBytesToLong(key);
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long xxh3Chars(Texts keys) {
    long sum = 0;
    for (String key : keys.strings) {
      sum += XXH3.hashCharsToLong(key);
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long wyhashStrings(Texts keys) {
    long sum = 0;
    for (String key : keys.strings) {
      sum += WYHASH.hashBytesToLong(key.getBytes(StandardCharsets.UTF_8));
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long wyhashBytes(Texts keys) {
    long sum = 0;
    for (byte[] key : keys.bytes) {
      sum += WYHASH.hashBytesToLong(key);
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long wyhashChars(Texts keys) {
    long sum = 0;
    for (String key : keys.strings) {
      sum += WYHASH.hashCharsToLong(key);
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long murmur3Strings(Texts keys) {
    long sum = 0;
    for (String key : keys.strings) {
      sum += MURMUR3.hashString(key, StandardCharsets.UTF_8).asLong();
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long murmur3Bytes(Texts keys) {
    long sum = 0;
    for (byte[] key : keys.bytes) {
      sum += MURMUR3.hashBytes(key).asLong();
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long murmur3Chars(Texts keys) {
    long sum = 0;
    for (String key : keys.strings) {
      sum += MURMUR3.hashUnencodedChars(key).asLong();
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(KEYS)
  public long murmur3Longs(Numbers keys) {
    long sum = 0;
    for (long key : keys.longs) {
      sum += MURMUR3.hashLong(key).asLong();
    }
    return sum;
  }
}
