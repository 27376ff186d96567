package io.woodbird.spark;

import io.woodbird.layout.BlockedBloom;
import io.woodbird.redis.generations.ShardLoad;
import io.woodbird.redis.layout.GenerationSpec;

/** Divides the shards of a generation in Redis into parts of neighbours, one for each task. */
final class RedisParts implements HashTask.Parts {
  private static final long serialVersionUID = 1L;

  /** A task fills shards of about this many bytes together. A large filter has shards of 4 MB. */
  private static final long TASK_BYTES = 8 << 20;

  // The generation is sent as the text that stands in its record.
  private final String filter;
  private final long number;
  private final String parameters;
  private final int shards;
  private final int shardsPerPart;
  private final long blocks;
  private final long blocksPerPart;
  private final boolean pair;

  RedisParts(String filter, GenerationSpec generation) {
    this.filter = filter;
    this.number = generation.number();
    this.parameters = generation.encode();
    this.shards = generation.shards();
    this.shardsPerPart = (int) Math.max(1, TASK_BYTES / generation.bytesIn(0));
    this.blocks = generation.layout().blockCount();
    this.blocksPerPart = shardsPerPart * generation.shardBlocks();
    this.pair = generation.pair();
  }

  @Override
  public int count() {
    return (shards + shardsPerPart - 1) / shardsPerPart;
  }

  @Override
  public int of(long hash) {
    return (int) (BlockedBloom.block(hash, blocks) / blocksPerPart);
  }

  @Override
  public int place(long hash, long[] places, int at) {
    places[at] = hash;
    if (pair) {
      places[at + 1] = BlockedBloom.other(hash);
      return at + 2;
    }
    return at + 1;
  }

  /** The shards of a part, without bits. */
  ShardLoad load(int part) {
    int from = part * shardsPerPart;
    int to = Math.min(shards, from + shardsPerPart);
    return new ShardLoad(filter, GenerationSpec.decode(number, parameters), from, to);
  }

  int shards() {
    return shards;
  }
}
