package io.woodbird.spark;

import io.woodbird.filter.frozen.FrozenGoal;
import io.woodbird.filter.frozen.HashSpill;
import io.woodbird.filter.frozen.ShardHashes;
import io.woodbird.filter.frozen.ShardPlan;
import io.woodbird.filter.frozen.ShardSolver;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.util.LongAccumulator;
import scala.Tuple2;

/** Solves the shards of one group of parts, with the steps of a build on one machine. */
final class ShardTask
    implements Function2<Integer, Iterator<Tuple2<Integer, byte[]>>, Iterator<byte[]>> {
  private static final long serialVersionUID = 1L;

  /** Hashes that a task keeps in memory; a shard has 32 MB of them unless keys are hashed badly. */
  private static final long HASH_BYTES = 256L << 20;

  private final Settings settings;
  private final LongAccumulator keysBuilt;

  ShardTask(Settings settings, LongAccumulator keysBuilt) {
    this.settings = settings;
    this.keysBuilt = keysBuilt;
  }

  /** What every task must know to come to the same plan: numbers only. */
  record Settings(
      boolean fuse, double fpp, double bitsPerKey, long maxBytes, long keys, boolean verify)
      implements Serializable {
    private static final long serialVersionUID = 1L;

    static Settings of(FrozenGoal goal, long keys, boolean verify) {
      return new Settings(
          goal.fuse(), goal.fpp(), goal.bitsPerKey(), goal.maxBytes(), keys, verify);
    }

    ShardPlan plan() {
      return ShardPlan.of(new FrozenGoal(fuse, fpp, bitsPerKey, maxBytes), keys);
    }
  }

  @Override
  public Iterator<byte[]> call(Integer group, Iterator<Tuple2<Integer, byte[]>> packets)
      throws IOException {
    ShardPlan plan = settings.plan();
    HashSpill spill = new HashSpill(HASH_BYTES, null);
    TaskContext.get()
        .addTaskCompletionListener(
            context -> {
              try {
                spill.close();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    long[] hashes = new long[0];
    while (packets.hasNext()) {
      byte[] packet = packets.next()._2();
      int count = packet.length / 8;
      hashes = hashes.length < count ? new long[count] : hashes;
      HashTask.littleEndian(packet).asLongBuffer().get(hashes, 0, count);
      spill.add(hashes, count);
    }
    int shardsPerGroup = Math.max(1, plan.shards() >>> FileParts.BITS);
    return new Shards(plan, spill, group * shardsPerGroup, shardsPerGroup);
  }

  private final class Shards implements Iterator<byte[]> {
    private final HashSpill spill;
    private final ShardHashes hashes;
    private final ShardPlan.Worker worker;
    private final int first;
    private final int end;
    private int next;

    Shards(ShardPlan plan, HashSpill spill, int first, int count) {
      this.spill = spill;
      this.hashes = new ShardHashes(spill, plan.shardBits());
      this.worker = plan.new Worker(settings.verify);
      this.first = first;
      this.end = first + count;
      this.next = first;
    }

    @Override
    public boolean hasNext() {
      return next < end;
    }

    @Override
    public byte[] next() {
      if (next == end) {
        throw new NoSuchElementException();
      }
      try {
        hashes.read(next);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      ShardSolver.Shard solved = worker.solve(hashes);
      keysBuilt.add(hashes.count());
      return ShardRecord.of(solved, next++ == first ? spill.count() : 0);
    }
  }
}
