package io.woodbird.classic;

import io.woodbird.CorruptFilterException;
import java.nio.ByteBuffer;

/**
 * The value of the Redis key in which a Redisson filter keeps its bits. Bit 0 is the highest bit of
 * byte 0, as {@code SETBIT} counts.
 *
 * <p>Size and number of hashes are in another Redis key, the hash {@code {name}:config}, in its
 * fields {@code size} and {@code hashIterations}. A key of the filter is the bytes that Redisson's
 * codec makes. With {@code StringCodec} they are the UTF-8 form of a text. The default codec adds
 * other bytes before and in between.
 */
final class RedissonFormat {
  private static final Scheme SCHEME = Scheme.of("redisson");

  private RedissonFormat() {}

  /**
   * Reads a filter. Redis stores no zeros past the highest bit that was ever set, so the value may
   * be short. A value that lost its end can't be detected here.
   *
   * @param value the value of the Redis key
   * @param bits the field {@code size}
   * @param hashes the field {@code hashIterations}
   * @return the filter
   * @throws CorruptFilterException if the value is empty (as Redis answers for an evicted key, and
   *     then nothing is known of any key), longer than {@code bits}, or has a bit set past them
   * @throws IllegalArgumentException if Redisson can't have a filter of this size
   */
  static ClassicFilter read(byte[] value, long bits, int hashes) throws CorruptFilterException {
    SCHEME.checkShape(bits, hashes);
    long room = (bits + 7) / 8;
    if (value.length == 0 || value.length > room) {
      throw new CorruptFilterException(
          String.format("%d bits are from 1 to %d bytes in Redis: %d", bits, room, value.length));
    }
    ClassicFilter filter = SCHEME.filterOf(bits, hashes);
    ByteBuffer in = ByteBuffer.wrap(value);
    long word = 0;
    while (in.remaining() >= 8) {
      filter.words().set(word++, Long.reverse(in.getLong()));
    }
    for (int shift = 0; in.hasRemaining(); shift += 8) {
      int eight = Integer.reverse(in.get()) >>> 24;
      filter.words().set(word, filter.words().get(word) | (long) eight << shift);
    }
    long past = filter.pastTheEnd(filter.words().get(filter.words().count() - 1));
    if (past != 0) {
      throw new CorruptFilterException(
          String.format("the last byte has bits past bit %d: not a filter of this size", bits - 1));
    }
    return filter;
  }

  /**
   * Returns the bits of a filter as Redisson keeps them, for {@code SET} or {@code BITOP OR}.
   *
   * @param filter a filter of the scheme {@code redisson}
   * @return the value of the Redis key in full length, zeros at the end included
   * @throws IllegalArgumentException if the filter has another scheme
   */
  static byte[] write(ClassicFilter filter) {
    if (filter.scheme() != SCHEME) {
      throw new IllegalArgumentException("scheme must be redisson: " + filter.scheme());
    }
    byte[] value = new byte[(int) ((filter.bits() + 7) / 8)]; // At most 2^29.
    ByteBuffer out = ByteBuffer.wrap(value);
    long word = 0;
    while (out.remaining() >= 8) {
      out.putLong(Long.reverse(filter.words().get(word++)));
    }
    for (int shift = 0; out.hasRemaining(); shift += 8) {
      int eight = (int) (filter.words().get(word) >>> shift);
      out.put((byte) (Integer.reverse(eight) >>> 24));
    }
    return value;
  }
}
