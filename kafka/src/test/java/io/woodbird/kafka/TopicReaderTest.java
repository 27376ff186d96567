package io.woodbird.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;

/** What a reader does when its consumer fails, with consumers that fail when told. */
final class TopicReaderTest {
  private static final TopicPartition PARTITION = new TopicPartition("t", 0);

  private final List<MockConsumer<byte[], byte[]>> opened =
      Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger taken = new AtomicInteger();

  private MockConsumer<byte[], byte[]> open(Consumer<MockConsumer<byte[], byte[]>> fault) {
    MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
    consumer.updatePartitions("t", List.of(new PartitionInfo("t", 0, null, null, null)));
    consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
    consumer.updateEndOffsets(Map.of(PARTITION, 10L));
    fault.accept(consumer);
    opened.add(consumer);
    return consumer;
  }

  /** Reads until the third consumer is in use, and returns its first position. */
  private long thirdStart(Consumer<MockConsumer<byte[], byte[]>> fault) throws Exception {
    TopicReader reader =
        new TopicReader(
            () -> open(opened.size() < 2 ? fault : consumer -> {}),
            "t",
            true,
            Duration.ofMillis(1),
            records -> taken.addAndGet(records.count()));
    Thread thread = new Thread(reader);
    thread.start();
    Await.until(() -> opened.size() == 3 && reader.doubt() == null);
    long start = 10 - reader.lag().orElseThrow();
    reader.close();
    thread.join();
    assertThat(opened).allMatch(MockConsumer::closed);
    return start;
  }

  @Test
  void aRecordThatFailsTwice_isLeftBehind() throws Exception {
    long start =
        thirdStart(consumer -> consumer.setPollException(new KafkaException("a damaged record")));
    assertThat(start).isEqualTo(10);
  }

  @Test
  void anErrorOfTheBroker_losesNoRecord() throws Exception {
    long start =
        thirdStart(
            consumer -> consumer.setPollException(new TopicAuthorizationException("refused")));
    assertThat(start).isZero();
  }

  @Test
  void aReader_goesOnWhereItFailed() throws Exception {
    AtomicInteger offset = new AtomicInteger();
    long start =
        thirdStart(
            consumer ->
                consumer.schedulePollTask(
                    () -> {
                      consumer.addRecord(
                          new ConsumerRecord<>("t", 0, offset.getAndIncrement(), null, null));
                      consumer.schedulePollTask(
                          () -> consumer.setPollException(new KafkaException("no network")));
                    }));
    assertThat(taken).hasValue(2);
    assertThat(start).isEqualTo(2);
  }
}
