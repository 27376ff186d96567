package io.woodbird.redis;

import io.woodbird.redis.RedisEvent.Cause;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Brings a filter without a source back from doubt. */
final class Recovery {
  /*
   * A shard whose header names another life than its server's came back from somewhere: a file, a
   * replica. It may lack puts that were acknowledged. It is whole again when everybody who may have
   * put something that is not there has put it again:
   *
   *   1  whoever notices marks the shard: new life, not whole, and what it came back with;
   *   2  each writer of the record puts the hashes of its journal again, once, and notes it in the
   *      record. A writer that has put more than its journal holds compares what the shard came back
   *      with: if that is less, puts are lost for good, and it notes nothing;
   *   3  a shard that all writers of the record have seen to is vouched for.
   *
   * Writers whose every put is confirmed by replicas or a disk are not in the record: what they put
   * came back. If one of them sees that it did not, it enters as a witness, and withdraws what others
   * have said. Otherwise only trust() ends the doubt.
   */
  private static final long PAUSE_NANOS = 100_000_000;

  private final Shared shared;
  private final Registration registration;
  private final ReentrantLock lock = new ReentrantLock();
  private long nextNanos;
  private @Nullable Writes writes;

  Recovery(Shared shared, Registration registration) {
    this.shared = shared;
    this.registration = registration;
    this.nextNanos = shared.time.nanoTime();
  }

  void setWrites(Writes writes) {
    this.writes = writes;
  }

  /** A shard as it was found, in the life that its server shows. */
  private record Found(long life, ShardHeader header) {}

  /** Tries, at most every 100 ms and in one thread at a time; true if asking again may help. */
  boolean attempt(GenerationView live) {
    if (shared.sourced || !lock.tryLock()) {
      return false;
    }
    try {
      return shared.time.nanoTime() - nextNanos >= 0 && run(live, false);
    } catch (RedisFilterException e) {
      return false;
    } finally {
      nextNanos = shared.time.nanoTime() + PAUSE_NANOS;
      lock.unlock();
    }
  }

  /** Takes a person's word that all is there. */
  boolean trust(GenerationView live) {
    lock.lock();
    try {
      return run(live, true);
    } finally {
      lock.unlock();
    }
  }

  private boolean run(GenerationView live, boolean trust) {
    Map<Integer, Found> found = marked(live);
    Map<Integer, Found> doubtful = new TreeMap<>();
    boolean well = found.size() == live.shards();
    if (trust) {
      return well && vouchAll(live, found);
    }
    boolean asksAgain = false;
    Map<Integer, Found> wholeNow = new TreeMap<>();
    for (Map.Entry<Integer, Found> entry : found.entrySet()) {
      Found one = entry.getValue();
      if (!one.header().whole()) {
        doubtful.put(entry.getKey(), one);
      } else if (live.lives.get(entry.getKey()) != one.life()) {
        wholeNow.put(entry.getKey(), one);
      }
    }
    if (!wholeNow.isEmpty()) {
      asksAgain = takeOver(live, wholeNow);
    }
    return doubtful.isEmpty() ? asksAgain || well : seeTo(live, doubtful) || asksAgain;
  }

  /** Reads all headers, and marks those of an earlier life. */
  private Map<Integer, Found> marked(GenerationView live) {
    Link.Replies replies = shared.link.run(live.headers(), List.of(Life.ASK));
    Map<Integer, Found> found = new TreeMap<>();
    List<Integer> shards = new ArrayList<>();
    List<Command> marks = new ArrayList<>();
    for (int shard = 0; shard < live.shards(); shard++) {
      Found one = found(live, shard, replies);
      if (one == null) {
        continue;
      }
      found.put(shard, one);
      if (one.header().life() != one.life()) {
        shards.add(shard);
        marks.add(live.script(Script.MARK, shard, ShardHeader.bytes(one.life())));
      }
    }
    if (marks.isEmpty()) {
      return found;
    }
    Link.Replies marked = shared.link.run(marks, List.of(Life.ASK));
    for (int i = 0; i < shards.size(); i++) {
      int shard = shards.get(i);
      Found one = found(live, shard, marked, i);
      if (one != null && one.header().life() == one.life()) {
        found.put(shard, one);
      } else {
        found.remove(shard);
      }
    }
    return found;
  }

  private static @Nullable Found found(GenerationView live, int shard, Link.Replies replies) {
    return found(live, shard, replies, shard);
  }

  private static @Nullable Found found(
      GenerationView live, int shard, Link.Replies replies, int index) {
    Object reply = replies.all().get(index);
    Trouble trouble = Trouble.of(reply, live, shard);
    Life life = Life.of(replies.after().get(index).get(0));
    boolean readable = trouble == null || trouble.kind() == Trouble.Kind.RETIRED;
    return readable && life.id() != 0
        ? new Found(life.id(), ShardHeader.decode(Shared.bytes(reply)))
        : null;
  }

  /** Takes over that others vouch for shards; true if asking again may help. */
  private boolean takeOver(GenerationView live, Map<Integer, Found> whole) {
    Map<Integer, Found> mine = new TreeMap<>(whole);
    // Where somebody has decided since, what this client remembers does not count.
    mine.values().removeIf(one -> one.header().trusted() > live.trusted());
    if (shared.hasPut && !mine.isEmpty()) {
      Map<Integer, Found> lost = lost(live, mine);
      if (!lost.isEmpty()) {
        registration.enterAsWitness(live);
        List<Command> withdrawals = new ArrayList<>();
        lost.keySet()
            .forEach(
                shard -> withdrawals.add(live.script(Script.MARK, shard, ShardHeader.bytes(0))));
        shared.link.run(withdrawals);
        whole.keySet().removeAll(lost.keySet());
        mine.keySet().removeAll(lost.keySet());
      }
      if (!putAgain(live, mine)) {
        return false;
      }
    }
    whole.forEach((shard, one) -> accept(live, shard, one.header()));
    return !whole.isEmpty();
  }

  private void accept(GenerationView live, int shard, ShardHeader header) {
    live.wholeIn(shard, header);
    live.sawTrust(header.trusted());
    live.required.whole(shard, header.life(), header.puts());
    shared.doubts.well(live.keys[shard]);
    shared.doubts.well(shared.meta.key);
    shared.diagnosis.forget();
  }

  /** The shards that came back without puts of this client which it can't put again. */
  private Map<Integer, Found> lost(GenerationView live, Map<Integer, Found> shards) {
    Map<Integer, Found> lost = new TreeMap<>();
    shards.forEach(
        (shard, one) -> {
          if (!live.required.isIn(shard, one.header())) {
            lost.put(shard, one);
            shared.doubts.note(
                Command.text(live.keys[shard]),
                new Trouble(
                    Trouble.Kind.FOREIGN,
                    Cause.ROLLED_BACK,
                    Command.text(live.keys[shard])
                        + " has lost puts of this client that it can't put again"));
          }
        });
    return lost;
  }

  /** Puts the journal again where that was not done in this life; true if all is there then. */
  private boolean putAgain(GenerationView live, Map<Integer, Found> shards) {
    boolean[] wanted = new boolean[live.shards()];
    Map<Integer, Long> lives = new HashMap<>();
    shards.forEach(
        (shard, one) -> {
          if (!live.required.isReplayedIn(shard, one.life())) {
            wanted[shard] = true;
            lives.put(shard, one.life());
          }
        });
    Writes again = writes;
    return lives.isEmpty()
        || again == null
        || again.replay(live, wanted, shared.journal.hashes(), lives);
  }

  private boolean seeTo(GenerationView live, Map<Integer, Found> doubtful) {
    Map<Integer, Found> good = new TreeMap<>(doubtful);
    boolean complete = true;
    if (shared.hasPut) {
      Map<Integer, Found> lost = lost(live, doubtful);
      good.keySet().removeAll(lost.keySet());
      if (!lost.isEmpty()) {
        registration.enterAsWitness(live);
        complete = false;
      }
      if (good.isEmpty() || !putAgain(live, good)) {
        return false;
      }
    }
    for (long life : new TreeSet<>(good.values().stream().map(Found::life).toList())) {
      complete &= vouchIfAllHave(live, good, life);
    }
    return complete;
  }

  private boolean vouchIfAllHave(GenerationView live, Map<Integer, Found> good, long life) {
    StringBuilder names = new StringBuilder(",");
    Map<Integer, Integer> trusted = new HashMap<>();
    good.forEach(
        (shard, one) -> {
          if (one.life() == life) {
            names.append(shard).append(',');
            trusted.put(shard, one.header().trusted());
          }
        });
    Object reply =
        shared.meta.eval(
            Script.REPLAYED,
            Long.toString(live.generation.number()),
            Script.hex(life),
            names.toString(),
            registration.isIn(live) ? shared.id : "");
    List<?> missing = reply instanceof List<?> list ? list : List.of(Command.bytes("unknown"));
    if (!missing.isEmpty()) {
      shared.doubts.note(
          Command.text(shared.meta.key),
          new Trouble(
              Trouble.Kind.LINK,
              Cause.RESTARTED,
              "writers that have not put their recent keys again: "
                  + missing.stream().map(id -> Command.text(Shared.bytes(id))).toList()));
      return false;
    }
    return vouch(live, good, trusted, List.of(Life.ASK)) != null;
  }

  /** Vouches, and takes over what is whole then; null if that is not all. */
  private Link.@Nullable Replies vouch(
      GenerationView live,
      Map<Integer, Found> found,
      Map<Integer, Integer> trusted,
      List<Command> after) {
    List<Integer> shards = new ArrayList<>(trusted.keySet());
    List<Command> commands = new ArrayList<>();
    for (int shard : shards) {
      Found one = found.get(shard);
      commands.add(
          live.script(
              Script.VOUCH,
              shard,
              ShardHeader.bytes(one == null ? 0 : one.life()),
              Command.bytes(trusted.getOrDefault(shard, 0))));
    }
    for (int shard : shards) {
      commands.add(live.header(shard));
    }
    Link.Replies replies = shared.link.run(commands, after);
    boolean all = true;
    for (int i = 0; i < shards.size(); i++) {
      int shard = shards.get(i);
      int at = shards.size() + i;
      Found one = found.get(shard);
      long life = one == null ? 0 : one.life();
      Trouble trouble =
          Trouble.of(replies.all().get(at), replies.after().get(at), live, shard, life, 0, 0);
      if (trouble == null || trouble.kind() == Trouble.Kind.RETIRED) {
        accept(live, shard, ShardHeader.decode(Shared.bytes(replies.all().get(at))));
      } else {
        all = false;
      }
    }
    return all ? replies : null;
  }

  private boolean vouchAll(GenerationView live, Map<Integer, Found> found) {
    int most = 0;
    for (Found one : found.values()) {
      most = Math.max(most, one.header().trusted());
    }
    Map<Integer, Integer> trusted = new HashMap<>();
    for (int shard : found.keySet()) {
      trusted.put(shard, most + 1);
    }
    // The build that goes on, and the way back, end as in any recovery.
    shared.meta.eval(
        Script.REPLAYED, Long.toString(live.generation.number()), Script.hex(0), ",", "");
    Confirmation.Way way = Confirmation.way(shared.link, shared.meta.key);
    List<Command> after = new ArrayList<>(Confirmation.after(way, shared.patienceMillis()));
    after.add(Life.ASK);
    Link.Replies replies = vouch(live, found, trusted, after);
    if (replies == null) {
      return false;
    }
    // What is confirmed here has every put that was acknowledged before: writers that saw an
    // earlier count of decisions are not needed for it, and enter again with their next put.
    boolean confirmed = true;
    for (List<@Nullable Object> one : replies.after()) {
      confirmed &= Confirmation.isConfirmed(way, one);
    }
    shared.meta.eval(
        Script.TRUSTED,
        Long.toString(live.generation.number()),
        Integer.toString(confirmed ? most + 1 : 0),
        confirmed ? "1" : "0");
    return true;
  }
}
