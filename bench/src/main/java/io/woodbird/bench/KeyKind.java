package io.woodbird.bench;

import io.woodbird.bench.rival.Rival;
import io.woodbird.bench.rival.RivalKind;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.LongStream;

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
  private static final int HOST_AT = URL.indexOf('#');
  private static final int HEX_AT = URL.indexOf('*');
  private static final int PAGE_AT = URL.length() - 4;
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.ISO_8859_1);

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
      keys[i] = url(ids[i], buffer);
    }
    return keys;
  }

  /** The URL with a number; {@code buffer} is a copy of {@link #URL} to write into. */
  private static String url(long id, byte[] buffer) {
    long scrambled = scramble(id);
    decimal(scrambled, buffer, HOST_AT);
    decimal(scrambled >>> 32, buffer, PAGE_AT);
    long rest = scrambled;
    for (int at = HEX_AT + 15; at >= HEX_AT; at--) {
      buffer[at] = HEX[(int) rest & 15];
      rest >>>= 4;
    }
    return new String(buffer, StandardCharsets.ISO_8859_1);
  }

  /** All URLs with the numbers 0 to n - 1, made one by one. */
  static Iterator<String> urls(long n) {
    byte[] buffer = URL.getBytes(StandardCharsets.ISO_8859_1);
    return LongStream.range(0, n).mapToObj(id -> url(id, buffer)).iterator();
  }

  /** Writes the last four decimal digits. */
  private static void decimal(long number, byte[] target, int from) {
    int rest = (int) Long.remainderUnsigned(number, 10_000);
    for (int at = from + 3; at >= from; at--) {
      target[at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
  }
}
