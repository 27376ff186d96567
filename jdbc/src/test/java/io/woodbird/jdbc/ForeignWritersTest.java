package io.woodbird.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.guard.FollowingFilter;
import io.woodbird.guard.RebuildingFilter;
import io.woodbird.key.Keys;
import io.woodbird.testkit.MariaDbServer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.StringReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** No row is denied, whoever wrote it: two instances, and writers that tell none of them. */
final class ForeignWritersTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration BOUND = Duration.ofMillis(100);
  private static final long SEED = 20261117;

  /** One instance of a service: a filter of its own, which follows by itself. */
  private record Instance(
      RebuildingFilter<Long> built,
      FollowingFilter<Long> filter,
      CountingDataSource database,
      AtomicInteger doubts) {
    static Instance start(Database database, Duration freshness) {
      CountingDataSource counting = new CountingDataSource(database.source());
      JdbcKeys<Long> ids = JdbcKeys.longs(counting.proxy(), "select id from product");
      RebuildingFilter<Long> built =
          RebuildingFilter.of(Keys.longs(), ids)
              .expectedKeys(1_000_000)
              .allowEmpty()
              .every(Duration.ofMillis(500))
              .start();
      built.rebuildNow().join();
      AtomicInteger doubts = new AtomicInteger();
      return new Instance(
          built,
          FollowingFilter.over(built, ids.follower())
              .patience(LONG)
              .freshness(freshness)
              .mostWaiting(100_000)
              .onDoubt(
                  doubt -> {
                    doubts.incrementAndGet();
                    System.out.println("doubt: " + doubt.orElse("none"));
                  })
              .start(),
          counting,
          doubts);
    }

    void stop() {
      filter.close();
      built.close();
    }
  }

  private static ForeignWriters write(
      Database database, ForeignWriters.Bulk bulk, long rows, boolean confirmed, Duration freshness)
      throws InterruptedException {
    database.run("create table product (id bigint primary key)");
    List<Instance> instances =
        List.of(Instance.start(database, freshness), Instance.start(database, freshness));
    for (Instance instance : instances) {
      while (instance.filter.ask(-1L) != Answer.NOT_HERE) {
        LockSupport.parkNanos(1_000_000);
      }
    }
    List<Function<Long, CompletableFuture<Answer>>> questions = new ArrayList<>();
    for (Instance instance : instances) {
      questions.add(
          confirmed
              ? ForeignWriters.through(instance.filter, freshness)
              : key -> CompletableFuture.completedFuture(instance.built.ask(key)));
    }
    ForeignWriters writers = new ForeignWriters(database, bulk, rows, questions);
    long[] before = instances.stream().mapToLong(i -> i.database.statements.get()).toArray();
    long begun = System.nanoTime();
    writers.run(SEED);
    double seconds = (System.nanoTime() - begun) / 1e9;
    for (int i = 0; i < before.length; i++) {
      long statements = instances.get(i).database.statements.get() - before[i];
      // Builds read the source too, twice a second.
      assertThat(statements / seconds).as("statements a second").isLessThan(60 + 4);
    }
    System.out.printf(
        "%,d questions for new rows, %,d attacks, %.1f s, %,d denied, %,d unknown%n",
        writers.asked.sum(),
        writers.attacks.sum(),
        seconds,
        writers.denied.sum(),
        writers.unknown.sum());
    instances.forEach(Instance::stop);
    // On a busy machine a statement of the follower may run out of time. The follower then tells
    // of a doubt, and nothing is stopped until the doubt ends.
    if (instances.stream().allMatch(instance -> instance.doubts.get() == 0)) {
      assertThat(writers.unknown.sum()).as("unknown without a doubt").isZero();
      // All but the false positives, of which there are at most 1 %.
      assertThat(writers.stopped.sum()).isGreaterThan(writers.attacks.sum() * 98 / 100);
    }
    return writers;
  }

  private static void assertNoRowIsDenied(ForeignWriters writers, long rows) {
    assertThat(writers.asked.sum()).isGreaterThanOrEqualTo(2 * rows);
    assertThat(writers.denied.sum()).isZero();
  }

  private static void h2(long rows, Duration freshness) throws InterruptedException {
    Database database = Database.h2("foreign");
    try {
      assertNoRowIsDenied(write(database, ForeignWriters::insert, rows, true, freshness), rows);
    } finally {
      database.run("shutdown");
    }
  }

  private static void postgres(long rows, Duration freshness) throws Exception {
    try (EmbeddedPostgres server = EmbeddedPostgres.start()) {
      Database database = new Database(server.getPostgresDatabase());
      ForeignWriters.Bulk bulk =
          (connection, ids) -> {
            if (ids.size() < 50) {
              ForeignWriters.insert(connection, ids);
              return;
            }
            String lines = ids.stream().map(String::valueOf).collect(Collectors.joining("\n"));
            connection
                .unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn("copy product from stdin", new StringReader(lines));
          };
      assertNoRowIsDenied(write(database, bulk, rows, true, freshness), rows);
    }
  }

  private static void mariaDb(long rows) throws Exception {
    try (MariaDbServer server = MariaDbServer.start()) {
      Database database = new Database(server.dataSource());
      assertNoRowIsDenied(write(database, ForeignWriters::insert, rows, true, Duration.ZERO), rows);
    }
  }

  @Test
  void noRowIsDenied_onMariaDb() throws Exception {
    mariaDb(20_000);
  }

  @Test
  @Tag("slow")
  void noRowIsDenied_onMariaDb_ofAMillion() throws Exception {
    mariaDb(1_000_000);
  }

  @Test
  void noRowIsDenied_onH2() throws InterruptedException {
    h2(20_000, Duration.ZERO);
  }

  @Test
  void noRowIsDenied_onPostgres() throws Exception {
    postgres(20_000, Duration.ZERO);
  }

  @Test
  void withABound_noRowThatIsOlderIsDenied_onH2() throws InterruptedException {
    h2(5_000, BOUND);
  }

  @Test
  @Tag("slow")
  void withABound_noRowThatIsOlderIsDenied_onPostgres() throws Exception {
    postgres(1_000_000, BOUND);
  }

  @Test
  @Tag("slow")
  void noRowIsDenied_onH2_ofAMillion() throws InterruptedException {
    h2(1_000_000, Duration.ZERO);
  }

  @Test
  @Tag("slow")
  void noRowIsDenied_onPostgres_ofAMillion() throws Exception {
    postgres(1_000_000, Duration.ZERO);
  }

  /** The control: a filter that is rebuilt twice a second, and does not follow. */
  @Test
  void withoutAFollower_rowsAreDenied() throws InterruptedException {
    Database database = Database.h2("alone");
    try {
      ForeignWriters writers = write(database, ForeignWriters::insert, 2_000, false, Duration.ZERO);
      assertThat(writers.denied.sum()).isPositive();
    } finally {
      database.run("shutdown");
    }
  }
}
