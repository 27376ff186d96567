package io.woodbird.redis;

import io.woodbird.BloomFilter;
import io.woodbird.filter.BloomFilters;
import io.woodbird.filter.Setup;
import io.woodbird.key.KeyHasher;
import io.woodbird.redis.RedisEvent.Cause;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One build of a new generation, from the lease to the swap. */
final class Rebuild<K> {
  private final Shared shared;
  private final WriterEntry entry;
  private final Loads loads;
  private final KeyHasher<K> keys;
  private final RedisRebuild options;
  private final Generations generations;
  private final String id = Script.hex(new SecureRandom().nextLong());
  private long renewAt;

  Rebuild(Shared shared, WriterEntry entry, Loads loads, KeyHasher<K> keys, RedisRebuild options) {
    this.shared = shared;
    this.entry = entry;
    this.loads = loads;
    this.keys = keys;
    this.options = options;
    this.generations = new Generations(shared);
  }

  OptionalLong run(Supplier<? extends Iterator<? extends K>> source) {
    shared.refreshNow(shared.current());
    Generation old = shared.current().generation;
    Generation template =
        new Generation(
            0,
            new SecureRandom().nextLong(),
            old.expectedKeys(),
            old.fpp(),
            old.layout(),
            old.seed(),
            old.keyId(),
            old.shardBlocks(),
            old.cellBits());
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
      return build(next, dead, source) ? OptionalLong.of(number) : OptionalLong.empty();
    } catch (RuntimeException e) {
      giveUp(next);
      throw e;
    }
  }

  private boolean build(Live next, long dead, Supplier<? extends Iterator<? extends K>> source) {
    if (dead != 0) {
      clear(dead);
    }
    generations.end(true);
    // Whoever rolled back, or swapped, did so before the lease was ours.
    shared.refreshNow(shared.current());
    Live old = shared.current();
    long number = next.generation.number();
    new Opening(shared.link, shared.name, shared.meta, id)
        .makeShards(next, old.generation.number(), null);
    shared.readTokens(next);
    if (!generations.link(old, number)) {
      throw failed("the shards of the current generation can't be linked to the new one");
    }
    long count = load(next, source);
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
    if (!whole(next) || !generations.linked(next, old.generation.number())) {
      throw failed("the new generation was damaged while it was built");
    }
    if (!generations.linked(old, number)) {
      giveUp(next);
      return false;
    }
    Object swapped =
        shared.meta.eval(
            Script.SWAP,
            Long.toString(old.generation.number()),
            Long.toString(number),
            id,
            Long.toString(options.grace().toMillis()));
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
  private long load(Live next, Supplier<? extends Iterator<? extends K>> source) {
    Generation generation = next.generation;
    BloomFilter<K> heap =
        BloomFilters.empty(
            new Setup<>(keys, generation.seed(), generation.expectedKeys(), generation.fpp()),
            generation.shape(),
            null);
    Iterator<? extends K> all = source.get();
    long count = 0;
    try {
      List<K> chunk = new ArrayList<>();
      long[] hashes = new long[RedisBloom.CHUNK];
      while (all.hasNext()) {
        chunk.add(Objects.requireNonNull(all.next(), "key"));
        count++;
        if (chunk.size() == RedisBloom.CHUNK || !all.hasNext()) {
          keys.hashAll(chunk, generation.seed(), hashes);
          heap.putHashes(hashes, chunk.size());
          chunk.clear();
          if (!renewed(generation.number(), false)) {
            return -1;
          }
        }
      }
    } finally {
      close(all);
    }
    if (!renewed(generation.number(), true)) {
      return -1;
    }
    entry.enterOnce(next);
    loads.add(next, BloomFilters.wordsOf(heap));
    return count;
  }

  private static void close(Object source) {
    if (source instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception e) {
        throw new IllegalStateException("the source can't be closed", e);
      }
    }
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

  /** Whether every shard is vouched for by the process it was made in. */
  private boolean whole(Live next) {
    List<Command> commands = new ArrayList<>();
    for (int shard = 0; shard < next.shards(); shard++) {
      commands.add(next.header(shard));
    }
    List<@Nullable Object> replies = shared.link.run(commands, null).all();
    for (int shard = 0; shard < next.shards(); shard++) {
      if (Trouble.of(replies.get(shard), next, shard, next.tokens.get(shard), next.puts.get(shard))
          != null) {
        return false;
      }
    }
    return true;
  }
}
