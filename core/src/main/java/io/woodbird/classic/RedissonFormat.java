package io.woodbird.classic;

import io.woodbird.CorruptFilterException;
import java.nio.ByteBuffer;

/**
 * The bits of a filter of Redisson, as the value of a Redis key; see {@link
 * ClassicFilter#ofRedisson}. Bit 0 is the highest bit of byte 0, as {@code SETBIT} counts.
 */
final class RedissonFormat {
  private static final Scheme SCHEME = Scheme.of("redisson");

  /** The logarithm of 2^60: what has a lower probability than 2^-60 did not happen by chance. */
  private static final double NEVER = 60 * Math.log(2);

  private RedissonFormat() {}

  /** Reads a filter from a value that may lack zeros at its end. */
  static ClassicFilter read(byte[] value, long bits, int hashes) throws CorruptFilterException {
    SCHEME.checkShape(bits, hashes);
    long room = (bits + 7) / 8;
    if (value.length == 0 || value.length > room) {
      throw new CorruptFilterException(
          String.format("%s bits are from 1 to %s bytes in Redis: %s", bits, room, value.length));
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
    requireNotCut(filter, value.length, room);
    long past = filter.pastTheEnd(filter.words().get(filter.words().count() - 1));
    if (past != 0) {
      throw new CorruptFilterException(
          String.format("the last byte has bits past bit %s: not a filter of this size", bits - 1));
    }
    return filter;
  }

  /**
   * Throws if the end of the value is missing, and not because no key has a bit there. The first
   * bit alone of a key is there with a probability of the end's share of all bits. So n keys leave
   * the end clear with a probability of at most (1 - share)^n.
   */
  private static void requireNotCut(ClassicFilter filter, long bytes, long room)
      throws CorruptFilterException {
    long set = 0;
    for (long word = 0; word < filter.words().count(); word++) {
      set += Long.bitCount(filter.words().get(word));
    }
    double share = (double) (room - bytes) / room;
    double keys = (double) set / filter.hashes(); // At least so many.
    if (keys * -Math.log1p(-share) > NEVER) {
      throw new CorruptFilterException(
          String.format(
              "cut short: %s of %s bytes, and %s bits are set in them, but none behind them",
              bytes, room, set));
    }
  }

  /** Returns the value in full length, zeros at the end included. */
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
