package io.woodbird.redis.layout;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a put says of its shard, before the bits: the numbers of a BITFIELD, or the header.
 *
 * @param identity which shard it is; 0 if the key was gone
 * @param puts how many puts it has counted, with this one
 * @param life the life of the server in which its data was last marked
 * @param link see {@link ShardHeader}
 * @param flags see {@link ShardHeader}
 * @param levels how many levels the shard has
 */
public record PutReply(long identity, long puts, long life, long link, long flags, int levels) {
  private static final int NUMBERS = 5;

  /** No identity of ours: those are odd. */
  private static final long FOREIGN = 2;

  /** Where the bits begin in a reply. */
  public static int bitsAt(List<?> reply) {
    return reply.get(0) instanceof Long ? NUMBERS : 1;
  }

  /** Reads a reply; null if it is none of a put. */
  public static @Nullable PutReply of(@Nullable Object reply) {
    if (reply instanceof List<?> window
        && !window.isEmpty()
        && window.get(0) instanceof byte[] header) {
      return of(header);
    }
    return reply instanceof List<?> list
            && list.size() >= NUMBERS
            && list.get(0) instanceof Long identity
            && list.get(1) instanceof Long puts
            && list.get(2) instanceof Long life
            && list.get(3) instanceof Long link
            && list.get(4) instanceof Long flags
        ? new PutReply(identity, puts, life, link, flags, 1)
        : null;
  }

  /** Reads the header of a shard, or of what is in its place. */
  private static PutReply of(byte[] header) {
    if (header.length == 0 || !ShardHeader.isMagic(header)) {
      return new PutReply(header.length == 0 ? 0 : FOREIGN, 0, 0, 0, 0, 1);
    }
    ByteBuffer numbers = ByteBuffer.wrap(header);
    return new PutReply(
        numbers.getLong(8),
        numbers.getLong(16),
        numbers.getLong(24),
        numbers.getLong(32),
        numbers.getLong(40),
        ShardHeader.levels(numbers.getLong(56)));
  }

  /** Whether nothing was put, as the shard has more levels than the put knew of. */
  public static boolean outgrown(@Nullable Object reply) {
    return reply instanceof List<?> list && list.size() == 1;
  }

  public boolean retired() {
    return (link & 1) != 0;
  }

  /** The generation that takes the put too, 0 if none. */
  public long other() {
    return link >>> 1;
  }
}
