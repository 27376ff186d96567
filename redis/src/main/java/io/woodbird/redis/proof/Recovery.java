package io.woodbird.redis.proof;

import io.woodbird.redis.Durability;
import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.layout.Script;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

/** Brings a filter without a source back from doubt. */
public final class Recovery {
  // Who may vouch for what: spec/redis.md, "After a restart or a failover".

  /** One process tries ten times a second at most, however many answers are in doubt. */
  private static final long PAUSE_NANOS = 100_000_000;

  private final Shared shared;
  private final ReentrantLock lock = new ReentrantLock();
  private long nextNanos;

  public Recovery(Shared shared) {
    this.shared = shared;
    this.nextNanos = shared.time.nanoTime();
  }

  /** Tries, at most every 100 ms and in one thread at a time; true if asking again may help. */
  public boolean attempt(GenerationView live) {
    if (shared.sourced || !lock.tryLock()) {
      return false;
    }
    try {
      // A call that comes too early moves nothing: many callers would put the attempt off for ever.
      return shared.time.nanoTime() - nextNanos >= 0 && runNow(live);
    } finally {
      lock.unlock();
    }
  }

  private boolean runNow(GenerationView live) {
    try {
      return run(live);
    } catch (RedisFilterException e) {
      return false;
    } finally {
      nextNanos = shared.time.nanoTime() + PAUSE_NANOS;
    }
  }

  private boolean run(GenerationView live) {
    boolean confirmed = shared.durability.level() != Durability.Level.MASTER;
    boolean helps = false;
    Map<Integer, FoundShard> back = new TreeMap<>();
    List<FoundShard> all = FoundShard.all(shared.link, live);
    for (int shard = 0; shard < all.size(); shard++) {
      FoundShard one = all.get(shard);
      if (!one.well()) {
        if (confirmed && one.isThere() && one.header().whole()) {
          back.put(shard, one);
        }
      } else if (live.lives.get(shard) != one.life().id()) {
        accept(live, shard, one.header());
        helps = true;
      }
    }
    return back.isEmpty() ? helps : vouch(live, back, true) || helps;
  }

  /** Takes a person's word that all is there; true if all shards are vouched for then. */
  public boolean trust(GenerationView live) {
    List<FoundShard> all = FoundShard.all(shared.link, live);
    Map<Integer, FoundShard> found = new TreeMap<>();
    all.forEach(one -> found.put(found.size(), one));
    return all.stream().allMatch(FoundShard::isThere) && vouch(live, found, false);
  }

  private void accept(GenerationView live, int shard, ShardHeader header) {
    boolean unused = live.wholeIn(shard, header);
    shared.doubts.well(live.keys[shard]);
    shared.diagnosis.forget();
  }

  /** Vouches, and takes over what is whole then; true if that is all. */
  private boolean vouch(GenerationView live, Map<Integer, FoundShard> found, boolean ifWhole) {
    // Confirmed like a put: else the lease might be there again in the next life of the record.
    Command back = Script.BACK.on(shared.meta.key, live.generation.number());
    if (!Meta.isDone(shared.confirmation.run(List.of(back)).get(0))) {
      return false;
    }
    List<Command> commands = new ArrayList<>();
    ShardProof proof = new ShardProof(live, null);
    found.forEach(
        (shard, was) -> {
          commands.add(live.vouch(shard, was.header().life(), was.life().id(), ifWhole));
          commands.add(live.header(shard));
          proof.expect(shard, was.life().id(), 0);
        });
    Link.Replies replies = shared.link.run(commands, List.of(Life.ASK));
    boolean all = true;
    int at = 1;
    for (int shard : found.keySet()) {
      FoundShard now = proof.judge(shard, replies, at);
      if (now.trouble() == null) {
        accept(live, shard, now.header());
      } else {
        all = false;
      }
      at += 2;
    }
    return all;
  }
}
