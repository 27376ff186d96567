package io.woodbird.redis;

import java.nio.ByteBuffer;

/**
 * The first 64 bytes of a shard.
 *
 * @param identity which filter, generation and shard it is
 * @param puts how many puts it has taken; never falls, unless older data came back
 * @param token names the life of the server process in which the data is known to be whole; 0 if in
 *     doubt
 * @param other the generation that takes every put too, 0 if none
 * @param retired whether questions must go to another generation
 */
record ShardHeader(long identity, long puts, long token, long other, boolean retired) {
  /*
   *   0  magic "WBIRDSH1"
   *   8  i64 identity
   *  16  i64 puts
   *  24  i64 token
   *  32  i64 link: other generation * 2 + retired
   *  40  first bit: whether puts are fed to the shard's log; zeros up to byte 63; the blocks follow
   *
   * Numbers are big-endian, as BITFIELD has them. A put reads identity and link and counts itself
   * in the very command that sets its bits.
   */
  static final int BYTES = 64;

  static final int IDENTITY_BIT = 64;
  static final int PUTS_BIT = 128;
  static final int LINK_AT = 32;
  static final int LINK_BIT = 256;
  static final int FEED_BIT = 320;

  private static final long MAGIC = 0x5742_4952_4453_4831L;

  static byte[] encode(long identity, long token, long other) {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    bytes.putLong(0, MAGIC).putLong(8, identity).putLong(24, token).putLong(32, 2 * other);
    return bytes.array();
  }

  /** The link as it stands in the header. */
  static long link(long other, boolean retired) {
    return 2 * other + (retired ? 1 : 0);
  }

  static boolean isMagic(byte[] value) {
    return value.length == BYTES && ByteBuffer.wrap(value).getLong(0) == MAGIC;
  }

  /** Reads 64 bytes that begin with the magic. */
  static ShardHeader decode(byte[] value) {
    ByteBuffer bytes = ByteBuffer.wrap(value);
    long link = bytes.getLong(LINK_AT);
    return new ShardHeader(
        bytes.getLong(8), bytes.getLong(16), bytes.getLong(24), link >>> 1, (link & 1) != 0);
  }

  static byte[] bytes(long number) {
    return ByteBuffer.allocate(8).putLong(0, number).array();
  }
}
