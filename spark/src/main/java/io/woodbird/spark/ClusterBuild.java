package io.woodbird.spark;

import io.woodbird.FilterPlan;
import io.woodbird.file.Header;
import io.woodbird.filter.frozen.FrozenBuild;
import io.woodbird.filter.frozen.FrozenGoal;
import io.woodbird.filter.frozen.ShardAssembly;
import io.woodbird.filter.frozen.ShardPlan;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.LongAccumulator;
import scala.Option;
import scala.Tuple2;

/** Builds one frozen filter in a cluster. */
final class ClusterBuild {
  /*
   *   rows -> hashes, repeated ones dropped -> shuffle by the first ten bits       (executors)
   *        -> number of keys -> number of shards                                   (driver)
   *        -> per shard: sort, solve, check every key; kept on the local disk      (executors)
   *        -> table and header, from the sizes of all shards                       (driver)
   *        -> one shard after another into one file                                (driver)
   *
   * Only the driver writes, and only one file, so there is nothing that a killed or a speculative
   * task could leave behind, and no task that still runs can write after the build has failed. Every
   * step depends on the keys and the seed alone. If an executor is lost, Spark computes its shards
   * again, and they have the same bytes.
   *
   * A task needs about 200 MB beside Spark's own. The whole filter goes through the driver, a shard
   * at a time: 12.6 GB for ten billion keys at 0.1 %.
   */
  private final Dataset<Row> keys;
  private final FrozenGoal goal;
  private final long seed;
  private final boolean verify;
  private final SparkContext context;

  /** Prepares a build from the only column of {@code keys}. */
  ClusterBuild(Dataset<Row> keys, FrozenGoal goal, long seed, boolean verify) {
    this.keys = keys;
    this.goal = goal;
    this.seed = seed;
    this.verify = verify;
    this.context = keys.sparkSession().sparkContext();
  }

  FilterPlan writeTo(BuildTarget target) throws IOException {
    try (JobDescription description = new JobDescription(context, target.toString())) {
      return build(target, description);
    }
  }

  private FilterPlan build(BuildTarget target, JobDescription description) throws IOException {
    KeyColumn column = KeyColumn.of(keys.schema().fields()[0]);
    LongAccumulator keysRead = context.longAccumulator("woodbird: keys read");
    HashTask.Parts cut = new FileParts();
    description.say("hash keys");
    JavaPairRDD<Integer, byte[]> parts =
        keys.queryExecution()
            .toRdd()
            .toJavaRDD()
            .<Integer, byte[]>mapPartitionsToPair(new HashTask(column, seed, cut, keysRead))
            .partitionBy(new ByPart(cut));
    Counts counts = Counts.of(parts);
    ShardTask.Settings settings = ShardTask.Settings.of(goal, counts.keys, verify);
    int shards = settings.plan().shards(); // Fails here, and not in a task, if keys do not fit.
    JavaRDD<byte[]> solved = solved(parts, settings, Math.min(shards, FileParts.COUNT));
    try {
      description.say("solve " + shards + (shards == 1 ? " shard" : " shards"));
      List<byte[]> heads =
          solved.map(record -> Arrays.copyOf(record, ShardRecord.HEAD_BYTES)).collect();
      description.say("write");
      return write(target, settings, counts, heads, solved, column);
    } finally {
      solved.unpersist(false);
    }
  }

  private JavaRDD<byte[]> solved(
      JavaPairRDD<Integer, byte[]> parts, ShardTask.Settings settings, int groups) {
    LongAccumulator keysBuilt = context.longAccumulator("woodbird: keys built");
    RDD<Tuple2<Integer, byte[]>> grouped =
        parts.rdd().coalesce(groups, false, Option.apply(new Groups()), null);
    return grouped
        .toJavaRDD()
        .mapPartitionsWithIndex(new ShardTask(settings, keysBuilt), false)
        .setName("shards of a Woodbird filter")
        .persist(StorageLevel.DISK_ONLY());
  }

  private FilterPlan write(
      BuildTarget target,
      ShardTask.Settings settings,
      Counts counts,
      List<byte[]> heads,
      JavaRDD<byte[]> solved,
      KeyColumn column)
      throws IOException {
    ShardPlan plan = settings.plan();
    ShardAssembly assembly = plan.assembly();
    long received = 0;
    for (byte[] head : heads) {
      assembly.add(ShardRecord.entry(head), ShardRecord.words(head), ShardRecord.fpp(head));
      received += ShardRecord.received(head);
    }
    requireAll(counts.sent, received);
    Header header = plan.header(assembly, seed, column.id());
    target.write(header, new ShardData(assembly.table(), heads, solved.toLocalIterator()));
    return FrozenBuild.built(header);
  }

  /** Throws if the hashes that arrived are not as many as were sent. */
  static void requireAll(long sent, long received) {
    if (received != sent) {
      throw new IllegalStateException(
          String.format(
              Locale.ROOT,
              "%,d hashes were sent and %,d arrived: the dataset gives other rows when Spark computes"
                  + " it again; write it to a table first, or use checkpoint()",
              sent,
              received));
    }
  }

  /**
   * What the tasks of the first step counted.
   *
   * @param keys keys, repeated ones included
   * @param sent hashes that went into the shuffle
   */
  private record Counts(long keys, long sent) {
    /** Runs the first step, and reads the part of the counts only. */
    static Counts of(JavaPairRDD<Integer, byte[]> parts) {
      long keys = 0;
      long sent = 0;
      for (Tuple2<Integer, byte[]> packet :
          parts.collectPartitions(new int[] {FileParts.COUNT})[0]) {
        ByteBuffer counts = HashTask.littleEndian(packet._2());
        keys += counts.getLong();
        sent += counts.getLong();
      }
      return new Counts(keys, sent);
    }
  }
}
