package io.woodbird.testkit;

import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/**
 * As many distinct keys of a kind as a test needs.
 *
 * @param <K> the type of the keys
 * @param name of the kind
 * @param hasher hashes them
 * @param key makes the key with a number; unequal numbers give unequal keys
 * @param corners keys that are easily forgotten to be keys, such as {@code ""}
 */
public record TestKeys<K>(String name, KeyHasher<K> hasher, LongFunction<K> key, List<K> corners) {
  private static final int VERY_LONG = 100_000;

  /**
   * Makes the keys of a range of numbers.
   *
   * @param from the first number
   * @param to the number after the last
   * @return the keys in order
   */
  public List<K> range(long from, long to) {
    return LongStream.range(from, to).mapToObj(key).toList();
  }

  /**
   * Longs.
   *
   * @return the keys
   */
  public static TestKeys<Long> longs() {
    return longs("longs", Keys.longs());
  }

  /**
   * Longs under another hasher.
   *
   * @param name of the kind
   * @param hasher the hasher
   * @return the keys
   */
  public static TestKeys<Long> longs(String name, KeyHasher<Long> hasher) {
    return new TestKeys<>(
        name, hasher, Long::valueOf, List.of(0L, -1L, 1L, Long.MIN_VALUE, Long.MAX_VALUE));
  }

  /**
   * Ints.
   *
   * @return the keys
   */
  public static TestKeys<Integer> ints() {
    return new TestKeys<>(
        "ints",
        Keys.ints(),
        Math::toIntExact,
        List.of(0, -1, 1, Integer.MIN_VALUE, Integer.MAX_VALUE));
  }

  /**
   * Strings.
   *
   * @return the keys
   */
  public static TestKeys<String> strings() {
    return strings("strings", Keys.strings());
  }

  /**
   * Strings under another hasher.
   *
   * @param name of the kind
   * @param hasher the hasher
   * @return the keys
   */
  public static TestKeys<String> strings(String name, KeyHasher<String> hasher) {
    List<String> corners =
        List.of(
            "",
            " ",
            "\0",
            "\0\0",
            "null",
            "\u00e9\u20ac\ud83d\udc26",
            "a".repeat(VERY_LONG),
            "\u20ac".repeat(VERY_LONG));
    return new TestKeys<>(name, hasher, number -> "key:" + number, corners);
  }

  /**
   * Byte arrays.
   *
   * @return the keys
   */
  public static TestKeys<byte[]> bytes() {
    return bytes("bytes", Keys.bytes());
  }

  /**
   * Byte arrays under another hasher.
   *
   * @param name of the kind
   * @param hasher the hasher
   * @return the keys
   */
  public static TestKeys<byte[]> bytes(String name, KeyHasher<byte[]> hasher) {
    List<byte[]> corners =
        List.of(new byte[0], new byte[1], new byte[2], new byte[] {-1}, new byte[VERY_LONG]);
    return new TestKeys<>(
        name, hasher, number -> ByteBuffer.allocate(9).putLong(1, number).array(), corners);
  }

  /**
   * UUIDs.
   *
   * @return the keys
   */
  public static TestKeys<UUID> uuids() {
    return uuids("uuids", Keys.uuids());
  }

  /**
   * UUIDs under another hasher.
   *
   * @param name of the kind
   * @param hasher the hasher
   * @return the keys
   */
  public static TestKeys<UUID> uuids(String name, KeyHasher<UUID> hasher) {
    List<UUID> corners =
        List.of(new UUID(0, 0), new UUID(0, 1), new UUID(1, 0), new UUID(-1, -1), new UUID(0, -1));
    return new TestKeys<>(name, hasher, number -> new UUID(7 * number, ~number), corners);
  }

  /** Says the kind. */
  @Override
  public String toString() {
    return name;
  }
}
