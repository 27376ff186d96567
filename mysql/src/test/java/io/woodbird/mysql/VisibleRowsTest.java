package io.woodbird.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.shyiko.mysql.binlog.GtidSet;
import io.woodbird.testkit.MariaDbServer;
import io.woodbird.testkit.Together;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * What a reader sees is in a transaction that a confirmation waits for, though the commit may not
 * have returned yet.
 */
final class VisibleRowsTest {
  private static final int WRITERS = 24;
  private static final int READERS = 2;
  private static final int COMMITS = 4_000;

  @Test
  void allTransactionsThatAReaderSees_areWaitedFor() throws Exception {
    try (MariaDbServer server = MariaDbServer.start("--sync-binlog=1")) {
      server.run("create table counter (id int primary key, n bigint not null)");
      for (int id = 0; id < WRITERS; id++) {
        server.run("insert into counter values (" + id + ", 0)");
      }
      AtomicInteger commits = new AtomicInteger();
      AtomicLong readings = new AtomicLong();
      AtomicLong missed = new AtomicLong();
      try (MySqlServer first = new MySqlServer(server.dataSource())) {
        long before = count(first.now().executed());
        Together.run(
            WRITERS + READERS,
            thread -> {
              try (Connection connection = server.connect();
                  Statement statement = connection.createStatement();
                  MySqlServer asked = new MySqlServer(server.dataSource())) {
                if (thread < WRITERS) {
                  while (commits.getAndIncrement() < COMMITS) {
                    statement.execute("update counter set n = n + 1 where id = " + thread);
                  }
                } else {
                  while (commits.get() < COMMITS) {
                    long seen = sum(statement);
                    long waitedFor = count(asked.now().executed()) - before;
                    readings.incrementAndGet();
                    missed.addAndGet(waitedFor < seen ? 1 : 0);
                  }
                }
              }
            });
      }
      assertThat(missed).as("of %s readings", readings).hasValue(0);
      assertThat(readings.get()).isPositive();
    }
  }

  /** How many transactions are visible: each has changed one row. */
  private static long sum(Statement statement) throws Exception {
    try (ResultSet row = statement.executeQuery("select sum(n) from counter")) {
      row.next();
      return row.getLong(1);
    }
  }

  /** How many transactions there are; MariaDB numbers them. */
  private static long count(GtidSet gtids) {
    String text = gtids.toString();
    if (!text.contains(":")) {
      return Long.parseLong(text.substring(text.lastIndexOf('-') + 1));
    }
    long count = 0;
    for (GtidSet.UUIDSet of : gtids.getUUIDSets()) {
      for (GtidSet.Interval interval : of.getIntervals()) {
        count += interval.getEnd() - interval.getStart() + 1;
      }
    }
    return count;
  }
}
