package io.woodbird.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.format.Json;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Properties;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events that Debezium itself makes of a PostgreSQL, in each shape. */
@Tag("slow")
final class DebeziumTest {
  @TempDir static Path folder;
  private static Broker broker;
  private static EmbeddedPostgres server;

  @BeforeAll
  static void start() throws Exception {
    broker = Broker.start(folder);
    server = EmbeddedPostgres.builder().setServerConfig("wal_level", "logical").start();
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
    broker.kill();
  }

  private static void run(String... statements) throws SQLException {
    try (Connection connection = server.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static DebeziumEngine<ChangeEvent<String, String>> engine(
      String table, Map<String, String> shape, Topic topic) {
    Properties settings = new Properties();
    settings.putAll(
        Map.of(
            "name", table,
            "connector.class", "io.debezium.connector.postgresql.PostgresConnector",
            "offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore",
            "database.hostname", "localhost",
            "database.port", String.valueOf(server.getPort()),
            "database.user", "postgres",
            "database.password", "postgres",
            "database.dbname", "postgres"));
    settings.putAll(
        Map.of(
            "topic.prefix", "shop",
            "plugin.name", "pgoutput",
            "slot.name", table,
            "slot.drop.on.stop", "true",
            "publication.name", table,
            "publication.autocreate.mode", "filtered",
            "table.include.list", "public." + table,
            "skipped.operations", "none"));
    settings.putAll(shape);
    return DebeziumEngine.create(Json.class)
        .using(settings)
        .notifying(event -> topic.send(event.key(), event.value()))
        .build();
  }

  /** Lets Debezium follow a table, and reads what it says. */
  private static void follow(String table, Map<String, String> shape) throws Exception {
    MutableFilter<Long> filter = Woodbird.bloom(Keys.longs(), 10_000).fpp(0.0001).seed(3).build();
    broker.createTopic(table, 2);
    run(
        "create table " + table + " (id bigint primary key, name text)",
        "insert into " + table + " select x, 'old' from generate_series(1, 100) x");
    try (Topic topic = new Topic(broker, table);
        DebeziumFeed<Long> feed =
            DebeziumFeed.of(broker.address(), table, "id", Long::valueOf, asked -> key -> false)) {
      feed.begin(filter);
      Await.until(() -> feed.doubt() == null);
      DebeziumEngine<ChangeEvent<String, String>> engine = engine(table, shape, topic);
      Thread running = new Thread(engine);
      running.start();
      Await.until(() -> feed.arrived() == 100); // The rows that were there.
      run(
          "insert into " + table + " select x, 'new' from generate_series(101, 200) x",
          "update " + table + " set name = 'other' where id <= 10",
          "update " + table + " set id = 201 where id = 200",
          "delete from " + table + " where id between 11 and 20");
      // A row whose key changes is deleted, and inserted with the new one.
      Await.until(() -> feed.arrived() >= 100 + 100 + 10 + 1 && feed.deleted() >= 1 + 10);
      engine.close();
      running.join();
      assertThat(LongStream.rangeClosed(1, 201).filter(id -> !filter.mightContain(id))).isEmpty();
      assertThat(feed.arrived()).isEqualTo(211);
      assertThat(feed.deleted()).isEqualTo(11);
      assertThat(feed.unreadable()).isZero();
    }
  }

  @Test
  void envelopesWithSchemas_areRead() throws Exception {
    follow("with_schemas", Map.of());
  }

  @Test
  void envelopesWithoutSchemas_areRead() throws Exception {
    follow("without_schemas", Map.of("converter.schemas.enable", "false"));
  }

  @Test
  void rows_areRead() throws Exception {
    follow(
        "rows",
        Map.of(
            "transforms", "unwrap",
            "transforms.unwrap.type", "io.debezium.transforms.ExtractNewRecordState",
            "transforms.unwrap.delete.tombstone.handling.mode", "rewrite-with-tombstone"));
  }

  @Test
  void rowsWithTombstonesAlone_areRead() throws Exception {
    follow(
        "tombstones",
        Map.of(
            "transforms", "unwrap",
            "transforms.unwrap.type", "io.debezium.transforms.ExtractNewRecordState",
            "transforms.unwrap.delete.tombstone.handling.mode", "tombstone"));
  }
}
