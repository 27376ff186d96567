package io.woodbird.mysql;

import io.woodbird.Answer;
import io.woodbird.guard.FollowingFilter;
import io.woodbird.guard.RebuildingFilter;
import io.woodbird.key.KeyHasher;
import io.woodbird.testkit.MariaDbServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A table of a real server, a filter over its keys, and what follows it. */
final class FollowedTable<K> implements AutoCloseable {
  private static final Duration LONG = Duration.ofMinutes(3);

  final RebuildingFilter<K> keys;
  final BinlogFollower<K> follower;
  final FollowingFilter<K> following;
  final AtomicInteger builds = new AtomicInteger();

  /** Reads a key from a row. */
  interface Reader<K> {
    K key(ResultSet row) throws Exception;
  }

  private FollowedTable(
      MariaDbServer server,
      KeyHasher<K> hasher,
      BinlogFollower.Builder<K> builder,
      String select,
      Reader<K> reader,
      Duration settle) {
    keys =
        RebuildingFilter.of(hasher, () -> read(server, select, reader))
            .expectedKeys(2_000_000)
            .fpp(1e-6)
            .floor(0)
            .allowEmpty()
            .settle(settle)
            .retryAfter(Duration.ofMillis(100))
            .build();
    follower =
        builder
            .rebuild(
                () -> {
                  builds.incrementAndGet();
                  return keys.rebuildNow();
                })
            .build();
    following = FollowingFilter.over(keys, follower).patience(LONG).start();
  }

  /** Follows the column {@code id}. */
  static <K> FollowedTable<K> of(
      MariaDbServer server,
      KeyHasher<K> hasher,
      BinlogFollower.Builder<K> kind,
      String table,
      Reader<K> reader)
      throws Exception {
    return of(server, hasher, kind, table, reader, Duration.ofMinutes(10));
  }

  /** The same, with how long builds carry keys that were put. */
  static <K> FollowedTable<K> of(
      MariaDbServer server,
      KeyHasher<K> hasher,
      BinlogFollower.Builder<K> kind,
      String table,
      Reader<K> reader,
      Duration settle)
      throws Exception {
    return of(server, server.port(), hasher, kind, table, reader, settle);
  }

  /** The same, by way of another port. */
  static <K> FollowedTable<K> of(
      MariaDbServer server,
      int port,
      KeyHasher<K> hasher,
      BinlogFollower.Builder<K> kind,
      String table,
      Reader<K> reader,
      Duration settle)
      throws Exception {
    kind.dataSource(server.dataSource(port))
        .server("127.0.0.1", port, MariaDbServer.USER, MariaDbServer.PASSWORD)
        .table("shop", table, "id");
    String select = "select id from `" + table.replace("`", "``") + "`";
    return new FollowedTable<>(server, hasher, kind, select, reader, settle);
  }

  private static <K> Stream<K> read(MariaDbServer server, String select, Reader<K> reader)
      throws Exception {
    List<K> found = new ArrayList<>();
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(select)) {
      while (row.next()) {
        found.add(reader.key(row));
      }
    }
    return found.stream();
  }

  Answer ask(K key) {
    return following.ask(key);
  }

  /** Waits until a key that is in no row is denied, so that all works. */
  void awaitDenied(K absent) throws InterruptedException {
    while (following.ask(absent) != Answer.NOT_HERE) {
      Thread.sleep(10);
    }
  }

  /** Waits until nothing is denied. */
  void awaitUnknown(K absent) throws InterruptedException {
    while (following.ask(absent) != Answer.UNKNOWN) {
      Thread.sleep(10);
    }
  }

  @Override
  public void close() {
    following.close();
    keys.close();
  }
}
