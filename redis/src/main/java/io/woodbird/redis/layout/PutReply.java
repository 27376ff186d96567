package io.woodbird.redis.layout;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the BITFIELD of a put says of its shard, before the bits.
 *
 * @param identity which shard it is; 0 if the key was gone
 * @param puts how many puts it has counted, with this one
 * @param life the life of the server in which its data was last marked
 * @param link see {@link ShardHeader}
 * @param flags see {@link ShardHeader}
 */
public record PutReply(long identity, long puts, long life, long link, long flags) {
  /** How many numbers stand before those of the bits. */
  public static final int NUMBERS = 5;

  /** Reads a reply; null if it is none of a put. */
  public static @Nullable PutReply of(@Nullable Object reply) {
    return reply instanceof List<?> list
            && list.size() >= NUMBERS
            && list.get(0) instanceof Long identity
            && list.get(1) instanceof Long puts
            && list.get(2) instanceof Long life
            && list.get(3) instanceof Long link
            && list.get(4) instanceof Long flags
        ? new PutReply(identity, puts, life, link, flags)
        : null;
  }

  public boolean retired() {
    return (link & 1) != 0;
  }

  /** The generation that takes the put too, 0 if none. */
  public long other() {
    return link >>> 1;
  }
}
