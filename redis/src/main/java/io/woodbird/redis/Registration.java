package io.woodbird.redis;

import io.woodbird.redis.RedisEvent.Cause;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The entry of one client in the record: it puts, and the master alone may hold what it has put.
 */
final class Registration {
  /*
   * Whoever vouches after a loss must know every writer. The list is data in Redis too, so it may be
   * lost with the rest: an entry must be confirmed by a replica or a file before the first put is
   * acknowledged. Where nobody could confirm when the filter was made, no list is kept, and after a
   * loss only a person can say that the data is whole.
   */
  private final Shared shared;
  private final Map<Long, Integer> entered = new ConcurrentHashMap<>();

  Registration(Shared shared) {
    this.shared = shared;
  }

  /** Enters the record before the first put, and again when the data was trusted since. */
  void enterOnce(GenerationView live) {
    if (shared.sourced || shared.durability.level() != Durability.Level.MASTER) {
      return;
    }
    Integer with = entered.get(live.generation.number());
    if (with == null || with < live.trusted()) {
      enter(live, false);
    }
  }

  /** Enters the record whatever the level of this client is: it knows of puts that are lost. */
  void enterAsWitness(GenerationView live) {
    enter(live, true);
  }

  private void enter(GenerationView live, boolean always) {
    long number = live.generation.number();
    int trusted = live.trusted();
    Confirmation.Way way = Confirmation.way(shared.link, shared.meta.key);
    Link.Replies replies =
        shared.link.run(
            List.of(
                Script.WRITER.on(
                    shared.meta.key,
                    Command.bytes(number),
                    Command.bytes(shared.id),
                    Command.bytes(trusted),
                    Command.bytes(always ? 1 : 0))),
            Confirmation.after(way, shared.patienceMillis()));
    Object done = replies.all().get(0);
    if (done instanceof RedisError error) {
      Trouble trouble = Trouble.of(error, Command.text(shared.meta.key));
      throw new RedisFilterException(
          trouble.cause(), "filter " + shared.name + ": " + trouble.message());
    }
    if (!(done instanceof Long how) || how == 0) {
      if (Meta.current(shared.meta.read()) == 0) {
        throw new RedisFilterException(
            Cause.DELETED,
            "filter "
                + shared.name
                + ": "
                + Command.text(shared.meta.key)
                + ", its record, is gone");
      }
      return; // The generation has ended: the put will find out.
    }
    boolean confirmed =
        !replies.after().isEmpty() && Confirmation.isConfirmed(way, replies.after().get(0));
    if (how == 1 && !always && !confirmed) {
      throw new RedisFilterException(
          Cause.NOT_DURABLE,
          "filter "
              + shared.name
              + ": neither a replica nor an append-only file confirms that this client may put:"
              + " after a failover nobody would know of its puts");
    }
    entered.put(number, trusted);
    shared.listed |= how == 1;
  }

  boolean isIn(GenerationView live) {
    return shared.listed && entered.containsKey(live.generation.number());
  }

  /** Leaves the record: all puts of this client are confirmed. */
  void leave(GenerationView live) {
    long number = live.generation.number();
    if (isIn(live)) {
      shared.link.run(
          Command.of(
              Command.Name.HDEL,
              shared.meta.key,
              Command.bytes("writer:" + number + ":" + shared.id)));
      entered.remove(number);
    }
  }
}
