package io.woodbird.redis.layout;

import java.nio.ByteBuffer;

/**
 * The first 64 bytes of a shard.
 *
 * @param identity which filter, generation and shard it is
 * @param puts how many puts it has counted; never falls, unless older data came back
 * @param life the life of the server in which it was made, or last vouched for
 * @param other the generation that takes every put too, 0 if none
 * @param retired whether questions must go to another generation
 * @param whole whether every acknowledged put is known to be here, in that life
 * @param followed whether puts are to be added to the log
 * @param birth a random number from when it was made
 * @param levels how many levels it has; 1 if it does not grow
 * @param newestKeys how many keys are in the newest level, if it grows
 */
public record ShardHeader(
    long identity,
    long puts,
    long life,
    long other,
    boolean retired,
    boolean whole,
    boolean followed,
    long birth,
    int levels,
    long newestKeys) {
  /*
   *   0  magic "WBIRDSH1"
   *   8  i64 identity
   *  16  i64 puts
   *  24  i64 life
   *  32  i64 link: other generation * 2 + retired
   *  40  i64 flags: highest bit: puts are to be added to the log; next: whole; lowest 32: token of
   *      the reader of the log that came last
   *  48  i64 birth: tells a shard from one that was made in its place
   *  56  in a filter that grows: u16 levels beyond the first, u48 keys in the newest; else zeros
   *  64  blocks
   *
   * Numbers are big-endian, as BITFIELD has them. A put reads all that it must know, and counts
   * itself, in the very command that sets its bits. The header of a file (FileHeader) looks alike,
   * as both are a list of fields and constants, but is another format.
   */
  public static final int BYTES = 64;

  public static final int IDENTITY_BIT = 64;
  public static final int PUTS_BIT = 128;
  public static final int LIFE_BIT = 192;
  public static final int LINK_BIT = 256;
  public static final int FLAGS_BIT = 320;

  private static final long MAGIC = 0x5742_4952_4453_4831L;
  private static final long WHOLE = 1L << 62;

  /** The header of a new shard, which nobody vouches for yet. */
  public static byte[] encode(long identity, long life, long other, long birth) {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    bytes.putLong(0, MAGIC).putLong(8, identity).putLong(24, life).putLong(32, 2 * other);
    bytes.putLong(48, birth);
    return bytes.array();
  }

  /** The link as it stands in the header. */
  public static long link(long other, boolean retired) {
    return 2 * other + (retired ? 1 : 0);
  }

  public static boolean followed(long flags) {
    return flags < 0;
  }

  /** Who asked last for puts to be added to the log. */
  public static long follower(long flags) {
    return flags & 0xffff_ffffL;
  }

  public static boolean whole(long flags) {
    return (flags & WHOLE) != 0;
  }

  /** How many levels there are, from the last eight bytes of a header. */
  static int levels(long growth) {
    return (int) (growth >>> 48) + 1;
  }

  public static boolean isMagic(byte[] value) {
    return value.length == BYTES && ByteBuffer.wrap(value).getLong(0) == MAGIC;
  }

  /** Reads 64 bytes that begin with the magic. */
  public static ShardHeader decode(byte[] value) {
    ByteBuffer bytes = ByteBuffer.wrap(value);
    long link = bytes.getLong(32);
    long flags = bytes.getLong(40);
    return new ShardHeader(
        bytes.getLong(8),
        bytes.getLong(16),
        bytes.getLong(24),
        link >>> 1,
        (link & 1) != 0,
        whole(flags),
        followed(flags),
        bytes.getLong(48),
        levels(bytes.getLong(56)),
        bytes.getLong(56) & 0xffff_ffff_ffffL);
  }

  public static byte[] bytes(long number) {
    return ByteBuffer.allocate(8).putLong(0, number).array();
  }
}
