package io.woodbird.filter.frozen;

import io.woodbird.Filter;
import io.woodbird.FilterPlan;
import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import io.woodbird.layout.FrozenSize;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;

/** Builds a frozen filter: gathers hashes, splits them into shards, and solves each shard. */
public record FrozenBuild<K>(BuildSettings<K> settings, FrozenGoal goal) {
  /*
   *   keys -> hashes -> HashSpill (by first bits, to disk if many)
   *        -> per shard, on all cores: sort, drop duplicates, solve, check every key
   *        -> in order: file or heap
   *
   * A shard has about four million keys, so a core needs about 200 MB for any number of keys. The
   * result depends only on the keys and the seed, not on the order of the keys or on the threads.
   * Checking every key takes about a tenth of the time.
   */

  public Filter<K> onHeap(Iterator<? extends K> keys) throws IOException {
    return settings.onHeap(sink -> solve(keys, sink));
  }

  /** Builds on the heap, of keys that are already hashed. */
  Filter<K> onHeap(HashSpill spill) throws IOException {
    return settings.onHeap(sink -> solve(spill, sink));
  }

  /** Builds into a file and returns its header. */
  public Header toFile(Iterator<? extends K> keys, Path path) throws IOException {
    return settings.toFile(path, sink -> solve(keys, sink));
  }

  /** Says what a file with this header is. */
  public static FilterPlan built(Header header) {
    return new FilterPlan(
        switch (header.layout()) {
          case FUSE -> "fuse";
          case RIBBON_MAP -> "map";
          case EXACT -> "exact";
          default -> "ribbon";
        },
        header.keyCount(),
        header.promisedFpp(),
        header.dataBytes() * 8,
        FileWriter.sizeInBytes(header.dataBytes()));
  }

  private Header solve(Iterator<? extends K> keys, ShardPool.Sink sink) throws IOException {
    try (HashSpill spill = settings.gather(keys, 1)) {
      return solve(spill, sink);
    }
  }

  private Header solve(HashSpill spill, ShardPool.Sink sink) throws IOException {
    BuildSettings.checkCancelled();
    int shardBits = settings.shardBits(FrozenSize.shardBits(spill.count()));
    ShardPlan plan = ShardPlan.of(goal, spill.count(), shardBits);
    ShardAssembly shards = plan.assembly();
    settings.solve(shards, plan.shards(), spill.count(), sink, () -> worker(spill, plan));
    return plan.header(shards, settings.seed(), settings.keys().id());
  }

  private ShardPool.Worker worker(HashSpill spill, ShardPlan plan) {
    ShardPlan.Worker worker = plan.new Worker(settings.verify());
    ShardHashes hashes = new ShardHashes(spill, plan.shardBits());
    return shard -> {
      hashes.read(shard);
      ShardSolver.Shard solved = worker.solve(hashes);
      return new ShardPool.Solved(List.of(solved), solved.fpp(), hashes.raw());
    };
  }
}
