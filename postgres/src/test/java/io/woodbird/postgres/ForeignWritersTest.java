package io.woodbird.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** Rows of writers that know of no filter, each asked for right after its commit returned. */
final class ForeignWritersTest extends OnePostgres {
  private static final long SPREAD = 0x9E3779B97F4A7C15L; // Odd: every number gives another key.

  @Test
  void noneOf20000Rows_isDenied() throws Exception {
    Run run = new Run("few", 20_000, 200);
    run.go(false);
    assertThat(run.denied.sum()).isZero();
    assertThat(run.unknown.sum()).isZero();
    assertThat(run.deniedWithoutProof.sum()).as("the control").isPositive();
    assertThat(run.attacks.sum()).isPositive();
  }

  @Test
  void noRowIsDenied_whileTheStreamIsLostAgainAndAgain() throws Exception {
    Run run = new Run("lossy", 10_000, 200);
    run.go(true);
    assertThat(run.denied.sum()).isZero();
    assertThat(run.deniedWithoutProof.sum()).as("the control").isPositive();
    assertThat(run.streams).isGreaterThan(1);
  }

  @Test
  @Tag("slow")
  void noneOfAMillionRows_isDenied() throws Exception {
    Run run = new Run("many", 1_000_000, 5_000);
    run.go(false);
    assertThat(run.denied.sum()).isZero();
    assertThat(run.unknown.sum()).isZero();
    assertThat(run.deniedWithoutProof.sum()).as("the control").isPositive();
  }

  /** Writers, an attacker, and one who asks. */
  private static final class Run {
    final LongAdder denied = new LongAdder();
    final LongAdder unknown = new LongAdder();
    final LongAdder deniedWithoutProof = new LongAdder();
    final LongAdder attacks = new LongAdder();
    long streams;
    private final AtomicLong next = new AtomicLong();
    private final AtomicBoolean over = new AtomicBoolean();
    private final String table;
    private final long rows;
    private final int longestMillis;
    private final List<CompletableFuture<?>> answers = new ArrayList<>();

    Run(String table, long rows, int longestMillis) {
      this.table = table;
      this.rows = rows;
      this.longestMillis = longestMillis;
    }

    void go(boolean kill) throws Exception {
      server.execute("create table " + table + " (id bigint primary key)");
      ExecutorService pool = Executors.newCachedThreadPool();
      try (Followed<Long> followed = Followed.longs(server, table).awaitGuarding(0L)) {
        List<Future<?>> others = new ArrayList<>();
        if (kill) {
          others.add(pool.submit(this::kill));
          while (followed.follower.streams() < 2) { // Writers may be faster than the first kill.
            Thread.sleep(10);
          }
        }
        List<Future<?>> writers = new ArrayList<>();
        writers.add(pool.submit(() -> insert(followed, "on", rows * 6 / 10)));
        writers.add(pool.submit(() -> insert(followed, "off", rows * 8 / 10)));
        writers.add(pool.submit(() -> copy(followed, rows / 10)));
        for (int i = 0; i < 4; i++) {
          int seed = i;
          writers.add(pool.submit(() -> slowly(followed, rows / 40, seed)));
        }
        others.add(pool.submit(() -> attack(followed)));
        for (Future<?> writer : writers) {
          writer.get();
        }
        over.set(true);
        for (Future<?> other : others) {
          other.get();
        }
        CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0])).get();
        streams = followed.follower.streams();
        followed.awaitGuarding(0L);
        long all = next.get();
        assertThat(all).isGreaterThanOrEqualTo(rows);
        for (long n = 1; n <= all; n++) {
          assertThat(followed.rebuilding.ask(n * SPREAD)).isEqualTo(Answer.MAYBE_HERE);
        }
      } finally {
        over.set(true);
        pool.shutdownNow();
      }
    }

    private List<Long> take(int count) {
      long last = next.addAndGet(count);
      List<Long> keys = new ArrayList<>();
      for (long n = last; n > last - count; n--) {
        keys.add(n * SPREAD);
      }
      return keys;
    }

    /** Called right after the commit of these keys has returned. */
    private void ask(Followed<Long> followed, List<Long> keys) {
      for (Long key : keys) {
        CompletableFuture<?> answer =
            followed
                .filter
                .askAsync(key)
                .thenAccept(
                    said -> {
                      if (said == Answer.NOT_HERE) {
                        denied.increment();
                      } else if (said == Answer.UNKNOWN) {
                        unknown.increment();
                      }
                    });
        if (followed.rebuilding.ask(key) == Answer.NOT_HERE) {
          deniedWithoutProof.increment();
        }
        synchronized (answers) {
          answers.add(answer);
        }
      }
    }

    private Void insert(Followed<Long> followed, String synchronous, long until) throws Exception {
      try (Connection writer = server.connect()) {
        try (Statement statement = writer.createStatement()) {
          statement.execute("set synchronous_commit = " + synchronous);
        }
        try (PreparedStatement row =
            writer.prepareStatement("insert into " + table + " values (?)")) {
          while (next.get() < until) {
            List<Long> keys = take(1);
            row.setLong(1, keys.get(0));
            row.execute();
            ask(followed, keys);
          }
        }
      }
      return null;
    }

    private Void copy(Followed<Long> followed, long share) throws Exception {
      try (Connection writer = server.connect()) {
        for (long done = 0; done < share; done += 200) {
          List<Long> keys = take(200);
          StringBuilder text = new StringBuilder();
          keys.forEach(key -> text.append(key).append('\n'));
          writer
              .unwrap(PGConnection.class)
              .getCopyAPI()
              .copyIn("copy " + table + " from stdin", new StringReader(text.toString()));
          ask(followed, keys);
        }
      }
      return null;
    }

    /** Transactions that take long, so that others commit higher ids before. */
    private Void slowly(Followed<Long> followed, long share, int seed) throws Exception {
      SplittableRandom random = new SplittableRandom(seed);
      int size = (int) Math.max(20, share / 20);
      try (Connection writer = server.connect();
          PreparedStatement row = writer.prepareStatement("insert into " + table + " values (?)")) {
        writer.setAutoCommit(false);
        for (long done = 0; done < share; done += size) {
          List<Long> keys = take(size);
          for (Long key : keys) {
            row.setLong(1, key);
            row.addBatch();
          }
          row.executeBatch();
          Thread.sleep(random.nextInt(longestMillis));
          writer.commit();
          ask(followed, keys);
        }
      }
      // The rest, so that the number of rows is reached whoever is slow.
      return next.get() < rows && seed == 0 ? insert(followed, "on", rows) : null;
    }

    private Void attack(Followed<Long> followed) throws Exception {
      long n = 1L << 40;
      while (!over.get()) {
        List<CompletableFuture<Answer>> some = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
          some.add(followed.filter.askAsync(n++ * SPREAD));
        }
        for (CompletableFuture<Answer> one : some) {
          one.get();
        }
        attacks.add(some.size());
      }
      return null;
    }

    private Void kill() throws Exception {
      Callable<Boolean> isOver = over::get;
      while (!isOver.call()) {
        server.execute(
            "select pg_terminate_backend(active_pid) from pg_replication_slots where active");
        Thread.sleep(500);
      }
      return null;
    }
  }
}
