package io.woodbird.redis.proof;

import io.woodbird.redis.RedisEvent.Cause;
import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.RedisError;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a shard proves nothing.
 *
 * @param kind what to do about it
 * @param cause for people; of a missing shard, the least that is known
 * @param message for people
 */
public record Trouble(Kind kind, Cause cause, String message) {
  /** What to do about it. */
  public enum Kind {
    /** The server can't be asked. Nothing to do but ask again. */
    LINK,
    /** The key is gone. Why, the server may know. */
    GONE,
    /** The key holds something else. */
    FOREIGN,
    /** The data may be older than what was acknowledged. */
    DOUBT,
    /** It is whole in another life than the one it was asked for: ask again. */
    NEW_LIFE,
    /** It has more levels than were asked for: ask again. */
    GROWN,
    /** Its server may have been replaced: hear of its replicas, and ask again. */
    UNHEARD,
    /** Another generation is asked now. */
    RETIRED
  }

  /** The same trouble, with what is known of its cause. */
  Trouble because(Cause found, String why) {
    return new Trouble(kind, found, message + "; " + why);
  }

  public static Trouble gone(String message) {
    return new Trouble(Kind.GONE, Cause.DELETED, message);
  }

  public static Trouble foreign(String message) {
    return new Trouble(Kind.FOREIGN, Cause.OVERWRITTEN, message);
  }

  /**
   * Says why a server is no master.
   *
   * @param after what it said; the last is its reply to {@link Life#ASK}
   */
  public static Trouble noMaster(List<@Nullable Object> after, String key) {
    return !after.isEmpty() && after.get(after.size() - 1) instanceof RedisError error
        ? of(error, key)
        : new Trouble(Kind.LINK, Cause.REFUSED, key + " is on a server that is not a master");
  }

  /** The trouble as an exception. */
  public RedisFilterException failure(String what) {
    return new RedisFilterException(cause, what + ": " + message);
  }

  /** Judges an error in the place of a reply. */
  public static Trouble of(RedisError error, String key) {
    if (error.message().contains("WRONGTYPE")) {
      return foreign(key + " holds a value of another type: " + error.message());
    }
    Cause cause = Cause.valueOf(error.kind().name());
    return new Trouble(Kind.LINK, cause, key + ": " + error.message());
  }

  /**
   * Judges the header of a shard, but not whether its data is whole.
   *
   * @param reply what was read
   * @return null if it is the right shard
   */
  public static @Nullable Trouble of(@Nullable Object reply, GenerationView live, int shard) {
    String key = Command.text(live.keys[shard]);
    if (reply instanceof RedisError error) {
      return of(error, key);
    }
    if (!(reply instanceof byte[] value)) {
      return new Trouble(Kind.LINK, Cause.REFUSED, key + ": not a header: " + reply);
    }
    if (value.length == 0) {
      return gone(key + " is gone");
    }
    ShardHeader header = ShardHeader.of(value);
    if (header == null) {
      boolean zeros = Arrays.equals(value, 0, Math.min(8, value.length), new byte[8], 0, 8);
      return zeros
          ? new Trouble(
              Kind.FOREIGN, Cause.REMADE, key + " was lost, and a blind write made an empty one")
          : foreign(key + " holds a foreign value");
    }
    if (header.identity() != live.identities[shard]) {
      return foreign(key + " holds a shard of another filter, or of a new one of this name");
    }
    if (!live.mayHave(header.levels())) {
      return foreign(key + " has a damaged header");
    }
    if (header.retired()) {
      return new Trouble(Kind.RETIRED, Cause.OTHER_PARAMETERS, key + " is retired");
    }
    return null;
  }
}
