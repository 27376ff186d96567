package io.woodbird.mysql;

import io.woodbird.Answer;
import io.woodbird.testkit.MariaDbServer;
import io.woodbird.testkit.Together;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Writers that know of no filter, and that ask for each row as soon as its commit has returned. */
final class ForeignWriters {
  private static final int MOST_ROWS = 200;

  final LongAdder asked = new LongAdder();
  final LongAdder denied = new LongAdder();
  final LongAdder unknown = new LongAdder();

  /** Rows that the filter did not have yet: denied, if nobody had asked the follower. */
  final LongAdder late = new LongAdder();

  private final MariaDbServer server;
  private final FollowedTable<Long> table;
  private final long longestMillis;
  private final AtomicLong next = new AtomicLong(1_000);

  ForeignWriters(MariaDbServer server, FollowedTable<Long> table, long longestMillis) {
    this.server = server;
    this.table = table;
    this.longestMillis = longestMillis;
  }

  /** Writes rows in several threads, until there are enough. */
  void write(int threads, long rows, long seed) {
    long end = next.get() + rows;
    Together.run(
        threads,
        thread -> {
          Random random = new Random(seed + thread);
          try (Connection connection = server.connect();
              PreparedStatement insert =
                  connection.prepareStatement("insert into product (id) values (?)")) {
            while (next.get() < end) {
              writeSome(connection, insert, random);
            }
          }
        });
  }

  /** Seven of ten commits are of one row, two of many at once, one of a long transaction. */
  private void writeSome(Connection connection, PreparedStatement insert, Random random)
      throws Exception {
    int kind = random.nextInt(10);
    int rows = kind < 7 ? 1 : 1 + random.nextInt(MOST_ROWS);
    long first = next.getAndAdd(rows); // Others commit higher ones before.
    List<Long> keys = new ArrayList<>();
    for (long key = first; key < first + rows; key++) {
      keys.add(key);
    }
    Collections.shuffle(keys, random);
    connection.setAutoCommit(kind < 7);
    insertAll(insert, keys);
    if (kind == 9) {
      Thread.sleep(1 + random.nextInt((int) longestMillis));
    }
    if (kind >= 7) {
      connection.commit();
    }
    for (long key : keys) {
      late.add(table.keys.ask(key) == Answer.NOT_HERE ? 1 : 0);
      Answer answer = table.ask(key);
      asked.increment();
      denied.add(answer == Answer.NOT_HERE ? 1 : 0);
      unknown.add(answer == Answer.UNKNOWN ? 1 : 0);
    }
  }

  private static void insertAll(PreparedStatement insert, List<Long> keys) throws SQLException {
    for (long key : keys) {
      insert.setLong(1, key);
      insert.addBatch();
    }
    insert.executeBatch();
  }

  @Override
  public String toString() {
    return "%s rows: %s denied, %s unknown, %s late".formatted(asked, denied, unknown, late);
  }
}
