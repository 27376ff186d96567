package io.woodbird.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/** Reads all partitions of a topic, until it is closed. Whatever fails is tried again. */
final class TopicReader implements Runnable {
  /*
   * There is no consumer group: every instance of a service needs all keys. So the partitions are
   * assigned here, and no offset is ever committed.
   *
   * The consumer reconnects by itself, without a word. To notice a broker that is away, and to know
   * how far behind we are, the end of each partition is asked for once a second.
   */
  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration PATIENCE = Duration.ofSeconds(3);
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Receives what was read. Must not throw. */
  interface Sink {
    void take(ConsumerRecords<byte[], byte[]> records);
  }

  private final Supplier<Consumer<byte[], byte[]>> open;
  private final String topic;
  private final Duration pause;
  private final Sink sink;
  private final CountDownLatch closing = new CountDownLatch(1);
  private volatile @Nullable Consumer<byte[], byte[]> consumer;
  private volatile @Nullable String doubt;
  private volatile OptionalLong lag = OptionalLong.empty();

  // Used by the reading thread only.
  private final Map<TopicPartition, Long> positions = new HashMap<>();
  private Map<TopicPartition, Long> failedAt = Map.of();
  private boolean fromBeginning;
  private long nextLook = System.nanoTime();

  TopicReader(
      Supplier<Consumer<byte[], byte[]>> open,
      String topic,
      boolean fromBeginning,
      Duration pause,
      Sink sink) {
    this.open = open;
    this.topic = topic;
    this.fromBeginning = fromBeginning;
    this.pause = pause;
    this.sink = sink;
    this.doubt = "the topic " + topic + " has not been read yet";
  }

  @Override
  public void run() {
    while (isOpen()) {
      try {
        session();
      } catch (WakeupException e) {
        // Closed, or the loop begins again.
      } catch (RuntimeException | Error e) { // A feed that ends without a word helps nobody.
        failed(e);
        pause();
      }
    }
  }

  private void session() {
    Consumer<byte[], byte[]> current = open.get();
    try {
      consumer = current;
      while (isOpen()) {
        read(current);
      }
    } finally {
      consumer = null;
      current.close(CloseOptions.timeout(PATIENCE));
    }
  }

  private void read(Consumer<byte[], byte[]> current) {
    try {
      if (!assign(current)) {
        doubt = "the topic " + topic + " does not exist";
        pause();
        return;
      }
    } catch (TimeoutException e) {
      noAnswer(e); // The consumer reconnects by itself.
      return;
    }
    look(current);
    take(current.poll(POLL));
  }

  /** Begins with partitions that are new. Returns false if there are none at all. */
  private boolean assign(Consumer<byte[], byte[]> current) {
    Set<TopicPartition> assigned = current.assignment();
    List<TopicPartition> added = new ArrayList<>();
    // Answered from what the consumer knows, which it renews every metadata.max.age.ms.
    Collection<PartitionInfo> known = current.partitionsFor(topic, PATIENCE);
    for (PartitionInfo info : known == null ? List.<PartitionInfo>of() : known) {
      TopicPartition partition = new TopicPartition(topic, info.partition());
      if (!assigned.contains(partition)) {
        added.add(partition);
      }
    }
    if (added.isEmpty()) {
      return !assigned.isEmpty();
    }
    Map<TopicPartition, Long> starts = starts(current, added);
    Set<TopicPartition> all = new HashSet<>(assigned);
    all.addAll(added);
    current.assign(all);
    starts.forEach(current::seek);
    positions.putAll(starts);
    return true;
  }

  /** Where to go on, or to begin. All records of a partition that was added later are new. */
  private Map<TopicPartition, Long> starts(
      Consumer<byte[], byte[]> current, List<TopicPartition> added) {
    Map<TopicPartition, Long> starts =
        new HashMap<>(
            positions.isEmpty() && !fromBeginning
                ? current.endOffsets(added, PATIENCE)
                : current.beginningOffsets(added, PATIENCE));
    starts.replaceAll((partition, start) -> positions.getOrDefault(partition, start));
    return starts;
  }

  private void take(ConsumerRecords<byte[], byte[]> records) {
    sink.take(records);
    for (TopicPartition partition : records.partitions()) {
      List<ConsumerRecord<byte[], byte[]>> some = records.records(partition);
      positions.put(partition, some.get(some.size() - 1).offset() + 1);
    }
  }

  /** Finds out how far behind we are, and whether the broker answers. */
  private void look(Consumer<byte[], byte[]> current) {
    if (System.nanoTime() - nextLook < 0) {
      return;
    }
    try {
      long behind = 0;
      for (Map.Entry<TopicPartition, Long> end :
          current.endOffsets(current.assignment(), PATIENCE).entrySet()) {
        long position = current.position(end.getKey(), PATIENCE);
        behind += Math.max(0, end.getValue() - position);
      }
      lag = OptionalLong.of(behind);
      doubt = null;
    } catch (TimeoutException e) {
      noAnswer(e); // Other partitions can perhaps be read.
    }
    nextLook = System.nanoTime() + LOOK_NANOS;
  }

  private void noAnswer(TimeoutException e) {
    lag = OptionalLong.empty();
    doubt = "no answer about the topic " + topic + ": " + e.getMessage();
  }

  private void failed(Throwable e) {
    lag = OptionalLong.empty();
    doubt = "the topic " + topic + " can't be read: " + e;
    // No error of the broker's, and the second one at this place: a damaged record, for example.
    if (!(e instanceof ApiException) && !positions.isEmpty() && positions.equals(failedAt)) {
      positions.clear();
      fromBeginning = false; // What is left out costs look-ups, and no more.
    }
    failedAt = Map.copyOf(positions);
  }

  private void pause() {
    try {
      if (closing.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      // Only closing ends this thread.
    }
  }

  private boolean isOpen() {
    return closing.getCount() > 0;
  }

  /** Why less is read than there is; null if all is well. */
  @Nullable String doubt() {
    return isOpen() ? doubt : "closed";
  }

  /** How many records are not read yet, as of the last second. Empty if it is not known. */
  OptionalLong lag() {
    return isOpen() ? lag : OptionalLong.empty();
  }

  void close() {
    closing.countDown();
    Consumer<byte[], byte[]> current = consumer;
    if (current != null) {
      current.wakeup();
    }
  }
}
