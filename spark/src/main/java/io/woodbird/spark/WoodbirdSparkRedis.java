package io.woodbird.spark;

import io.woodbird.IncompatibleFilterException;
import io.woodbird.redis.RedisBloomFilter;
import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.RedisRebuild;
import io.woodbird.redis.RemoteBuild;
import io.woodbird.redis.layout.GenerationSpec;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.util.LongAccumulator;

/**
 * Filters in Redis, built by a Spark cluster. Needs {@code woodbird-redis}, and a client of Redis,
 * on the class path of the driver and the executors.
 *
 * <pre>{@code
 * RedisBloomFilter<String> seen = WoodbirdRedis.using(client)
 *     .bloom("seen:urls", Keys.strings(), 1_000_000_000).fpp(0.001).createUnbuilt();
 * WoodbirdSparkRedis.buildInto(seen, () -> spark.read().parquet("hdfs:///urls"), "url",
 *     () -> RedisClient.create("redis.example.com", 6379), RedisRebuild.usual());
 * }</pre>
 */
public final class WoodbirdSparkRedis {
  /*
   * A class of its own: Python's bridge to Java looks at all methods of a class, and so loads the
   * classes in their signatures. Most users of WoodbirdSpark have no woodbird-redis.
   */
  private WoodbirdSparkRedis() {}

  /**
   * Rebuilds a filter in Redis from a column, as {@link RedisBloomFilter#rebuild} does: the
   * executors set the bits and send them, a shard at a time. The filter is never on one machine as
   * a whole, and no task needs more than 50 MB for it.
   *
   * <p>Until all shards are loaded the old generation answers. If the job fails or is cancelled, it
   * stays. Tasks may fail and be run twice: bits that come twice change nothing, and bits that come
   * after the end of the build find no shard.
   *
   * <p>A key must be in the source before it is put.
   *
   * @param filter the filter, as the driver has opened it
   * @param source gives the rows. It is called when all clients are known to put into both
   *     generations, and must look for the files of a table only then: a dataset that was made
   *     earlier, or a table whose list of files the session has cached, may lack a key that was put
   *     before
   * @param column the name of the column with the keys, which must be of the filter's kind
   * @param connector connects the executors with the same servers
   * @param options how long the build and the old generation last, and the fewest keys to accept
   * @return the number of the generation that was built and made current; nothing if another client
   *     is building, or has taken over because this one was asleep for longer than its lease
   * @throws IncompatibleFilterException if the filter has keys of another kind
   * @throws RedisFilterException if the build failed; the old filter goes on
   */
  public static OptionalLong buildInto(
      RedisBloomFilter<?> filter,
      Supplier<? extends Dataset<?>> source,
      String column,
      RedisConnector connector,
      RedisRebuild options) {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(column, "column");
    Objects.requireNonNull(connector, "connector");
    try {
      return RemoteBuild.run(
          filter,
          (name, generation) -> {
            Dataset<?> rows = source.get();
            return load(rows.select(rows.col(column)), name, generation, connector);
          },
          options);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static long load(
      Dataset<Row> keys, String filter, GenerationSpec generation, RedisConnector connector) {
    KeyColumn column = KeyColumn.of(keys.schema().fields()[0]);
    if (!column.id().equals(generation.keyId())) {
      throw new IncompatibleFilterException(
          "the column has keys of " + column.id() + ", and the filter of " + generation.keyId());
    }
    SparkContext context = keys.sparkSession().sparkContext();
    RedisParts parts = new RedisParts(filter, generation);
    LongAccumulator keysRead = context.longAccumulator("woodbird: keys read");
    HashTask hash = new HashTask(column, generation.seed(), parts, keysRead);
    JobDescription description = new JobDescription(context, filter);
    try (description) {
      description.say("load " + parts.shards() + " shards");
      RedisTask.Counts counts =
          keys.queryExecution()
              .toRdd()
              .toJavaRDD()
              .<Integer, byte[]>mapPartitionsToPair(hash)
              .partitionBy(new ByPart(parts))
              .mapPartitionsWithIndex(new RedisTask(parts, connector), false)
              .reduce(RedisTask.Counts::plus);
      ClusterBuild.requireAll(counts.sent(), counts.received());
      return counts.keys();
    }
  }
}
