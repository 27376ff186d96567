package io.woodbird.redis;

import io.woodbird.redis.RedisEvent.Cause;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Why a shard proves nothing.
 *
 * @param kind what to do about it
 * @param cause for people; of a missing shard, the least that is known
 * @param message for people
 */
record Trouble(Kind kind, Cause cause, String message) {
  /** What to do about it. */
  enum Kind {
    /** The server can't be asked. Nothing to do but ask again. */
    LINK,
    /** The key is gone. Why, the server may know. */
    GONE,
    /** The key holds something else. */
    FOREIGN,
    /** The data may be older than what was acknowledged: writers put their keys again. */
    DOUBT,
    /** Another token vouches for the data: ask with that one. */
    TOKEN,
    /** Another generation is asked now. */
    RETIRED
  }

  /** Judges an error in the place of a reply. */
  static Trouble of(RedisError error, String key) {
    if (error.message().contains("WRONGTYPE")) {
      return new Trouble(
          Kind.FOREIGN,
          Cause.OVERWRITTEN,
          key + " holds a value of another type: " + error.message());
    }
    return switch (error.kind()) {
      case TIMEOUT -> new Trouble(Kind.LINK, Cause.TIMEOUT, key + ": " + error.message());
      case UNREACHABLE -> new Trouble(Kind.LINK, Cause.UNREACHABLE, key + ": " + error.message());
      case REFUSED ->
          error.starts("NOSCRIPT")
              ? new Trouble(
                  Kind.DOUBT,
                  Cause.RESTARTED,
                  key
                      + " is served by another process than the one that held the filter; its data"
                      + " may be older than the puts that were acknowledged")
              : new Trouble(Kind.LINK, Cause.REFUSED, key + ": " + error.message());
    };
  }

  /**
   * Judges the header of a shard.
   *
   * @param reply what was read
   * @param token what was asked with, 0 for a plain read, which leaves the token unjudged
   * @param leastPuts what was seen before
   * @return null if it proves the shard
   */
  static @Nullable Trouble of(
      @Nullable Object reply, Live live, int shard, long token, long leastPuts) {
    String key = Command.text(live.keys[shard]);
    if (reply instanceof RedisError error) {
      return of(error, key);
    }
    if (!(reply instanceof byte[] value)) {
      return new Trouble(Kind.LINK, Cause.REFUSED, key + ": not a header: " + reply);
    }
    if (value.length == 0) {
      return new Trouble(Kind.GONE, Cause.DELETED, key + " is gone");
    }
    if (!ShardHeader.isMagic(value)) {
      boolean zeros = Arrays.equals(value, 0, Math.min(8, value.length), new byte[8], 0, 8);
      return zeros
          ? new Trouble(
              Kind.FOREIGN, Cause.REMADE, key + " was lost, and a blind write made it anew, empty")
          : new Trouble(Kind.FOREIGN, Cause.OVERWRITTEN, key + " holds a foreign value");
    }
    ShardHeader header = ShardHeader.decode(value);
    if (header.identity() != live.identities[shard]) {
      return new Trouble(
          Kind.FOREIGN,
          Cause.OVERWRITTEN,
          key + " holds a shard of another filter, or of one made anew under this name");
    }
    if (header.retired()) {
      return new Trouble(Kind.RETIRED, Cause.OTHER_PARAMETERS, key + " is retired");
    }
    if (token != 0 && header.token() != token) {
      return header.token() == 0
          ? new Trouble(Kind.DOUBT, Cause.ROLLED_BACK, key + " is in doubt: older data came back")
          : new Trouble(Kind.TOKEN, Cause.RESTARTED, key + " is vouched for by another process");
    }
    if (header.puts() < leastPuts) {
      return new Trouble(
          Kind.DOUBT,
          Cause.ROLLED_BACK,
          key + " has seen " + header.puts() + " puts, but it had seen " + leastPuts + " before");
    }
    return null;
  }
}
