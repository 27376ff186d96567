package io.woodbird.example.guard;

import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.postgresql.PGConnection;

/** Programs that write products and tell nobody. */
final class Strangers {
  private static final int WRITERS = 4;
  private static final int ASKERS = 32;
  private static final int LONGEST_MILLIS = 1000;

  private final Database database;
  private final List<Products> instances;
  private final LongAdder asked = new LongAdder();
  private final LongAdder denied = new LongAdder();

  Strangers(Database database, List<Products> instances) {
    this.database = database;
    this.instances = instances;
  }

  long asked() {
    return asked.sum();
  }

  long denied() {
    return denied.sum();
  }

  /**
   * Writes rows in several transactions at once, and asks for each when its commit has returned.
   */
  void write(int rows, long seed) throws Exception {
    ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
    ExecutorService askers = Executors.newFixedThreadPool(ASKERS);
    AtomicInteger left = new AtomicInteger(rows);
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      SplittableRandom random = new SplittableRandom(seed * WRITERS + i);
      all.add(
          writers.submit(
              () -> {
                write(left, random, askers);
                return null;
              }));
    }
    try {
      for (Future<?> one : all) {
        one.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("a writer failed", e.getCause());
    } finally {
      writers.shutdownNow();
      askers.shutdown();
      askers.awaitTermination(1, TimeUnit.HOURS);
    }
  }

  private void write(AtomicInteger left, SplittableRandom random, ExecutorService askers)
      throws Exception {
    try (Connection connection = database.connect()) {
      while (left.get() > 0) {
        boolean copies = random.nextInt(20) == 0;
        List<Long> ids = numbers(connection, copies ? 100 : 1 + random.nextInt(10));
        connection.setAutoCommit(false);
        if (copies) {
          copy(connection, ids);
        } else {
          insert(connection, ids);
        }
        if (random.nextInt(20) == 0) { // Others take higher numbers meanwhile, and commit.
          Thread.sleep(random.nextInt(LONGEST_MILLIS));
        }
        connection.commit();
        left.addAndGet(-ids.size());
        for (Products products : instances) {
          for (Long id : ids) {
            askers.execute(() -> ask(products, id));
          }
        }
        connection.setAutoCommit(true);
      }
    }
  }

  private void ask(Products products, long id) {
    asked.increment();
    denied.add(products.find(id).isEmpty() ? 1 : 0);
  }

  /** Takes numbers long before they are used. */
  private static List<Long> numbers(Connection connection, int count) throws SQLException {
    try (PreparedStatement next =
        connection.prepareStatement(
            "select nextval('product_id_seq') from generate_series(1, ?)")) {
      next.setInt(1, count);
      try (ResultSet rows = next.executeQuery()) {
        List<Long> numbers = new ArrayList<>();
        while (rows.next()) {
          numbers.add(rows.getLong(1));
        }
        return numbers;
      }
    }
  }

  private static void insert(Connection connection, List<Long> ids) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("insert into product values (?, 'strange', 1)")) {
      for (Long id : ids) {
        insert.setLong(1, id);
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  private static void copy(Connection connection, List<Long> ids) throws Exception {
    String lines = ids.stream().map(id -> id + "\tstrange\t1").collect(Collectors.joining("\n"));
    connection
        .unwrap(PGConnection.class)
        .getCopyAPI()
        .copyIn("copy product from stdin", new StringReader(lines));
  }
}
