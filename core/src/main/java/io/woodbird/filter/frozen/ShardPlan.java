package io.woodbird.filter.frozen;

import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import io.woodbird.file.LayoutId;
import io.woodbird.layout.FrozenSize;
import io.woodbird.words.HeapWords;
import java.util.List;

/**
 * How the shards of one frozen filter are built. It follows from the goal and the number of keys
 * alone, so every machine that builds shards of a filter comes to the same plan.
 *
 * @param shardBits how many leading bits of a hash choose its shard
 * @param shardWords the words of a shard, Long.MAX_VALUE if there is no limit
 */
public record ShardPlan(FrozenGoal goal, int shardBits, int width, long shardWords) {
  static final int MAX_SHARD_BITS = 20;

  /*
   * Shards get equal shares, because hashes are spread evenly and duplicates must not get a share.
   * Only the number of keys with duplicates is known here; without them each key gets more room.
   */

  /** Plans a filter of {@code count} keys, duplicates included. Throws if they do not fit. */
  public static ShardPlan of(FrozenGoal goal, long count) {
    return of(goal, count, Math.min(MAX_SHARD_BITS, FrozenSize.shardBits(count)));
  }

  /** Plans a filter with {@code 2^shardBits} shards. */
  static ShardPlan of(FrozenGoal goal, long count, int shardBits) {
    if (goal.maxBytes() == 0 && goal.bitsPerKey() == 0) {
      return new ShardPlan(goal, shardBits, FrozenSize.width(goal.fpp()), Long.MAX_VALUE);
    }
    long table = (long) ShardTable.ENTRY_WORDS << shardBits;
    long words =
        goal.maxBytes() > 0
            ? FileWriter.dataWords(goal.maxBytes()) - table
            : (long) Math.ceil(goal.bitsPerKey() * count / 64);
    int width = goal.fuse() ? FrozenSize.fuseWidth(count, shardBits, words) : FrozenShape.MAX_WIDTH;
    if (goal.bitsPerKey() >= FrozenSize.LEAST_FUSE_BITS || count == 0) {
      width = Math.max(1, width); // Rounded up: few keys need more slots per key.
    }
    double least = goal.fuse() ? FrozenSize.LEAST_FUSE_BITS : FrozenSize.LEAST_RIBBON_BITS;
    if (words < 0 || width < 1 || (count > 0 && words * 64.0 / count < least)) {
      throw goal.tooSmall(count, words);
    }
    return new ShardPlan(goal, shardBits, width, words >> shardBits);
  }

  private LayoutId layout() {
    return goal.fuse() ? LayoutId.FUSE : LayoutId.RIBBON;
  }

  public int shards() {
    return 1 << shardBits;
  }

  /** Begins to put the shards together. */
  public ShardAssembly assembly() {
    return new ShardAssembly(shardBits, 1);
  }

  /**
   * Returns the header of a filter with these shards. Throws if they take more than the goal's
   * bytes.
   */
  public Header header(ShardAssembly shards, long seed, String keyId) {
    Header header =
        shards.header(
            layout(),
            seed,
            keyId,
            shards.fpp(Math.pow(2, -width)),
            List.of((long) shardBits, (long) width));
    long maxBytes = goal.maxBytes();
    if (maxBytes > 0 && FileWriter.sizeInBytes(header.dataBytes()) > maxBytes) {
      // Only if a hasher spreads keys badly over the shards; the hashers of Keys do not.
      long table = (long) ShardTable.ENTRY_WORDS << shardBits;
      throw goal.tooSmall(header.keyCount(), FileWriter.dataWords(maxBytes) - table);
    }
    return header;
  }

  /** Returns the words that a shard with {@code shardKeys} distinct keys may take. */
  private long share(int shardKeys) {
    return goal.bitsPerKey() > 0
        ? (long) Math.ceil(goal.bitsPerKey() * shardKeys / 64)
        : shardWords;
  }

  /** Solves shards, one after another. For one thread; takes about 200 MB. */
  public final class Worker {
    private final boolean verify;
    private final ShardSolver solver;

    /** Prepares to solve shards, and to ask for every key afterwards if {@code verify}. */
    public Worker(boolean verify) {
      this.verify = verify;
      this.solver =
          goal.fuse() ? new FuseSolver(width, shardBits) : new RibbonSolver(goal.fpp(), shardBits);
    }

    /** Solves the shard that was read last. */
    public ShardSolver.Shard solve(ShardHashes hashes) {
      int count = hashes.count();
      ShardSolver.Shard solved = solver.solve(hashes.hashes(), count, share(count));
      if (verify) {
        verify(solved, hashes);
      }
      return solved;
    }

    private void verify(ShardSolver.Shard solved, ShardHashes hashes) {
      FrozenKernel kernel =
          new FrozenShape(layout(), width)
              .heapKernel(
                  HeapWords.of(solved.words()), ShardTable.ofOne(solved.entry(), shardBits));
      for (int i = 0; i < hashes.count(); i++) {
        if (kernel.lacks(hashes.hashes()[i])) {
          throw BuildSettings.faulty();
        }
      }
    }
  }
}
