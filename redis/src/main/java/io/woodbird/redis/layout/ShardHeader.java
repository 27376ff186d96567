package io.woodbird.redis.layout;

import io.woodbird.redis.link.Command;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The first 64 bytes of a shard.
 *
 * @param identity which filter, generation and shard it is
 * @param puts how many puts it has counted; never falls, unless older data came back
 * @param life the life of the server in which it was made, or last vouched for
 * @param link see {@link #other} and {@link #retired}
 * @param flags see {@link #followed}, {@link #whole} and {@link #follower}
 * @param birth a random number from when it was made
 * @param growth see {@link #levels}, {@link #newestKeys} and {@link #aheadMillis}
 */
public record ShardHeader(
    long identity, long puts, long life, long link, long flags, long birth, long growth) {
  /*
   * What stands where: spec/redis.md, "A shard". A put reads all that it must know, and counts itself,
   * in the very command that sets its bits.
   */
  public static final int BYTES = 64;

  private static final long MAGIC = 0x5742_4952_4453_4831L;
  private static final long WHOLE = 1L << 62;

  /** How many numbers of the header a BITFIELD that puts shows, before the bits. */
  private static final int NUMBERS_OF_PUT = 5;

  /** That of a shard that is not there. */
  public static final ShardHeader NONE = new ShardHeader(0, 0, 0, 0, 0, 0, 0);

  /** It has no identity of ours: those are odd. */
  private static final ShardHeader FOREIGN = new ShardHeader(2, 0, 0, 0, 0, 0, 0);

  /** The header of a new shard, which nobody vouches for yet. */
  public static byte[] encode(long identity, long life, long other, long birth) {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    bytes.putLong(0, MAGIC).putLong(8, identity).putLong(24, life).putLong(32, 2 * other);
    bytes.putLong(48, birth);
    return bytes.array();
  }

  /** The command that reads a header. */
  public static Command get(String key) {
    return Command.getRange(Command.bytes(key), 0, BYTES - 1);
  }

  /** Reads 64 bytes that begin with the magic; null if it is no such reply. */
  public static @Nullable ShardHeader of(@Nullable Object reply) {
    if (!(reply instanceof byte[] value) || value.length != BYTES) {
      return null;
    }
    ByteBuffer bytes = ByteBuffer.wrap(value);
    if (bytes.getLong(0) != MAGIC) {
      return null;
    }
    return new ShardHeader(
        bytes.getLong(8),
        bytes.getLong(16),
        bytes.getLong(24),
        bytes.getLong(32),
        bytes.getLong(40),
        bytes.getLong(48),
        bytes.getLong(56));
  }

  /**
   * Reads what a put says of its shard: the first numbers, or the whole header.
   *
   * @return its identity is 0 if the shard was gone; null if it is no reply to a put
   */
  public static @Nullable ShardHeader ofPut(@Nullable Object reply) {
    if (!(reply instanceof List<?> list) || list.isEmpty()) {
      return null;
    }
    if (list.get(0) instanceof byte[] bytes) {
      ShardHeader header = of(bytes);
      return header != null ? header : bytes.length == 0 ? NONE : FOREIGN;
    }
    long[] numbers = new long[NUMBERS_OF_PUT];
    for (int i = 0; i < NUMBERS_OF_PUT; i++) {
      if (i >= list.size() || !(list.get(i) instanceof Long number)) {
        return null;
      }
      numbers[i] = number;
    }
    return new ShardHeader(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], 0, 0);
  }

  /** Where the bits begin in a reply to a put. */
  public static int bitsAt(List<?> reply) {
    return reply.get(0) instanceof Long ? NUMBERS_OF_PUT : 1;
  }

  /** The link as it stands in the header. */
  public static long link(long other, boolean retired) {
    return 2 * other + (retired ? 1 : 0);
  }

  /** The generation that takes every put too, 0 if none. */
  public long other() {
    return link >>> 1;
  }

  /** Whether questions must go to another generation. */
  public boolean retired() {
    return (link & 1) != 0;
  }

  /** Whether every acknowledged put is known to be here, in the life that it names. */
  public boolean whole() {
    return (flags & WHOLE) != 0;
  }

  /** Whether puts are to be added to the log. */
  public boolean followed() {
    return flags < 0;
  }

  /** The client that asked last for puts to be added to the log. */
  public long follower() {
    return flags & 0xffff_ffffL;
  }

  /** How many levels it has; 1 if it does not grow. */
  public int levels() {
    return (int) (growth >>> 48) + 1;
  }

  /** How many keys are in the newest level, if it grows. */
  public long newestKeys() {
    return growth & 0xffff_ffff_ffffL;
  }

  /** By how much the time of a window was ahead of the clock of its server at the last put. */
  public long aheadMillis() {
    return growth & 0xffff_ffff_ffffL;
  }

  public static byte[] bytes(long number) {
    return ByteBuffer.allocate(8).putLong(0, number).array();
  }
}
