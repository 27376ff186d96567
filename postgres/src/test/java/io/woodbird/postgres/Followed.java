package io.woodbird.postgres;

import io.woodbird.Answer;
import io.woodbird.guard.FollowingFilter;
import io.woodbird.guard.RebuildingFilter;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** A table, a filter that is built from it, and a follower between them. */
final class Followed<K> implements AutoCloseable {
  private static final Duration LONG = Duration.ofMinutes(10);

  final AtomicInteger refills = new AtomicInteger();
  final RebuildingFilter<K> rebuilding;
  final PostgresFollower<K> follower;
  final FollowingFilter<K> filter;

  private Followed(
      TestPostgres server,
      String url,
      String schema,
      String table,
      String column,
      KeyHasher<K> keys,
      Function<String, K> parse,
      UnaryOperator<PostgresFollowerBuilder<K>> more) {
    String sql =
        "select "
            + FollowedTable.quote(column)
            + " from "
            + FollowedTable.quote(schema)
            + "."
            + FollowedTable.quote(table);
    rebuilding =
        RebuildingFilter.of(keys, () -> server.column(sql).stream().map(parse))
            .fpp(1e-6)
            .expectedKeys(300_000)
            .floor(0)
            .allowEmpty()
            .settle(Duration.ofMillis(1))
            .build();
    follower =
        more.apply(
                PostgresFollower.of(url, parse)
                    .login("postgres", "postgres")
                    .table(schema, table)
                    .column(column)
                    .refill(
                        () -> {
                          refills.incrementAndGet();
                          return rebuilding.rebuildNow();
                        }))
            .build();
    filter =
        FollowingFilter.over(rebuilding, follower).patience(LONG).mostWaiting(1_000_000).start();
  }

  static Followed<Long> longs(
      TestPostgres server, String table, UnaryOperator<PostgresFollowerBuilder<Long>> more) {
    return new Followed<>(
        server, server.url(), "public", table, "id", Keys.longs(), Long::valueOf, more);
  }

  /** By way of another port. */
  static Followed<Long> longs(TestPostgres server, int port, String table) {
    return new Followed<>(
        server,
        server.url(port),
        "public",
        table,
        "id",
        Keys.longs(),
        Long::valueOf,
        builder -> builder);
  }

  static Followed<Long> longs(TestPostgres server, String table) {
    return longs(server, table, builder -> builder);
  }

  static <K> Followed<K> of(
      TestPostgres server,
      String schema,
      String table,
      String column,
      KeyHasher<K> keys,
      Function<String, K> parse) {
    return of(server, schema, table, column, keys, parse, builder -> builder);
  }

  static <K> Followed<K> of(
      TestPostgres server,
      String schema,
      String table,
      String column,
      KeyHasher<K> keys,
      Function<String, K> parse,
      UnaryOperator<PostgresFollowerBuilder<K>> more) {
    return new Followed<>(server, server.url(), schema, table, column, keys, parse, more);
  }

  /** Waits until a key that no row has is denied. */
  Followed<K> awaitGuarding(K absent) throws InterruptedException {
    while (filter.ask(absent) != Answer.NOT_HERE) {
      Thread.sleep(20);
    }
    return this;
  }

  /** Waits until the follower has begun another stream than the first ones. */
  void awaitStreams(long atLeast) throws InterruptedException {
    while (follower.streams() < atLeast) {
      Thread.sleep(20);
    }
  }

  @Override
  public void close() {
    filter.close();
    rebuilding.close();
  }
}
