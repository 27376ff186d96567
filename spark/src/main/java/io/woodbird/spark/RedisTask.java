package io.woodbird.spark;

import io.woodbird.redis.WoodbirdRedis;
import io.woodbird.redis.generations.ShardLoad;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.Function2;
import scala.Tuple2;

/** Fills the shards of one part and sends them to Redis. */
final class RedisTask
    implements Function2<Integer, Iterator<Tuple2<Integer, byte[]>>, Iterator<RedisTask.Counts>> {
  private static final long serialVersionUID = 1L;

  /** For a shard of 4 MB, to a server that others load at the same time. */
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final RedisParts parts;
  private final RedisConnector connector;

  RedisTask(RedisParts parts, RedisConnector connector) {
    this.parts = parts;
    this.connector = connector;
  }

  /**
   * What one task has counted. Added up over all tasks they show whether every hash arrived.
   *
   * @param keys keys, repeated ones included
   * @param sent hashes that went into the shuffle
   * @param received hashes that came out of it
   */
  record Counts(long keys, long sent, long received) implements Serializable {
    private static final long serialVersionUID = 1L;

    Counts plus(Counts other) {
      return new Counts(keys + other.keys, sent + other.sent, received + other.received);
    }
  }

  @Override
  public Iterator<Counts> call(Integer part, Iterator<Tuple2<Integer, byte[]>> packets)
      throws Exception {
    Counts counts = part == parts.count() ? counted(packets) : loaded(part, packets);
    return List.of(counts).iterator();
  }

  private static Counts counted(Iterator<Tuple2<Integer, byte[]>> packets) {
    Counts all = new Counts(0, 0, 0);
    while (packets.hasNext()) {
      ByteBuffer counts = HashTask.littleEndian(packets.next()._2());
      all = all.plus(new Counts(counts.getLong(), counts.getLong(), 0));
    }
    return all;
  }

  private Counts loaded(int part, Iterator<Tuple2<Integer, byte[]>> packets) throws Exception {
    ShardLoad load = parts.load(part);
    long[] hashes = new long[0];
    long received = 0;
    while (packets.hasNext()) {
      byte[] packet = packets.next()._2();
      int count = packet.length / 8;
      hashes = hashes.length < count ? new long[count] : hashes;
      HashTask.littleEndian(packet).asLongBuffer().get(hashes, 0, count);
      load.add(hashes, count);
      received += count;
    }
    try (AutoCloseable client = connector.connect();
        WoodbirdRedis redis = WoodbirdRedis.using(client, TIMEOUT, event -> {})) {
      load.send(redis.access());
    }
    return new Counts(0, 0, received);
  }
}
