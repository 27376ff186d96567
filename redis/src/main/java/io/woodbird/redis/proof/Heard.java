package io.woodbird.redis.proof;

import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.link.Link;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * In which lives replicas have just confirmed a write of this client, where they were asked for.
 */
public final class Heard {
  /*
   * A master that was replaced may not know it, and a process that stood still reads old reports of its
   * replicas when it goes on: docs/adr/0018, "A master may stand still". So this client writes what the
   * header says already (see vouch.lua), and asks how many replicas have it. Those followed this master
   * after the write was sent, and a failover takes longer than the write counts.
   */
  private static final long VALID_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** After that time a write is sent again by those that can do it before they ask. */
  private static final long YOUNG_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** After a write that replicas did not confirm, the next one waits for so long. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Shared shared;

  /** For each life, when the last write was sent that replicas have confirmed. */
  private final Map<Long, Moment> confirmed = new ConcurrentHashMap<>();

  /** For each life, when a write ended that they did not confirm. */
  private final Map<Long, Moment> failed = new ConcurrentHashMap<>();

  Heard(Shared shared) {
    this.shared = shared;
  }

  /** How many replicas a master must have, or it may not be the master any more. */
  int replicas() {
    return shared.durability.replicas();
  }

  /** Whether a reply that has come in this life is that of a master. */
  boolean holds(long life) {
    return replicas() == 0 || isWithin(confirmed.get(life), VALID_NANOS);
  }

  private boolean isWithin(@Nullable Moment moment, long nanos) {
    return moment != null && moment.isWithin(nanos, shared.time);
  }

  /**
   * Writes to the server of a shard, unless it has confirmed a write within the last second.
   *
   * @return false if replicas did not confirm it
   */
  public boolean renew(GenerationView live, int shard) {
    long life = live.lives.get(shard);
    if (replicas() == 0 || isWithin(confirmed.get(life), YOUNG_NANOS)) {
      return true;
    }
    if (isWithin(failed.get(life), PAUSE_NANOS)) {
      return false;
    }
    confirmed.values().removeIf(moment -> !isWithin(moment, VALID_NANOS));
    failed.values().removeIf(moment -> !isWithin(moment, PAUSE_NANOS));
    Moment begun = Moment.now(shared.time);
    Link.Replies replies =
        shared.link.run(List.of(live.vouch(shard, life, life, true)), shared.confirmation.after());
    List<@Nullable Object> after = replies.after().get(0);
    boolean heard =
        Meta.isDone(replies.all().get(0))
            && shared.confirmation.isEnough(after)
            && Life.last(after).id() == life;
    if (heard) {
      confirmed.put(life, begun);
    } else {
      failed.put(life, Moment.now(shared.time));
    }
    return heard;
  }

  /** Writes again to all servers of a generation. */
  public void renewAll(GenerationView live) {
    for (int shard = 0; shard < live.shards(); shard++) {
      boolean unused = renew(live, shard); // Where it fails, the proof fails too.
    }
  }
}
