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
   * A master that was replaced may not know it. It hears no more of its replicas, but INFO only tells
   * when it has read what they said last: a process that stood still reads old reports when it goes
   * on, and for a moment all seems well. So this client writes something, and asks how many replicas
   * have it. Those followed this master after the write was sent:
   *
   *   client    write ------------------- reply      at most three seconds
   *   replica             has it                     from here on, a failover takes longer than that
   *
   * What is written is what the header says already (see vouch.lua).
   */
  private static final long VALID_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** From then on a write is sent again by those that can do so before they ask. */
  private static final long YOUNG_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** After a write that replicas did not confirm in time. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Shared shared;
  private final Map<Long, Long> sent = new ConcurrentHashMap<>();
  private volatile long notBefore;

  Heard(Shared shared) {
    this.shared = shared;
    this.notBefore = shared.time.nanoTime();
  }

  /** How many replicas a master must have, or it may not be the master any more. */
  int replicas() {
    return shared.durability.replicas();
  }

  /** Whether a reply that has come in this life is that of a master. */
  boolean holds(long life) {
    return replicas() == 0 || isYounger(life, VALID_NANOS);
  }

  private boolean isYounger(long life, long nanos) {
    Long at = sent.get(life);
    return at != null && shared.time.nanoTime() - at < nanos;
  }

  /** Writes again where that was some time ago; false if replicas did not confirm it. */
  public boolean renew(GenerationView live, int shard) {
    long life = live.lives.get(shard);
    if (replicas() == 0 || isYounger(life, YOUNG_NANOS)) {
      return true;
    }
    long now = shared.time.nanoTime();
    if (now - notBefore < 0) {
      return false;
    }
    sent.values().removeIf(at -> now - at >= VALID_NANOS);
    Confirmation confirmation = new Confirmation(shared);
    Link.Replies replies =
        shared.link.run(List.of(live.vouch(shard, life, life, true)), confirmation.after());
    List<@Nullable Object> after = replies.after().get(0);
    boolean heard =
        Meta.isDone(replies.all().get(0))
            && confirmation.isEnough(after.get(0))
            && Life.of(after.get(after.size() - 1)).id() == life;
    if (heard) {
      sent.merge(life, now, Math::max);
    } else {
      notBefore = shared.time.nanoTime() + PAUSE_NANOS;
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
