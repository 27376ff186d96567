package io.woodbird.redis;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keeps the journal of a writer short, and notices a loss while nobody asks. */
final class Checkpoint {
  /*
   * Once a second, in the background: the puts that have ended are confirmed by a replica or a file,
   * and the journal forgets them. WAIT speaks of the writes of its own connection, so each shard is
   * counted up first: what comes back with that count has every put before it.
   */
  private static final long PAUSE_NANOS = 1_000_000_000L;

  private final Shared shared;
  private final Registration registration;
  private final Recovery recovery;
  private Time.@Nullable Task task;
  private volatile boolean closed;

  Checkpoint(Shared shared, Registration registration, Recovery recovery) {
    this.shared = shared;
    this.registration = registration;
    this.recovery = recovery;
  }

  /** Begins with the first put of a writer that is in the list. */
  synchronized void begin() {
    if (task == null && !closed && shared.listed) {
      task = shared.time.repeat("woodbird-redis-" + shared.name, PAUSE_NANOS, this::step);
    }
  }

  private long step() {
    if (closed || shared.link.closed()) {
      return -1;
    }
    try {
      GenerationView live = shared.current();
      boolean well = shared.journal.isEmpty() ? isAsKnown(live) : confirm(live);
      if (!well && !shared.refresh(live)) {
        recovery.attempt(live);
      }
    } catch (RuntimeException e) {
      // The server is away; the next step tries again.
    }
    return closed ? -1 : PAUSE_NANOS;
  }

  /** Whether every shard is whole in the life in which this client knows it to be. */
  private boolean isAsKnown(GenerationView live) {
    List<Command> some = new ArrayList<>();
    List<Integer> shards = new ArrayList<>();
    for (int shard = 0; shard < live.shards(); shard++) {
      if (shard == 0 || shared.link.cluster()) {
        some.add(live.header(shard));
        shards.add(shard);
      }
    }
    Link.Replies replies = shared.link.run(some, List.of(Life.ASK));
    for (int i = 0; i < shards.size(); i++) {
      int shard = shards.get(i);
      if (Trouble.of(
              replies.all().get(i),
              replies.after().get(i),
              live,
              shard,
              live.lives.get(shard),
              0,
              0)
          != null) {
        return false;
      }
    }
    return true;
  }

  /** Has all puts that have ended confirmed; false if a shard is not whole. */
  boolean confirm(GenerationView live) {
    long settled = shared.journal.settled();
    Confirmation.Way way = Confirmation.way(shared.link, shared.meta.key);
    List<Command> after = new ArrayList<>(Confirmation.after(way, shared.patienceMillis()));
    after.add(Life.ASK);
    List<Command> touches = new ArrayList<>();
    for (byte[] key : live.keys) {
      touches.add(PutGroup.touch(key));
    }
    Link.Replies replies = shared.link.run(touches, after);
    List<PutReply> seen = new ArrayList<>();
    boolean confirmed = true;
    boolean whole = true;
    for (int shard = 0; shard < live.shards(); shard++) {
      PutReply put = PutReply.of(replies.all().get(shard));
      if (put == null || put.identity() != live.identities[shard]) {
        if (put != null && put.identity() == 0) {
          shared.link.run(Script.SWEEP.on(live.keys[shard]));
        }
        return false;
      }
      Life life = Life.of(replies.after().get(shard).get(after.size() - 1));
      whole &=
          ShardHeader.whole(put.flags())
              && put.life() == life.id()
              && life.id() == live.lives.get(shard);
      confirmed &= Confirmation.isConfirmed(way, replies.after().get(shard));
      seen.add(put);
    }
    if (!whole || !confirmed || shared.current() != live) {
      return whole;
    }
    for (int shard = 0; shard < live.shards(); shard++) {
      live.required.set(shard, seen.get(shard).life(), seen.get(shard).puts());
    }
    shared.journal.forgetBefore(settled);
    return true;
  }

  /** Ends; leaves the list of writers if all that was put is confirmed. */
  void close() {
    synchronized (this) {
      closed = true;
      if (task != null) {
        task.stop();
      }
    }
    GenerationView live = shared.current();
    if (registration.isIn(live)
        && !shared.link.closed()
        && confirm(live)
        && shared.journal.isEmpty()) {
      registration.leave(live);
    }
  }
}
