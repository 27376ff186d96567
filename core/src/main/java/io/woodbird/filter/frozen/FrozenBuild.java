package io.woodbird.filter.frozen;

import io.woodbird.Filter;
import io.woodbird.FilterPlan;
import io.woodbird.file.FileBuilder;
import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import io.woodbird.filter.FilterSpec;
import io.woodbird.layout.FrozenSize;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;

/** Builds a frozen filter: gathers hashes, splits them into shards, and solves each shard. */
public final class FrozenBuild<K> {
  /*
   *   keys -> hashes -> HashSpill (by first bits, to disk if many)
   *        -> per shard, on all cores: sort, drop duplicates, solve, check every key
   *        -> in order: file or heap
   *
   * A shard has about four million keys, so a core needs about 200 MB for any number of keys. The
   * result depends only on the keys and the seed, not on the order of the keys or on the threads.
   * Checking every key takes about a tenth of the time.
   */

  /** What to build; see FrozenBuilder. */
  public record Order<K>(BuildSettings<K> settings, FrozenGoal goal) {}

  private final Order<K> order;
  private final BuildSettings<K> settings;

  /** Prepares a build. */
  public FrozenBuild(Order<K> order) {
    this.order = order;
    this.settings = order.settings;
  }

  /** Builds on the heap. */
  public Filter<K> onHeap(Iterator<? extends K> keys) throws IOException {
    try (HashSpill spill = gather(keys)) {
      return onHeap(spill);
    } catch (ClosedByInterruptException e) {
      throw ShardPool.cancelled();
    }
  }

  /** Builds on the heap, of keys that are already hashed. */
  Filter<K> onHeap(HashSpill spill) throws IOException {
    HeapSink sink = new HeapSink();
    Header header = solve(spill, sink);
    ShardTable table = new ShardTable(sink.table(), (int) header.parameter(0));
    FrozenShape shape = new FrozenShape(header.layout(), (int) header.parameter(1));
    return FrozenCodec.onHeap(
        FilterSpec.of(header, settings.keys()), header, shape, sink.join(), table);
  }

  /** Builds into a file and returns its header. */
  public Header toFile(Iterator<? extends K> keys, Path path) throws IOException {
    // Creates the file first, so that a folder that can't be written to fails before the keys are
    // read.
    try (FileBuilder file = new FileBuilder(path);
        HashSpill spill = gather(keys)) {
      Header header = solve(spill, file::write);
      settings.tell("writing", 0, FileWriter.sizeInBytes(header.dataBytes()));
      file.finish(header);
      return header;
    } catch (ClosedByInterruptException e) {
      throw ShardPool.cancelled();
    }
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

  private HashSpill gather(Iterator<? extends K> keys) throws IOException {
    HashSpill spill = new HashSpill(settings.spillMemory(), settings.tempDir());
    settings.gather(keys, spill);
    return spill;
  }

  private Header solve(HashSpill spill, ShardPool.Sink sink) throws IOException {
    BuildSettings.checkCancelled();
    int shardBits = settings.shardBits(FrozenSize.shardBits(spill.count()));
    ShardPlan plan = ShardPlan.of(order.goal, spill.count(), shardBits);
    ShardAssembly shards = plan.assembly();
    ShardPool pool =
        new ShardPool(shards, sink, done -> settings.tell("building", done, spill.count()));
    pool.run(settings.threads(), plan.shards(), () -> worker(spill, plan));
    Header header = plan.header(shards, settings.seed(), settings.keys().id());
    sink.write(0, shards.table());
    return header;
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
