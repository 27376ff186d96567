package io.woodbird.redis;

import io.woodbird.redis.RedisEvent.Cause;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The entry of one client in the record: it puts, and the master alone may hold what it has put.
 */
final class WriterEntry {
  private final Shared shared;
  private final Set<Long> entered = ConcurrentHashMap.newKeySet();

  WriterEntry(Shared shared) {
    this.shared = shared;
  }

  /** Makes known that the master alone may hold what this client puts. */
  void enterOnce(Live live) {
    if (shared.durability.level() == Durability.Level.MASTER
        && !entered.contains(live.generation.number())) {
      enter(live);
    }
  }

  /** Enters the record again, which may have forgotten this client; also one that was not in it. */
  void enterAgain(Live live, boolean always) {
    if (always || entered.contains(live.generation.number())) {
      enter(live);
    }
  }

  /**
   * Enters the record. A replica that took over without knowing of this client would not wait for
   * it; so where there is one, it must know before the first put is done.
   */
  private void enter(Live live) {
    long number = live.generation.number();
    Command entry =
        Script.WRITER.on(shared.meta.key, Command.bytes(number), Command.bytes(shared.id));
    @Nullable Command wait = null;
    if (hasReplica()) {
      long patience = Math.max(1, Math.min(1000, shared.timeout.toMillis() / 2));
      wait = Command.keyless(Command.Name.WAIT, "1", Long.toString(patience));
    }
    Link.Replies replies = shared.link.run(List.of(entry), wait);
    Object done = replies.all().get(0);
    if (done instanceof RedisError error) {
      Trouble trouble = Trouble.of(error, Command.text(shared.meta.key));
      throw new RedisFilterException(
          trouble.cause(), "filter " + shared.name + ": " + trouble.message());
    }
    if (done instanceof Long known && known == 1) {
      boolean safe =
          wait == null
              || replies.proofs().stream().anyMatch(p -> p instanceof Long count && count >= 1);
      if (!safe) {
        throw new RedisFilterException(
            Cause.NOT_DURABLE,
            "filter "
                + shared.name
                + ": no replica confirms that this client may put: after a failover nobody would"
                + " know of its puts");
      }
      entered.add(number);
    } else if (Meta.current(shared.meta.read()) == 0) {
      throw new RedisFilterException(
          Cause.DELETED,
          "filter " + shared.name + ": " + Command.text(shared.meta.key) + ", its record, is gone");
    }
  }

  private boolean hasReplica() {
    Object info =
        shared.link.at(shared.meta.key, Command.keyless(Command.Name.INFO, "replication"));
    return info instanceof byte[] text && Command.text(text).contains("state=online");
  }

  /** The generations it is in for. */
  Set<Long> entered() {
    return entered;
  }
}
