package io.woodbird.redis.redisson;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * How Redisson turns a key into bytes before it hashes them: its codec.
 *
 * <p>A service that shares a filter with Redisson must use the codec that Redisson uses there. What
 * is not here can be given as a lambda that returns the codec's bytes.
 *
 * @param <K> the type of the keys
 */
public interface RedissonKeys<K> {
  /**
   * Returns the bytes of a key.
   *
   * @param key the key
   * @return as Redisson's codec encodes it as a value
   */
  byte[] encode(K key);

  /** {@return strings under Redisson's {@code StringCodec}: UTF-8} */
  static RedissonKeys<String> strings() {
    return key -> key.getBytes(StandardCharsets.UTF_8);
  }

  /** {@return strings under Redisson's default codec, {@code Kryo5Codec}} */
  static RedissonKeys<String> kryoStrings() {
    return Kryo::string;
  }

  /** {@return longs under Redisson's default codec, {@code Kryo5Codec}} */
  static RedissonKeys<Long> kryoLongs() {
    return Kryo::number;
  }

  /** The few forms of Kryo 5 that keys need: a byte that names the class, then the value. */
  final class Kryo {
    private static final int STRING = 3;
    private static final int LONG = 9;
    private static final int SHORTEST_ASCII = 2;
    private static final int LONGEST_ASCII = 32;

    private Kryo() {}

    /** A short ASCII string marks its last byte; any other says its length before it. */
    static byte[] string(String text) {
      ByteArrayOutputStream out = new ByteArrayOutputStream(text.length() + 4);
      out.write(STRING);
      if (text.length() >= SHORTEST_ASCII
          && text.length() <= LONGEST_ASCII
          && text.chars().allMatch(c -> c < 128)) {
        for (int i = 0; i < text.length(); i++) {
          out.write(i == text.length() - 1 ? text.charAt(i) | 0x80 : text.charAt(i));
        }
        return out.toByteArray();
      }
      int length = text.length() + 1;
      int rest = length >>> 6;
      out.write((length & 0x3f) | 0x80 | (rest == 0 ? 0 : 0x40));
      while (rest != 0) {
        out.write((rest & 0x7f) | (rest >>> 7 == 0 ? 0 : 0x80));
        rest >>>= 7;
      }
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        if (c < 0x80) {
          out.write(c);
        } else if (c < 0x800) {
          out.write(0xc0 | (c >>> 6));
          out.write(0x80 | (c & 0x3f));
        } else { // Halves of surrogate pairs too, each on its own.
          out.write(0xe0 | (c >>> 12));
          out.write(0x80 | ((c >>> 6) & 0x3f));
          out.write(0x80 | (c & 0x3f));
        }
      }
      return out.toByteArray();
    }

    /** Zig-zag, seven bits a byte, lowest first; the ninth byte has eight. */
    static byte[] number(long value) {
      ByteArrayOutputStream out = new ByteArrayOutputStream(10);
      out.write(LONG);
      long rest = (value << 1) ^ (value >> 63);
      for (int i = 0; i < 8 && rest >>> 7 != 0; i++) {
        out.write((int) ((rest & 0x7f) | 0x80));
        rest >>>= 7;
      }
      out.write((int) rest);
      return out.toByteArray();
    }
  }
}
