package io.woodbird.redis;

import io.woodbird.BloomFilter;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.bloom.BloomFilters;
import io.woodbird.key.KeyHasher;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.BlockedBloomSize;
import io.woodbird.redis.RedisEvent.Cause;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** One build of a new generation, from the lease to the swap. */
final class Rebuild<K> {
  private static final long WAIT_NANOS = 200_000_000L;

  private final Shared shared;
  private final WriterEntry entry;
  private final Loads loads;
  private final KeyHasher<K> keys;
  private final RedisRebuild options;
  private final Generations generations;
  private final String id = Script.hex(new SecureRandom().nextLong());
  private volatile long renewAt;

  Rebuild(Shared shared, WriterEntry entry, Loads loads, KeyHasher<K> keys, RedisRebuild options) {
    this.shared = shared;
    this.entry = entry;
    this.loads = loads;
    this.keys = keys;
    this.options = options;
    this.generations = new Generations(shared);
  }

  /** The old generation is damaged, so it was removed: the filter must be opened anew. */
  static final class RemovedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    RemovedException(String message) {
      super(message);
    }
  }

  OptionalLong run(Filling<K> filling) throws Exception {
    shared.refreshNow(shared.current());
    Generation template = template(shared.current().generation, filling);
    Object lease =
        shared.meta.eval(
            Script.LEASE, id, Long.toString(options.lease().toMillis()), template.encode());
    if (!(lease instanceof List<?> numbers)
        || !(numbers.get(0) instanceof Long number)
        || !(numbers.get(1) instanceof Long dead)) {
      return OptionalLong.empty();
    }
    renewAt = System.nanoTime() + options.lease().toNanos() / 3;
    Live next = new Live(shared.name, Generation.decode(number, template.encode()));
    try {
      return build(next, dead, filling) ? OptionalLong.of(number) : OptionalLong.empty();
    } catch (RemovedException e) {
      throw e;
    } catch (Exception | Error e) {
      giveUp(next);
      throw e;
    }
  }

  private static Generation template(Generation old, Filling<?> filling) {
    long capacity = filling.capacity(old);
    double fpp = filling.fpp(old);
    boolean same = capacity == old.expectedKeys() && fpp == old.fpp();
    BlockedBloom layout = same ? old.layout() : BlockedBloomSize.forFpp(capacity, fpp);
    return new Generation(
        0,
        new SecureRandom().nextLong(),
        capacity,
        fpp,
        layout,
        old.seed(),
        old.keyId(),
        same ? old.shardBlocks() : Generation.shardBlocksFor(layout.blockCount(), old.cellBits()),
        old.cellBits(),
        false);
  }

  private boolean build(Live next, long dead, Filling<K> filling) throws Exception {
    long begun = System.nanoTime();
    if (dead != 0) {
      clear(dead);
    }
    generations.end(true);
    // Whoever rolled back, or swapped, did so before the lease was ours.
    shared.refreshNow(shared.current());
    Live old = shared.current();
    long number = next.generation.number();
    if (filling.sourced()) {
      // The number is new, so what has that name is left of a lost filter, or of a put that came
      // late.
      generations.remove(next);
    }
    new Opening(shared.link, shared.name, shared.meta, id, filling.sourced())
        .makeShards(next, old.generation.number(), null);
    shared.readTokens(next);
    if (!generations.link(old, number)) {
      String why = "the shards of the current generation can't be linked to the new one";
      if (filling.sourced() && renewed(number, true)) {
        removeAll(next);
        throw new RemovedException(why);
      }
      throw failed(why);
    }
    if (!quiet(old) && !settled(number, filling)) {
      giveUp(next);
      return false;
    }
    long count = load(next, filling);
    if (count < 0) {
      giveUp(next);
      return false;
    }
    if (count < options.leastKeys()) {
      throw failed(
          "the source gave "
              + count
              + " keys, fewer than the "
              + options.leastKeys()
              + " asked for");
    }
    if (!loads.proven(next) || !generations.linked(next, old.generation.number())) {
      throw failed("the new generation was damaged while it was built");
    }
    if (!generations.linked(old, number)) {
      giveUp(next);
      return false;
    }
    filling.alive();
    Object swapped =
        shared.meta.eval(
            Script.SWAP,
            Long.toString(old.generation.number()),
            Long.toString(number),
            id,
            Long.toString(options.grace().toMillis()),
            count + " " + (System.nanoTime() - begun) / 1_000_000);
    if (!(swapped instanceof Long one) || one != 1) {
      giveUp(next);
      return false;
    }
    generations.relink(old, ShardHeader.link(number, false), ShardHeader.link(number, true));
    shared.meta.run(
        Command.of(
            Command.Name.SET,
            shared.meta.markKey,
            Command.bytes(Script.hex(next.generation.birth()))));
    shared.refreshNow(old);
    return true;
  }

  /** Removes the filter; whoever makes it anew removes what is left of it first. */
  private void removeAll(Live next) {
    generations.remove(next);
    shared.meta.run(Command.of(Command.Name.UNLINK, shared.meta.markKey));
    shared.meta.run(Command.of(Command.Name.UNLINK, shared.meta.key));
  }

  /**
   * Whether nothing was put since the build of a generation began, so that nobody's row can be
   * missing in the source. Its shards have then counted one load each, and nothing else.
   */
  private boolean quiet(Live old) {
    if (!old.built || !loads.proven(old)) {
      return false;
    }
    List<Command> commands = new ArrayList<>();
    for (int shard = 0; shard < old.shards(); shard++) {
      commands.add(old.plainHeader(shard));
    }
    for (Object reply : shared.link.run(commands, null).all()) {
      boolean one =
          reply instanceof byte[] value
              && ShardHeader.isMagic(value)
              && ShardHeader.decode(value).puts() == 1;
      if (!one) {
        return false;
      }
    }
    return true;
  }

  /** Waits until all that was put before the generations were linked is visible in the source. */
  private boolean settled(long number, Filling<K> filling) throws InterruptedException {
    long end = System.nanoTime() + filling.settle().toNanos();
    while (true) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        return true;
      }
      TimeUnit.NANOSECONDS.sleep(Math.min(left, WAIT_NANOS));
      filling.alive();
      if (!renewed(number, false)) {
        return false;
      }
    }
  }

  private RedisFilterException failed(String why) {
    return new RedisFilterException(
        Cause.REFUSED, "filter " + shared.name + ": the rebuild is given up: " + why);
  }

  /** Removes a build whose builder has died. */
  private void clear(long dead) {
    Map<String, String> fields = shared.meta.read();
    if (fields.containsKey("gen:" + dead)) {
      Live shards = new Live(shared.name, shared.meta.generation(fields, dead));
      generations.relink(shared.current(), ShardHeader.link(dead, false), 0);
      shared.meta.eval(Script.DROP, Long.toString(dead), id);
      generations.remove(shards);
    }
  }

  private void giveUp(Live next) {
    try {
      long number = next.generation.number();
      Map<String, String> fields = shared.meta.read();
      if (Meta.current(fields) == number || Long.toString(number).equals(fields.get("previous"))) {
        return; // It was swapped in, and only what came after failed.
      }
      generations.relink(shared.current(), ShardHeader.link(number, false), 0);
      shared.meta.eval(Script.DROP, Long.toString(number), id);
      generations.remove(next);
    } catch (RedisFilterException e) {
      shared.doubts.tell(
          e.reason(),
          "generation " + next.generation.number() + " is left over: " + e.getMessage());
    }
  }

  /** Loads the source; returns how many keys it gave, or -1 if the lease was lost. */
  private long load(Live next, Filling<K> filling) throws Exception {
    Generation generation = next.generation;
    long number = generation.number();
    BloomFilter<K> heap =
        BloomFilters.empty(
            new FilterSpec<>(keys, generation.seed(), generation.expectedKeys(), generation.fpp()),
            generation.shape(),
            null);
    Thread keeper = filling.sourced() ? keeper(number) : null;
    long count;
    try {
      count = filling.fill(number, heap, () -> keeper != null || renewed(number, false));
    } finally {
      if (keeper != null) {
        keeper.interrupt();
        keeper.join();
      }
    }
    if (count < 0 || !renewed(number, true)) {
      return -1;
    }
    entry.enterOnce(next);
    loads.add(next, BloomFilters.wordsOf(heap));
    return count;
  }

  /** A thread that prolongs the lease; that it was kept is seen when the source has been read. */
  private Thread keeper(long number) {
    Thread thread =
        new Thread(
            () -> {
              boolean kept = true;
              while (kept) {
                try {
                  Thread.sleep(options.lease().toMillis() / 3);
                  kept = renewed(number, true);
                } catch (InterruptedException e) {
                  return; // The source has been read.
                } catch (RedisFilterException e) {
                  kept = true; // No connection for now: perhaps it comes back in time.
                }
              }
            },
            "woodbird-lease-" + shared.name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private boolean renewed(long number, boolean now) {
    if (!now && System.nanoTime() - renewAt < 0) {
      return true;
    }
    renewAt = System.nanoTime() + options.lease().toNanos() / 3;
    Object kept =
        shared.meta.eval(
            Script.RENEW, id, Long.toString(number), Long.toString(options.lease().toMillis()));
    return kept instanceof Long one && one == 1;
  }
}
