package io.woodbird.redis.proof;

import io.woodbird.redis.Durability;
import io.woodbird.redis.RedisEvent.Cause;
import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RedisError;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which servers must confirm a write before it is called done. */
public final class Confirmation {
  private final Shared shared;

  public Confirmation(Shared shared) {
    this.shared = shared;
  }

  /**
   * What follows a write: WAIT or WAITAOF, as asked for, and the life of the server that answered.
   */
  public List<Command> after() {
    Durability wanted = shared.durability;
    long patience = wanted.patience().toMillis();
    int replicas = wanted.replicas();
    return switch (wanted.level()) {
      case MASTER -> List.of(Life.ASK);
      case REPLICAS -> List.of(Command.keyless(Command.Name.WAIT, replicas, patience), Life.ASK);
      case DISK -> List.of(Command.keyless(Command.Name.WAITAOF, 1, replicas, patience), Life.ASK);
    };
  }

  /** Runs writes, and throws if they are not confirmed as asked for. */
  public List<@Nullable Object> run(List<Command> commands) {
    Link.Replies replies = shared.link.run(commands, after());
    check(replies.after());
    return replies.all();
  }

  /** Throws if a write is not confirmed as asked for. */
  public void check(List<List<@Nullable Object>> after) {
    Durability wanted = shared.durability;
    if (wanted.level() == Durability.Level.MASTER) {
      return;
    }
    List<@Nullable Object> last = null;
    for (List<@Nullable Object> one : after) {
      if (one != last && !isEnough(one.get(0))) {
        Object proof = one.get(0);
        throw notDurable(proof instanceof RedisError error ? error.message() : "" + proof);
      }
      last = one;
    }
  }

  boolean isEnough(@Nullable Object proof) {
    Durability wanted = shared.durability;
    if (wanted.level() == Durability.Level.REPLICAS) {
      return proof instanceof Long replicas && replicas >= wanted.replicas();
    }
    return proof instanceof List<?> pair
        && pair.size() == 2
        && pair.get(0) instanceof Long local
        && local >= 1
        && pair.get(1) instanceof Long replicas
        && replicas >= wanted.replicas();
  }

  private RedisFilterException notDurable(String seen) {
    String message =
        "filter %s: %s was asked for, the server says %s"
            .formatted(shared.name, shared.durability, seen);
    shared.doubts.tell(Cause.NOT_DURABLE, message);
    return new RedisFilterException(Cause.NOT_DURABLE, message);
  }
}
