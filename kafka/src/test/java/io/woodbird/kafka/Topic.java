package io.woodbird.kafka;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends change events to a topic, as Debezium does. */
final class Topic implements AutoCloseable {
  final String name;
  private final KafkaProducer<byte[], byte[]> producer;

  Topic(Broker broker, String name) {
    this.name = name;
    Map<String, Object> settings = new HashMap<>(broker.address());
    settings.put("linger.ms", 0);
    producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** Sends a record to the partition of its key. Returns when the broker has it. */
  void send(String key, String value) {
    send(null, key, value);
  }

  void send(Integer partition, String key, String value) {
    try {
      producer
          .send(
              new ProducerRecord<>(
                  name, partition, bytes(key), value == null ? null : bytes(value)))
          .get();
    } catch (ExecutionException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  void inserted(long id) {
    send(
        "{\"id\": " + id + "}",
        "{\"before\": null, \"after\": {\"id\": " + id + "}, \"op\": \"c\"}");
  }

  /** As Debezium tells of it: an event, and a tombstone. */
  void deleted(long id) {
    send(
        "{\"id\": " + id + "}",
        "{\"before\": {\"id\": " + id + "}, \"after\": null, \"op\": \"d\"}");
    send("{\"id\": " + id + "}", null);
  }

  @Override
  public void close() {
    producer.close(Duration.ZERO);
  }
}
