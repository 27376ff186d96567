package io.woodbird.jdbc;

import io.woodbird.Answer;
import io.woodbird.guard.FollowingFilter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * Writers that tell no filter of their rows, while others attack. Every row is asked for as soon as
 * its commit has returned.
 */
final class ForeignWriters {
  /** Writes rows in one transaction, as a bulk load does. */
  interface Bulk {
    void load(Connection connection, List<Long> ids) throws Exception;
  }

  private static final int THREADS = 4;
  private static final Executor LATER =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "later");
            thread.setDaemon(true);
            return thread;
          });

  private final Database database;
  private final Bulk bulk;
  private final List<Function<Long, CompletableFuture<Answer>>> instances;
  private final AtomicLong ids = new AtomicLong();
  private final AtomicLong left;
  private final int longestMillis;
  final LongAdder asked = new LongAdder();
  final LongAdder denied = new LongAdder();
  final LongAdder unknown = new LongAdder();
  final LongAdder attacks = new LongAdder();
  final LongAdder stopped = new LongAdder();

  ForeignWriters(
      Database database,
      Bulk bulk,
      long rows,
      List<Function<Long, CompletableFuture<Answer>>> instances) {
    this.database = database;
    this.bulk = bulk;
    this.instances = instances;
    this.left = new AtomicLong(rows);
    this.longestMillis = rows < 100_000 ? 200 : 5_000;
  }

  /** Rows one by one and by batches, as JDBC does it everywhere. */
  static void insert(Connection connection, List<Long> ids) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("insert into product (id) values (?)")) {
      for (Long id : ids) {
        insert.setLong(1, id);
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  void run(long seed) throws InterruptedException {
    AtomicBoolean over = new AtomicBoolean();
    List<Thread> writers = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      SplittableRandom random = new SplittableRandom(seed + i);
      writers.add(
          new Thread(
              () -> {
                try {
                  write(random);
                } catch (Exception | Error e) {
                  synchronized (failures) {
                    failures.add(e);
                  }
                }
              }));
    }
    Thread attacker = new Thread(() -> attack(new SplittableRandom(seed), over));
    attacker.start();
    writers.forEach(Thread::start);
    for (Thread writer : writers) {
      writer.join();
    }
    over.set(true);
    attacker.join();
    if (!failures.isEmpty()) {
      throw new AssertionError("a writer failed", failures.get(0));
    }
  }

  private void write(SplittableRandom random) throws Exception {
    List<Long> kept = new ArrayList<>(); // Taken early and used late: lower than those of others.
    List<CompletableFuture<?>> answers = new ArrayList<>();
    try (Connection connection = database.source().getConnection()) {
      while (left.get() > 0) {
        int many = random.nextInt(10) == 0 ? 50 + random.nextInt(200) : 1 + random.nextInt(10);
        List<Long> rows = new ArrayList<>();
        for (int i = 0; i < many; i++) {
          long id = ids.addAndGet(1 + random.nextInt(3)); // Leaves gaps.
          (random.nextInt(8) == 0 ? kept : rows).add(id);
        }
        if (kept.size() > 100) {
          rows.addAll(kept);
          kept.clear();
        }
        if (rows.isEmpty()) {
          continue;
        }
        boolean isLong = random.nextInt(10) == 0;
        connection.setAutoCommit(false);
        bulk.load(connection, rows);
        if (isLong) {
          Thread.sleep(random.nextInt(random.nextInt(20) == 0 ? longestMillis : 200));
        }
        connection.commit();
        left.addAndGet(-rows.size());
        for (Function<Long, CompletableFuture<Answer>> instance : instances) {
          for (Long id : rows) {
            answers.add(instance.apply(id).thenAccept(this::count));
          }
        }
      }
    }
    CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new)).join();
  }

  private void count(Answer answer) {
    asked.increment();
    denied.add(answer == Answer.NOT_HERE ? 1 : 0);
    unknown.add(answer == Answer.UNKNOWN ? 1 : 0);
  }

  /** Asks for keys that nobody has: far above, below, and in the gaps. */
  private void attack(SplittableRandom random, AtomicBoolean over) {
    while (!over.get()) {
      List<CompletableFuture<?>> round = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        long key = random.nextLong() | 1L << 62;
        attacks.increment();
        round.add(
            instances
                .get(i % instances.size())
                .apply(key)
                .thenAccept(answer -> stopped.add(answer == Answer.NOT_HERE ? 1 : 0)));
      }
      CompletableFuture.allOf(round.toArray(CompletableFuture<?>[]::new)).join();
    }
  }

  /** How an instance of a service asks: at once, or when a row is so old. */
  static Function<Long, CompletableFuture<Answer>> through(
      FollowingFilter<Long> filter, Duration age) {
    if (age.isZero()) {
      return filter::askAsync;
    }
    // Later than asked for if the machine is busy, never earlier.
    Executor later = CompletableFuture.delayedExecutor(age.toNanos(), TimeUnit.NANOSECONDS, LATER);
    return key ->
        CompletableFuture.supplyAsync(() -> filter.askAsync(key), later).thenCompose(a -> a);
  }
}
