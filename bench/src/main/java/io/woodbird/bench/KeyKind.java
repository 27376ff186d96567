package io.woodbird.bench;

import io.woodbird.bench.rival.Rival;
import io.woodbird.bench.rival.RivalKind;
import java.nio.charset.StandardCharsets;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A kind of keys, numbered: key i is the same in every run, and no two are equal.
 *
 * @param name in reports
 * @param largePool how many keys to ask about when the filter is too large for the cache: so many
 *     that the touched lines do not all stay there
 * @param keys makes the keys of some numbers
 * @param rival makes an empty rival for so many keys
 * @param <A> an array of keys
 */
record KeyKind<A>(
    String name,
    int largePool,
    Function<long[], A> keys,
    BiFunction<RivalKind, Long, Rival<A>> rival) {
  /** Random-looking longs. */
  static final KeyKind<long[]> LONGS =
      new KeyKind<>("longs", 1 << 22, KeyKind::longs, RivalKind::longs);

  /** URLs of 60 characters. */
  static final KeyKind<String[]> STRINGS =
      new KeyKind<>("strings", 1 << 21, KeyKind::urls, RivalKind::strings);

  private static final int SMALL_POOL = 1 << 16;
  private static final String URL = "https://www.shop####.example/articles/****************/p####";

  /** How many keys to ask about at {@code n} keys. */
  int poolSize(long n) {
    return n < 1_000_000 ? SMALL_POOL : largePool;
  }

  /**
   * Scrambles a number: a permutation of the longs, and one (Doug Lea's) that no rival uses as its
   * hash, so that nobody gets keys that are hashed already.
   */
  static long scramble(long id) {
    long x = id + 0x9e3779b97f4a7c15L;
    x = (x ^ x >>> 32) * 0xdaba0b6eb09322e3L;
    x = (x ^ x >>> 32) * 0xdaba0b6eb09322e3L;
    return x ^ x >>> 32;
  }

  private static long[] longs(long[] ids) {
    long[] keys = new long[ids.length];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = scramble(ids[i]);
    }
    return keys;
  }

  private static String[] urls(long[] ids) {
    byte[] buffer = URL.getBytes(StandardCharsets.ISO_8859_1);
    String[] keys = new String[ids.length];
    for (int i = 0; i < keys.length; i++) {
      long scrambled = scramble(ids[i]);
      digits(scrambled, 10, buffer, URL.indexOf('#'), 4);
      digits(scrambled, 16, buffer, URL.indexOf('*'), 16);
      digits(scrambled >>> 32, 10, buffer, URL.length() - 4, 4);
      keys[i] = new String(buffer, StandardCharsets.ISO_8859_1);
    }
    return keys;
  }

  private static void digits(long number, int radix, byte[] target, int from, int count) {
    long rest = number;
    for (int i = from + count - 1; i >= from; i--) {
      target[i] = (byte) Character.forDigit((int) Long.remainderUnsigned(rest, radix), radix);
      rest = Long.divideUnsigned(rest, radix);
    }
  }
}
