package io.woodbird.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import io.woodbird.testkit.MariaDbServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many foreign writers: each row is asked for right after its commit, and none is denied. */
final class BinlogChaosTest {
  private static final int WRITERS = 40;
  private static final long ABSENT = -1;

  private final long seed = System.nanoTime();
  private final AtomicBoolean ends = new AtomicBoolean();
  private final List<Thread> others = new ArrayList<>();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private MariaDbServer server;
  private FollowedTable<Long> table;

  @BeforeEach
  void start() throws Exception {
    server = MariaDbServer.start("--sync-binlog=1", "--innodb-flush-log-at-trx-commit=0");
    server.run("create table product (id bigint primary key)");
    table =
        FollowedTable.of(
            server, Keys.longs(), BinlogFollower.longs(), "product", row -> row.getLong(1));
    table.awaitDenied(ABSENT);
  }

  @AfterEach
  void stop() throws Exception {
    endOthers();
    if (table != null) {
      table.close();
    }
    if (server != null) {
      server.close();
    }
  }

  private interface Step {
    void run(Random random) throws Exception;
  }

  /** Does something again and again until the test ends. */
  private void meanwhile(Step step) {
    Random random = new Random(seed + others.size());
    Thread thread =
        new Thread(
            () -> {
              try {
                while (!ends.get()) {
                  step.run(random);
                }
              } catch (Throwable e) {
                failure.set(e);
              }
            });
    others.add(thread);
    thread.start();
  }

  private void endOthers() throws InterruptedException {
    ends.set(true);
    for (Thread thread : others) {
      thread.join();
    }
  }

  private long selects() throws Exception {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("show global status like 'Com_select'")) {
      row.next();
      return row.getLong(2);
    }
  }

  private void attack() {
    meanwhile(random -> assertThat(table.ask(-1L - random.nextInt(1 << 30))).isNotNull());
  }

  private void assertNothingDenied(long rows, long longestMillis) throws Exception {
    attack();
    attack();
    long before = selects();
    long calls = table.following.confirmations() + table.following.failures();
    ForeignWriters writers = new ForeignWriters(server, table, longestMillis);
    writers.write(WRITERS, rows, seed);
    endOthers();
    long confirmations = table.following.confirmations() + table.following.failures() - calls;
    long statements = selects() - before;
    String summary = writers + ", seed " + seed;
    assertThat(failure.get()).as(summary).isNull();
    assertThat(writers.denied.sum()).as(summary).isZero();
    assertThat(writers.unknown.sum()).as(summary).isLessThan(rows / 10);
    assertThat(writers.late.sum()).as("control: " + summary).isPositive();
    // Some more are those of new connections of the writers.
    assertThat(statements).as(summary).isBetween(1L, confirmations + 5L * WRITERS);
    assertThat(table.builds).as(summary).hasValue(1);
  }

  @Test
  void rowsOfForeignWriters_areNeverDenied() throws Exception {
    assertNothingDenied(20_000, 200);
  }

  @Test
  @Tag("slow")
  void aMillionRowsOfForeignWriters_areNeverDenied() throws Exception {
    assertNothingDenied(1_000_000, 5_000);
  }

  @Test
  void rowsWrittenDuringFaults_areNeverDenied() throws Exception {
    meanwhile(
        random -> {
          switch (random.nextInt(4)) {
            case 0 -> server.run("flush binary logs");
            case 1 -> server.killStreams();
            case 2 ->
                server.run(
                    "set binlog_format=statement",
                    "insert ignore into product values (" + -random.nextInt(1 << 30) + ")");
            default -> server.run("alter table product comment '" + random.nextInt() + "'");
          }
          Thread.sleep(random.nextInt(500));
        });
    while (table.follower.gaps() == 0 && failure.get() == null) {
      Thread.sleep(10); // Writers may be faster than the first fault.
    }
    ForeignWriters writers = new ForeignWriters(server, table, 50);
    writers.write(WRITERS, 10_000, seed);
    endOthers();
    assertThat(failure.get()).as(writers + ", seed " + seed).isNull();
    assertThat(writers.denied.sum()).as(writers + ", seed " + seed).isZero();
    assertThat(table.follower.gaps()).isPositive();
    assertThat(table.ask(1_000L)).isNotEqualTo(Answer.NOT_HERE);
  }
}
