package io.woodbird.redis;

import java.util.concurrent.atomic.AtomicReferenceArray;

/** What the data of each shard must have to hold what one client has put and can't put again. */
final class Required {
  /*
   * "The data of life L that has counted at least n puts has all that this client put before the
   * base of its journal." The data of a shard is a prefix of what was done to it: a replica or a
   * file may be late, but has no gaps. So when a shard comes out of L with fewer puts, or out of
   * another life, puts are lost that this client can't put again.
   *
   * After a replay the data of the new life has them too, from a count on. That is noted beside the
   * first, which holds until the shard is whole: before that nobody notes what it came back with. What
   * was put while the shard was in doubt, and is kept by nobody, must be there besides.
   */
  private record Least(long life, long puts) {
    /** Whether a shard, marked in the life of its server, has it. */
    boolean isIn(ShardHeader header) {
      return (header.life() == life && header.puts() >= puts)
          || (header.fromLife() == life && header.fromPuts() >= puts);
    }
  }

  private final AtomicReferenceArray<Least> least;
  private final AtomicReferenceArray<Least> replayed;
  private final AtomicReferenceArray<Least> besides;

  Required(int shards) {
    least = new AtomicReferenceArray<>(shards);
    replayed = new AtomicReferenceArray<>(shards);
    besides = new AtomicReferenceArray<>(shards);
  }

  /** From here on the data of a shard must have so many puts. */
  void set(int shard, long life, long puts) {
    least.set(shard, new Least(life, puts));
    replayed.set(shard, null);
  }

  /** What was put while a shard was in doubt must be there too. */
  void setBesides(int shard, long life, long puts) {
    besides.set(shard, new Least(life, puts));
  }

  /** Notes that all kept hashes were put again in a life, and the count after that. */
  void replayed(int shard, long life, long puts) {
    replayed.set(shard, new Least(life, puts));
  }

  boolean isReplayedIn(int shard, long life) {
    Least again = replayed.get(shard);
    return again != null && again.life() == life;
  }

  /** Whether a shard came back with all that is asked of it. */
  boolean isIn(int shard, ShardHeader header) {
    Least first = least.get(shard);
    Least again = replayed.get(shard);
    Least inDoubt = besides.get(shard);
    return (first == null || first.isIn(header) || (again != null && again.isIn(header)))
        && (inDoubt == null || inDoubt.isIn(header));
  }

  /** Notes that a shard is whole in a life. */
  void whole(int shard, long life, long puts) {
    if (least.get(shard) != null || besides.get(shard) != null) {
      least.set(shard, new Least(life, puts));
      besides.set(shard, null);
    }
  }
}
