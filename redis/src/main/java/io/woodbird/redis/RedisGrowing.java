package io.woodbird.redis;

import io.woodbird.FilterStats;
import io.woodbird.MutableFilter;
import io.woodbird.file.FileWriter;
import io.woodbird.filter.window.WindowFilter;
import io.woodbird.key.KeyHasher;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.BlockedBloomSize;
import io.woodbird.layout.Generational;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.proof.FoundShard;
import io.woodbird.redis.proof.Shared;
import io.woodbird.redis.proof.Trouble;
import io.woodbird.time.TimeSpan;
import io.woodbird.words.HeapWords;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A filter in Redis that grows with its keys; grow.lua is its put. */
final class RedisGrowing<K> extends RedisWords<K> {
  /*
   * Each shard grows by itself, in the script of a put: spec/redis.md, "A filter that grows".
   *
   * A window in a file is eight filters of the same size, and a key is here if one of them has it.
   * A level becomes one of the eight by repeating each of its blocks. Block b of n becomes the
   * blocks 4 b to 4 b + 3 of 4 n, where the same hash looks: so the copy denies what the level
   * denies.
   */
  private static final long NEWEST = Generational.COUNT;

  RedisGrowing(Shared shared, KeyHasher<K> keys) {
    super(shared, keys, null);
  }

  /** A window as large as the largest of its levels. */
  private static Generational layout(GenerationSpec generation, int levels) {
    return new Generational(generation.level(levels - 1));
  }

  @Override
  MutableFilter<K> copy(GenerationView live, boolean read, Map<Integer, Trouble> troubles) {
    Map<Integer, ByteBuffer> shards = new HashMap<>();
    if (read) {
      troubles.putAll(
          loads.read(
              live,
              (shard, body, header, millis) ->
                  shards.put(shard, ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN))));
    }
    // Once: other threads may learn of more levels meanwhile, and then the parts would not fit.
    int levels = live.levels();
    List<Long> ages = new ArrayList<>(Collections.nCopies(Generational.COUNT, -1L));
    for (int level = 0; level < levels - 1; level++) {
      ages.set(slot(levels, level), 0L);
    }
    return WindowFilter.copyOf(
        spec(live.generation),
        layout(live.generation, levels),
        TimeSpan.LONGEST.toNanos(),
        NEWEST,
        ages,
        words ->
            shards.forEach((shard, body) -> fill(words, live.generation, levels, shard, body)));
  }

  /** The part of the window that a level becomes; the newest level becomes the newest part. */
  private static int slot(int levels, int level) {
    return (int) (NEWEST - (levels - 1 - level)) % Generational.COUNT;
  }

  private static void fill(
      HeapWords words, GenerationSpec generation, int levels, int shard, ByteBuffer body) {
    int newest = levels - 1;
    int at = 0;
    for (int level = 0; at < body.limit(); level++) {
      long times = generation.levelBlocks(newest) / generation.levelBlocks(level);
      int slot = slot(levels, level);
      for (long block = 0; block < generation.levelBlocks(level); block++) {
        long first = shard * generation.levelBlocks(newest) + block * times;
        for (int word = 0; word < BlockedBloom.WORDS; word++, at += 8) {
          for (long copy = first; copy < first + times; copy++) {
            words.set(
                (BlockedBloom.WORDS * copy + word) * Generational.COUNT + slot, body.getLong(at));
          }
        }
      }
    }
  }

  /** The number of keys in each level, over all shards, as the headers say. */
  private long[] keysOfLevels(GenerationView live) {
    long[] keys = new long[GenerationSpec.MOST_LEVELS];
    List<FoundShard> all = FoundShard.all(shared.link, live);
    for (int shard = 0; shard < live.shards(); shard++) {
      Trouble trouble = all.get(shard).trouble();
      if (trouble != null) {
        shared.doubts.note(Command.text(live.keys[shard]), trouble);
        continue;
      }
      ShardHeader header = all.get(shard).header();
      live.sawLevels(header.levels());
      for (int level = 0; level < header.levels() - 1; level++) {
        keys[level] += live.generation.levelKeys(level);
      }
      keys[header.levels() - 1] += header.newestKeys();
    }
    return keys;
  }

  /** A key counts once: the header counts only keys that were new when they were put. */
  @Override
  FilterStats look(GenerationView live, boolean read) {
    GenerationSpec generation = live.generation;
    long[] keys = read ? keysOfLevels(live) : new long[GenerationSpec.MOST_LEVELS];
    long all = 0;
    long bits = 0;
    double set = 0;
    double passes = 1;
    for (int level = 0; level < live.levels(); level++) {
      BlockedBloom layout = generation.level(level);
      all += keys[level];
      bits += layout.bitCount();
      set += BlockedBloomSize.fill(layout, keys[level]) * layout.bitCount();
      passes *= 1 - BlockedBloomSize.fpp(layout, keys[level]);
    }
    return new FilterStats(
        "growing, " + live.levels() + " levels, " + generation.shape().describe(),
        bits,
        generation.expectedKeys(),
        all,
        set / bits,
        generation.fpp(),
        1 - passes,
        List.of());
  }

  @Override
  public long sizeInBytes() {
    GenerationView live = shared.current();
    long[] unused = keysOfLevels(live); // Others may have let it grow.
    Generational layout = layout(live.generation, live.levels());
    return FileWriter.sizeInBytes(8 * layout.wordCount() + Generational.STATE_BITS / 8);
  }
}
