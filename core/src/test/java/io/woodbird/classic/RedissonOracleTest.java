package io.woodbird.classic;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Redisson's own arithmetic, called without a server. */
class RedissonOracleTest {
  private static final Scheme SCHEME = Scheme.of("redisson");

  private static Object filter;
  private static long[] hashKey;

  /** Makes a filter of Redisson's without its constructor, which would ask for a connection. */
  @BeforeAll
  static void allocate() throws ReflectiveOperationException {
    Class<?> type = Class.forName("org.redisson.RedissonBloomFilter");
    Class<?> factory = Class.forName("sun.reflect.ReflectionFactory");
    Object made = factory.getMethod("getReflectionFactory").invoke(null);
    filter =
        ((java.lang.reflect.Constructor<?>)
                factory
                    .getMethod(
                        "newConstructorForSerialization",
                        Class.class,
                        java.lang.reflect.Constructor.class)
                    .invoke(made, type, Object.class.getDeclaredConstructor()))
            .newInstance();
    Field key = Class.forName("org.redisson.misc.Hash").getDeclaredField("KEY");
    key.setAccessible(true);
    hashKey = (long[]) key.get(null);
  }

  @Test
  void positions_areRedissons() throws ReflectiveOperationException {
    long seed = 0x7d20_e8a1;
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 5000; i++) {
      byte[] key = new byte[random.nextInt(100)];
      random.nextBytes(key);
      long bits = random.nextLong(1, 1L << random.nextInt(1, 33));
      int hashes = random.nextInt(1, 30);
      assertThat(SCHEME.positions(key, bits, hashes))
          .as("trial %d, %d bits, %d hashes, seed %#x", i, bits, hashes, seed)
          .isEqualTo(redisson(key, bits, hashes));
    }
    assertThat(SCHEME.positions("\u5e03\u9686", 9585, 7))
        .isEqualTo(redisson("\u5e03\u9686".getBytes(UTF_8), 9585, 7));
  }

  @Test
  void sizes_areRedissons() throws ReflectiveOperationException {
    long seed = 0x4e91_06bf;
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 2000; i++) {
      long keys = random.nextLong(1, 1L << random.nextInt(1, 40));
      double fpp = i < 10 ? i % 2 : Math.pow(10, -random.nextDouble(0, 12));
      String what = String.format("%d keys, fpp %s, seed %#x", keys, fpp, seed);
      long bits =
          (long) call("optimalNumOfBits", long.class, double.class).invoke(filter, keys, fpp);
      int hashes =
          (int)
              call("optimalNumOfHashFunctions", long.class, long.class).invoke(filter, keys, bits);
      assertThat(SCHEME.bitsFor(keys, fpp)).as(what).isEqualTo(bits);
      assertThat(SCHEME.hashesFor(keys, bits)).as(what).isEqualTo(hashes);
      assertThat(SCHEME.hashesFor(keys, fpp)).as(what).isEqualTo(hashes);
    }
  }

  @Test
  void bits_endWhereRedissonEnds() throws ReflectiveOperationException {
    assertThat(call("getMaxSize").invoke(filter)).isEqualTo(4294967294L);
  }

  private static long[] redisson(byte[] key, long bits, int hashes)
      throws ReflectiveOperationException {
    long[] hash = org.redisson.misc.HighwayHash.hash128(key, 0, key.length, hashKey);
    return (long[])
        call("hash", long.class, long.class, int.class, long.class)
            .invoke(filter, hash[0], hash[1], hashes, bits);
  }

  private static Method call(String name, Class<?>... types) throws ReflectiveOperationException {
    Method method = filter.getClass().getDeclaredMethod(name, types);
    method.setAccessible(true);
    return method;
  }
}
