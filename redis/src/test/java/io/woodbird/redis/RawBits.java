package io.woodbird.redis;

import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.bloom.BloomFilters;
import io.woodbird.key.Keys;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.proof.Shared;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;

/** Reads the bits of a filter as they are, without asking whether they can be trusted. */
final class RawBits {
  private RawBits() {}

  /** Counts the keys that lack a bit. */
  static long missing(RedisBloom<Long> filter, List<Long> keys) {
    Shared shared = filter.shared;
    GenerationView live = shared.current();
    GenerationSpec generation = live.generation;
    var heap =
        BloomFilters.empty(
            new FilterSpec<>(Keys.longs(), generation.seed(), generation.expectedKeys(), 0.5),
            generation.shape(),
            null);
    for (int shard = 0; shard < live.shards(); shard++) {
      byte[] value =
          (byte[])
              Objects.requireNonNull(
                  shared.link.run(
                      Command.getRange(
                          live.keys[shard], ShardHeader.BYTES, generation.bytesIn(shard))));
      ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
      long word = shard * generation.shardBlocks() * 8;
      while (in.hasRemaining()) {
        BloomFilters.wordsOf(heap).set(word++, in.getLong());
      }
    }
    return keys.size() - heap.candidates(keys).size();
  }
}
