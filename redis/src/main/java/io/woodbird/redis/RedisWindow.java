package io.woodbird.redis;

import io.woodbird.MutableFilter;
import io.woodbird.file.FileWriter;
import io.woodbird.filter.window.WindowFilter;
import io.woodbird.key.KeyHasher;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.Generational;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.proof.Shared;
import io.woodbird.redis.proof.Trouble;
import io.woodbird.words.HeapWords;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** A window in Redis: puts and questions are as without one; see window.lua. */
final class RedisWindow<K> extends RedisWords<K> {
  // The parts of a shard are turned by the script of a put: spec/redis.md, "A window".

  /** The number of the newest part in a copy. */
  private static final long NEWEST = Generational.COUNT;

  RedisWindow(Shared shared, KeyHasher<K> keys) {
    super(shared, keys, null);
  }

  private static Generational layout(GenerationView live) {
    return new Generational(live.generation.layout());
  }

  /** The parts of a shard, from the newest to the oldest. */
  private static final class Parts {
    final ByteBuffer body;
    private final long now;

    /** A shard that was not read. */
    Parts() {
      this.body = ByteBuffer.allocate(0);
      this.now = 0;
    }

    /**
     * Takes a shard.
     *
     * @param body what is behind the header
     * @param clock of the server that has it
     */
    Parts(byte[] body, ShardHeader header, long clock) {
      this.body = ByteBuffer.wrap(body);
      long last = state(3 + place(0));
      this.now = clock < last ? Math.max(last, clock + header.aheadMillis()) : clock;
    }

    boolean isEmpty() {
      return !body.hasRemaining();
    }

    private long state(int index) {
      return body.getLong(body.limit() - GenerationSpec.WINDOW_STATE_BYTES + 8 * index);
    }

    /** The place in its shard of the part that is this many parts older than the newest. */
    int place(int older) {
      return Math.floorMod(state(0) - older, Generational.COUNT);
    }

    /** How long ago something was last put into it; the longest time if nothing was. */
    long age(int older) {
      long last = isEmpty() ? 0 : state(3 + place(older));
      return last == 0 ? Long.MAX_VALUE : Math.max(0, now - last);
    }
  }

  /**
   * Shards turn to a new part when something is put into them. The copy has one row of parts for
   * all: the newest of each shard are its newest, and so on; so a key may stay longer in it.
   */
  @Override
  MutableFilter<K> copy(GenerationView live, boolean read, Map<Integer, Trouble> troubles) {
    GenerationSpec generation = live.generation;
    List<Parts> shards = new ArrayList<>(Collections.nCopies(live.shards(), new Parts()));
    if (read) {
      troubles.putAll(
          loads.read(
              live,
              (shard, body, header, millis) -> shards.set(shard, new Parts(body, header, millis))));
    }
    return WindowFilter.copyOf(
        spec(generation),
        layout(live),
        generation.spanMillis() * 1_000_000,
        NEWEST,
        ages(shards, generation.spanMillis()),
        words -> {
          for (int shard = 0; shard < shards.size(); shard++) {
            long blocks = shards.get(shard).isEmpty() ? 0 : generation.blocksIn(shard);
            fill(words, shard * generation.shardBlocks(), blocks, shards.get(shard));
          }
        });
  }

  /** How long ago the part in each slot of the copy has ended, in nanoseconds; -1 if not. */
  private static List<Long> ages(List<Parts> shards, long span) {
    List<Long> ages = new ArrayList<>(Collections.nCopies(Generational.COUNT, -1L));
    for (int older = 1; older < Generational.COUNT; older++) {
      long youngest = Long.MAX_VALUE;
      for (Parts shard : shards) {
        youngest = Math.min(youngest, shard.age(older)); // Each by the clock of its own server.
      }
      if (youngest != Long.MAX_VALUE) {
        long age = Math.min(span, youngest);
        ages.set((int) (NEWEST - older) % Generational.COUNT, age * 1_000_000);
      }
    }
    return ages;
  }

  private static void fill(HeapWords words, long firstBlock, long blocks, Parts parts) {
    ByteBuffer in = parts.body.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    for (int older = 0; older < Generational.COUNT && blocks > 0; older++) {
      int slot = (int) (NEWEST - older) % Generational.COUNT;
      int from = parts.place(older) * BlockedBloom.WORDS;
      for (int block = 0; block < blocks; block++) {
        for (int word = 0; word < BlockedBloom.WORDS; word++) {
          words.set(
              (BlockedBloom.WORDS * (firstBlock + block) + word) * Generational.COUNT + slot,
              in.getLong(8 * (Generational.BLOCK_WORDS * block + from + word)));
        }
      }
    }
  }

  @Override
  public long sizeInBytes() {
    return FileWriter.sizeInBytes(
        8 * layout(shared.current()).wordCount() + Generational.STATE_BITS / 8);
  }
}
