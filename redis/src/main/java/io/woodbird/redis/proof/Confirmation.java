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

  Confirmation(Shared shared) {
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

  /*
   * A client may stand still between a write and its WAIT, and the server be demoted, lose the write,
   * and be promoted again meanwhile: then WAIT counts replicas that have something else. So a
   * confirmation counts only in a life that this client knew before it sent the write. Lives never
   * come back: the write was carried out in that life, too.
   */

  /** Runs writes, and throws if they are not confirmed as asked for. They may be done twice. */
  public List<@Nullable Object> run(List<Command> commands) {
    Link.Replies replies = send(commands);
    check(replies.after());
    return replies.all();
  }

  /** Sends writes, again if servers have confirmed them in another life; does not check them. */
  public Link.Replies send(List<Command> commands) {
    while (true) {
      long moment = shared.moment();
      Link.Replies replies = shared.link.run(commands, after());
      boolean known = true;
      for (List<@Nullable Object> one : replies.after()) {
        long life = Life.last(one).id();
        known &= life == 0 || wasDoneIn(life, moment);
      }
      if (known) {
        return replies;
      }
    }
  }

  /**
   * Whether a write was carried out in the life in which its server has confirmed it.
   *
   * @param moment before it was sent
   */
  public boolean wasDoneIn(long life, long moment) {
    return shared.durability.level() == Durability.Level.MASTER || shared.knew(life, moment);
  }

  /** Throws if a write is not confirmed as asked for. */
  public void check(List<List<@Nullable Object>> after) {
    Durability wanted = shared.durability;
    if (wanted.level() == Durability.Level.MASTER) {
      return;
    }
    List<@Nullable Object> last = null;
    for (List<@Nullable Object> one : after) {
      if (one != last && !isEnough(one)) {
        Object proof = one.get(0);
        throw notDurable(proof instanceof RedisError error ? error.message() : "" + proof);
      }
      last = one;
    }
  }

  boolean isEnough(List<@Nullable Object> after) {
    Durability wanted = shared.durability;
    Object proof = after.get(0);
    if (Life.last(after).id() == 0) {
      return false;
    }
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
