package io.woodbird.bench;

import io.woodbird.guard.FollowingFilter;
import io.woodbird.guard.Guard;
import io.woodbird.guard.RebuildingFilter;
import io.woodbird.jdbc.JdbcKeys;
import io.woodbird.key.Keys;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;
import javax.sql.DataSource;

/**
 * Threads that ask a guard for rows which don't exist: each the next question when it has its
 * answer, or a virtual thread for each question, as a server has one for each request. {@link
 * FollowSection} starts it.
 */
final class FollowProbe {
  private static final int ROWS = 100_000;
  private static final int SLOTS = 1 << 20;

  /**
   * How long all threads have to start before the first question of a paced attack is due. Else
   * what became due meanwhile is asked at once: with 8,000 threads more than one question in a
   * hundred, whose wait would be the 99th percentile.
   */
  private static final long START_NANOS = 500_000_000;

  /** Questions that become due within this time are asked together. */
  private static final long TICK_NANOS = 1_000_000;

  private FollowProbe() {}

  /**
   * The arguments: "platform", "virtual" or "requests" (a virtual thread for each question), how
   * many threads, the freshness in ms, "outside" or "gaps", how many questions a second at most (0
   * is no limit), how many seconds.
   */
  public static void main(String[] args) throws Exception {
    int threads = Integer.parseInt(args[1]);
    boolean outside = args[3].equals("outside");
    long rate = Long.parseLong(args[4]);
    double seconds = Double.parseDouble(args[5]);
    try (EmbeddedPostgres server = EmbeddedPostgres.start();
        Connection connection = server.getPostgresDatabase().getConnection()) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("create table product (id bigint primary key)");
        statement.execute(
            "insert into product select 2 * n from generate_series(1, " + ROWS + ") n");
        statement.execute("analyze product");
      }
      JdbcKeys<Long> ids = JdbcKeys.longs(kept(connection), "select id from product");
      RebuildingFilter<Long> built =
          RebuildingFilter.of(Keys.longs(), ids).every(Duration.ofHours(1)).start();
      built.rebuildNow().join();
      FollowingFilter<Long> filter =
          FollowingFilter.over(built, ids.follower())
              .freshness(Duration.ofMillis(Long.parseLong(args[2])))
              .start();
      while (filter.confirmations() == 0) {
        Thread.onSpinWait();
      }
      Guard<Long, String> guard = Guard.of(filter, id -> Optional.empty());
      LongUnaryOperator key =
          outside ? draw -> -1 - (draw >>> 1) : draw -> 2 * Math.floorMod(draw, (long) ROWS) + 1;
      ThreadFactory factory = args[0].equals("platform") ? Thread::new : virtualThreads();
      Attack attack =
          args[0].equals("requests")
              ? () -> requests(guard, factory, key, rate, seconds)
              : () -> attack(guard, factory, threads, key, rate, seconds);
      attack.run(); // Warms up.
      long before = filter.confirmations();
      long loads = guard.stats().loaded();
      long[] ticks = Machine.ticks();
      Times times = attack.run();
      System.out.print(Forks.line("perSecond", times.count / times.seconds));
      System.out.print(Forks.line("p50Millis", times.percentile(0.5)));
      System.out.print(Forks.line("p99Millis", times.percentile(0.99)));
      System.out.print(
          Forks.line("proofsPerSecond", (filter.confirmations() - before) / times.seconds));
      System.out.print(
          Forks.line("loadedShare", (guard.stats().loaded() - loads) / (double) times.count));
      System.out.print(Forks.line("stolenPercent", Machine.stolenPercentSince(ticks)));
      System.out.print(Forks.line("unknown", (double) guard.stats().unknown()));
      filter.close();
      built.close();
    }
  }

  private interface Attack {
    Times run() throws InterruptedException;
  }

  /** How long questions took; of very many, the last million. */
  private static final class Times {
    final long count;
    final double seconds;
    private final long[] nanos;

    Times(long count, double seconds, long[] nanos) {
      this.count = count;
      this.seconds = seconds;
      this.nanos = nanos;
    }

    static Times of(long count, long begin, AtomicLongArray nanos) {
      double seconds = (System.nanoTime() - begin) / 1e9;
      long[] sorted = new long[(int) Math.min(SLOTS, count)];
      Arrays.setAll(sorted, nanos::get);
      Arrays.sort(sorted);
      return new Times(count, seconds, sorted);
    }

    double percentile(double share) {
      return nanos[(int) (share * (nanos.length - 1))] / 1e6;
    }
  }

  private static Times attack(
      Guard<Long, String> guard,
      ThreadFactory factory,
      int threads,
      LongUnaryOperator key,
      long rate,
      double seconds)
      throws InterruptedException {
    AtomicLong asked = new AtomicLong();
    AtomicLongArray nanos = new AtomicLongArray(SLOTS);
    long seed = System.nanoTime();
    AtomicLong begun = new AtomicLong();
    List<Thread> all = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      SplittableRandom random = new SplittableRandom(seed + t);
      all.add(
          factory.newThread(
              () -> {
                long begin = begun.get();
                long end = begin + (long) (seconds * 1e9);
                while (true) {
                  long number = asked.getAndIncrement();
                  long due = rate == 0 ? 0 : begin + (long) (number * (1e9 / rate));
                  while (rate > 0 && due - System.nanoTime() > 0) {
                    LockSupport.parkNanos(due - System.nanoTime());
                  }
                  long start = System.nanoTime();
                  if (start - end > 0) {
                    asked.decrementAndGet();
                    return;
                  }
                  guard.get(key.applyAsLong(random.nextLong()));
                  nanos.set((int) (number & (SLOTS - 1)), System.nanoTime() - start);
                }
              }));
    }
    begun.set(System.nanoTime() + (rate == 0 ? 0 : START_NANOS));
    all.forEach(Thread::start);
    for (Thread thread : all) {
      thread.join();
    }
    return Times.of(asked.get(), begun.get(), nanos);
  }

  /**
   * Starts a thread for each question when it is due. The question takes from then on, so the start
   * of its thread is a part of it.
   */
  private static Times requests(
      Guard<Long, String> guard,
      ThreadFactory factory,
      LongUnaryOperator key,
      long rate,
      double seconds)
      throws InterruptedException {
    AtomicLongArray nanos = new AtomicLongArray(SLOTS);
    AtomicLong answered = new AtomicLong();
    SplittableRandom random = new SplittableRandom(System.nanoTime());
    long begin = System.nanoTime();
    long count = (long) (rate * seconds);
    long started = 0;
    while (started < count) {
      long due = Math.min(count, (long) ((System.nanoTime() - begin) * (rate / 1e9)));
      for (; started < due; started++) {
        int slot = (int) (started & (SLOTS - 1));
        long absent = key.applyAsLong(random.nextLong());
        long start = System.nanoTime();
        factory
            .newThread(
                () -> {
                  guard.get(absent);
                  nanos.set(slot, System.nanoTime() - start);
                  answered.incrementAndGet();
                })
            .start();
      }
      LockSupport.parkNanos(TICK_NANOS);
    }
    while (answered.get() < count) {
      Thread.sleep(1);
    }
    return Times.of(count, begin, nanos);
  }

  /** Threads of Java 21 and later; this is compiled for 17. */
  private static ThreadFactory virtualThreads() throws ReflectiveOperationException {
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    Class<?> type = Class.forName("java.lang.Thread$Builder");
    return (ThreadFactory) type.getMethod("factory").invoke(builder);
  }

  /** A pool of one connection. */
  private static DataSource kept(Connection connection) {
    Connection unclosed =
        proxy(
            Connection.class,
            (self, method, arguments) ->
                method.getName().equals("close") ? null : method.invoke(connection, arguments));
    return proxy(
        DataSource.class,
        (self, method, arguments) -> {
          if (!method.getName().equals("getConnection")) {
            throw new SQLException("not offered: " + method);
          }
          return unclosed;
        });
  }

  private static <T> T proxy(Class<T> type, java.lang.reflect.InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(FollowProbe.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
