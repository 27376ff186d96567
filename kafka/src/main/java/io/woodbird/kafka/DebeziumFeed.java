package io.woodbird.kafka;

import io.woodbird.MutableFilter;
import io.woodbird.guard.Follower;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Brings the keys of new rows into a filter as soon as Debezium's change events tell of them.
 *
 * <pre>{@code
 * JdbcKeys<Long> table = JdbcKeys.longs(dataSource, "select id from product");
 * DebeziumFeed<Long> feed =
 *     DebeziumFeed.of(
 *             Map.of("bootstrap.servers", "kafka:9092"),
 *             "shop.public.product", "id", Long::valueOf, table.follower())
 *         .onDeletions(10_000, built::rebuildNow);
 * FollowingFilter<Long> filter = FollowingFilter.over(built, feed).start();
 * }</pre>
 *
 * <p>The feed saves look-ups, and proves nothing: events arrive some time after the commit, be it
 * milliseconds or days, and Kafka Connect keeps no order between partitions. So nobody can know
 * from a topic that a key is absent from the database. Every proof comes from the follower that
 * this one wraps, usually one that looks keys up. Without the feed, the first question for a new
 * row waits for such a proof; with it, the key is in the filter before. A feed that lags, fails or
 * has stopped changes no answer. {@link #doubt} and {@link #lag} tell of it, and it goes on by
 * itself.
 *
 * <p>Events are JSON, with or without schemas, as envelopes or as rows (Debezium's {@code
 * ExtractNewRecordState}). Records that can't be read are {@linkplain #unreadable counted} and left
 * out.
 *
 * @param <K> the type of the keys
 */
public final class DebeziumFeed<K> implements Follower<K> {
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration CLOSING = Duration.ofSeconds(5);

  private final Map<String, Object> consumer;
  private final String topic;
  private final EventReader events;
  private final Function<? super String, ? extends K> parse;
  private final Follower<K> proofs;
  private final AtomicLong arrived = new AtomicLong();
  private final AtomicLong deleted = new AtomicLong();
  private final AtomicLong unreadable = new AtomicLong();
  private boolean fromBeginning;
  private long enough = Long.MAX_VALUE;
  private Runnable action = () -> {};
  private volatile @Nullable TopicReader reader;
  private volatile @Nullable Thread thread;
  private volatile @Nullable String problem;

  // Used by the reading thread only.
  private final Map<TopicPartition, byte[]> lastDeleted = new HashMap<>();
  private long gone;

  private DebeziumFeed(
      Map<String, Object> consumer,
      String topic,
      String field,
      Function<? super String, ? extends K> parse,
      Follower<K> proofs) {
    this.consumer = consumer;
    this.topic = topic;
    this.events = new EventReader(field);
    this.parse = parse;
    this.proofs = proofs;
  }

  /**
   * A feed that begins with the events that arrive from now on.
   *
   * @param <K> the type of the keys
   * @param consumer settings of Kafka's consumer, a {@code Properties} or another map: {@code
   *     bootstrap.servers}, and what security needs. No consumer group is used
   * @param topic the topic that has the events of one table
   * @param field the name of the key's column. Where the row does not have it, the record's key is
   *     asked
   * @param parse makes a key of its text: {@code Long::valueOf}, {@code UUID::fromString}, {@code
   *     Function.identity()}
   * @param proofs proves that keys are absent; closed with the feed
   * @return the feed
   * @throws org.apache.kafka.common.config.ConfigException if a setting is wrong
   */
  public static <K> DebeziumFeed<K> of(
      Map<?, ?> consumer,
      String topic,
      String field,
      Function<? super String, ? extends K> parse,
      Follower<K> proofs) {
    return new DebeziumFeed<>(
        settings(consumer),
        Objects.requireNonNull(topic, "topic"),
        Objects.requireNonNull(field, "field"),
        Objects.requireNonNull(parse, "parse"),
        Objects.requireNonNull(proofs, "proofs"));
  }

  private static Map<String, Object> settings(Map<?, ?> given) {
    Map<String, Object> all = new HashMap<>();
    all.put(ConsumerConfig.METADATA_MAX_AGE_CONFIG, 30_000); // New partitions are noticed by then.
    given.forEach((name, value) -> all.put(String.valueOf(name), value));
    all.keySet().removeIf(name -> name.startsWith("group."));
    all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    all.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    // For a position that the broker no longer has.
    all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    all.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    all.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    ConsumerConfig.configDef().parse(all);
    return all;
  }

  /**
   * Reads all events that the topic still has. Otherwise the feed reads only new ones, which is
   * enough for a filter that is built from its source.
   *
   * @return this
   */
  public DebeziumFeed<K> fromBeginning() {
    refuseIfBegun();
    fromBeginning = true;
    return this;
  }

  /**
   * Runs an action each time that many more rows have been deleted, or the table was truncated.
   * Usually the filter is rebuilt, as deleted keys stay in it until then.
   *
   * @param rows positive
   * @param run runs in the thread that reads events, and should not block
   * @return this
   */
  public DebeziumFeed<K> onDeletions(long rows, Runnable run) {
    refuseIfBegun();
    if (rows <= 0) {
      throw new IllegalArgumentException("rows must be positive: " + rows);
    }
    enough = rows;
    action = Objects.requireNonNull(run, "run");
    return this;
  }

  private void refuseIfBegun() {
    if (reader != null) {
      throw new IllegalStateException("the feed has begun already");
    }
  }

  /** Begins with the follower that proves, and reads events from now on. Waits for no broker. */
  @Override
  public void begin(MutableFilter<K> filter) throws Exception {
    refuseIfBegun();
    proofs.begin(filter);
    TopicReader reading =
        new TopicReader(
            () -> new KafkaConsumer<byte[], byte[]>(consumer),
            topic,
            fromBeginning,
            PAUSE,
            records -> take(records, filter));
    Thread running = new Thread(reading, "woodbird-feed-" + topic);
    running.setDaemon(true);
    reader = reading;
    thread = running;
    running.start();
  }

  @Override
  public boolean readsChanges() {
    return proofs.readsChanges();
  }

  /** Asks the follower that proves. */
  @Override
  public Proof<K> confirm(List<K> asked) throws Exception {
    return proofs.confirm(asked);
  }

  private void take(ConsumerRecords<byte[], byte[]> records, MutableFilter<K> filter) {
    List<K> keys = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> event : records) {
      try {
        take(event, keys);
        problem = null;
      } catch (RuntimeException e) {
        unreadable.incrementAndGet();
        problem = "the record at " + place(event) + " can't be read: " + e.getMessage();
      }
    }
    try {
      if (!keys.isEmpty()) {
        filter.putAll(keys);
        arrived.addAndGet(keys.size());
      }
      if (gone >= enough) {
        gone = 0;
        action.run();
      }
    } catch (RuntimeException e) {
      problem = "after events of " + topic + " were read: " + e;
    }
  }

  private static String place(ConsumerRecord<?, ?> event) {
    return event.topic() + "-" + event.partition() + ", offset " + event.offset();
  }

  private void take(ConsumerRecord<byte[], byte[]> record, List<K> keys) {
    Event event = events.read(record.key(), record.value());
    TopicPartition partition = new TopicPartition(record.topic(), record.partition());
    switch (event.kind()) {
      case PRESENT -> keys.add(Objects.requireNonNull(parse.apply(event.key()), "no key"));
      case DELETED -> {
        deletedOne();
        lastDeleted.put(partition, record.key() == null ? new byte[0] : record.key());
      }
      case TOMBSTONE -> {
        // Usually the event before it told of the same row. Some pipelines send tombstones alone.
        if (!Arrays.equals(lastDeleted.remove(partition), record.key())) {
          deletedOne();
        }
      }
      case TRUNCATED -> gone = enough;
      case OTHER -> {}
    }
  }

  private void deletedOne() {
    deleted.incrementAndGet();
    gone++;
  }

  /**
   * How many keys have come in by events.
   *
   * @return the number; a key that came twice counts twice
   */
  public long arrived() {
    return arrived.get();
  }

  /**
   * How many rows were deleted, after the events. Their keys stay in the filter until it is
   * rebuilt.
   *
   * @return the number
   */
  public long deleted() {
    return deleted.get();
  }

  /**
   * How many records were left out, as they are no events with a key.
   *
   * @return the number
   */
  public long unreadable() {
    return unreadable.get();
  }

  /**
   * How many records are in the topic that have not been read, as of the last second.
   *
   * @return the number; empty if it is not known, as no broker answers
   */
  public OptionalLong lag() {
    TopicReader reading = reader;
    return reading == null ? OptionalLong.empty() : reading.lag();
  }

  /**
   * Why keys may be missing that the events would bring. Answers are right in spite of it.
   *
   * @return the reason; null if all is well
   */
  public @Nullable String doubt() {
    TopicReader reading = reader;
    if (reading == null) {
      return "not begun";
    }
    String doubt = reading.doubt();
    return doubt == null ? problem : doubt;
  }

  /** Says which topic. */
  @Override
  public String toString() {
    return topic;
  }

  /** Ends the feed, and the follower that proves. */
  @Override
  public void close() {
    TopicReader reading = reader;
    if (reading != null) {
      reading.close();
    }
    try {
      proofs.close();
    } finally {
      join(thread);
    }
  }

  private static void join(@Nullable Thread reading) {
    if (reading == null || reading == Thread.currentThread()) {
      return;
    }
    try {
      reading.join(CLOSING.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
