package io.woodbird.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.woodbird.Answer;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.guard.FollowingFilter;
import io.woodbird.key.Keys;
import java.sql.Connection;
import java.sql.Statement;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever makes the stream miss a commit: no row is denied, and the follower recovers. */
final class LostTrackTest extends OnePostgres {
  /** Never "not here" for a key that has a row; the end is "maybe here". */
  private static void find(Followed<Long> followed, long key) throws InterruptedException {
    Answer answer;
    while ((answer = followed.filter.ask(key)) != Answer.MAYBE_HERE) {
      assertThat(answer).isEqualTo(Answer.UNKNOWN);
      Thread.sleep(10);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          a | alter publication PUB drop table T; insert into T values (1001); alter publication PUB add table T
          b | alter publication PUB set (publish = 'delete'); insert into T values (1001); alter publication PUB set (publish = 'insert, update, delete, truncate')
          c | drop publication PUB; insert into T values (1001)
          d | alter table T rename to d_old; create table T (id bigint primary key, other bigint); insert into T values (1001)
          e | alter table T rename id to x; alter table T rename other to id; alter table T rename x to other
          f | alter table T alter column id type bigint using id + 1000
          g | create table g2 as select * from T; drop table T; alter table g2 rename to T; alter table T add primary key (id); insert into T values (1001)
          h | select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = 'SLOT'; insert into T values (1001)
          """)
  void aChangeThatTheStreamDoesNotTellOf_isNoticed(String table, String change) throws Exception {
    server.execute(
        "create table " + table + " (id bigint primary key, other bigint)",
        "insert into " + table + " values (1, 1001)");
    try (Followed<Long> followed = Followed.longs(server, table).awaitGuarding(-1L)) {
      assertThat(followed.filter.ask(1001L)).isEqualTo(Answer.NOT_HERE);
      for (String sql : change.split(";")) {
        server.execute(
            sql.replace("PUB", followed.follower.publication())
                .replace("SLOT", followed.follower.slot())
                .replaceAll("\\bT\\b", table));
      }
      find(followed, 1001);
      followed.awaitGuarding(-1L);
      followed.awaitStreams(2);
      server.execute("insert into " + table + " (id, other) values (2000, 2000)");
      find(followed, 2000);
      assertThat(followed.refills.get()).isGreaterThan(1);
    }
  }

  /** A new slot waits for the transactions that run, and they may change what was looked at. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          i | create table i_old () inherits (i) | tables inherit from
          j | alter publication published_j set (publish = 'delete') | leaves out inserts
          k | alter publication published_k set (publish_via_partition_root = true) | another table
          l | alter table l alter column id type numeric(9, 2) | different texts
          """)
  void aChangeThatTheSlotWaitsFor_isNoticed(String table, String change, String why)
      throws Exception {
    String publication = "published_" + table;
    server.execute(
        "create table " + table + " (id bigint primary key)",
        "create publication " + publication + " for table " + table);
    try (Connection migration = server.connect();
        Statement statement = migration.createStatement()) {
      migration.setAutoCommit(false);
      statement.execute(change);
      try (Followed<Long> followed =
          Followed.longs(server, table, builder -> builder.publication(publication))) {
        String slot = "'" + followed.follower.slot() + "'";
        while (server
            .column("select 1 from pg_replication_slots where slot_name = " + slot)
            .isEmpty()) {
          Thread.sleep(10);
        }
        migration.commit();
        String doubt = "";
        while (doubt == null || !doubt.contains(why)) {
          assertThat(followed.filter.ask(-1L)).isEqualTo(Answer.UNKNOWN);
          doubt = followed.filter.doubt();
        }
      }
    }
  }

  /** Before version 16 a rule makes a view of an empty table, which keeps its number. */
  @Test
  void aTableThatBecomesAView_isNoticed() throws Exception {
    assumeTrue(Integer.parseInt(server.ask("show server_version_num")) < 160_000);
    server.execute(
        "create table viewed (id bigint)",
        "alter table viewed replica identity full",
        "create table behind (id bigint)");
    try (Followed<Long> followed = Followed.longs(server, "viewed").awaitGuarding(-1L)) {
      server.execute(
          "create rule \"_RETURN\" as on select to viewed do instead select id from behind",
          "insert into behind values (1001)");
      String doubt = "";
      while (doubt == null || !doubt.contains("not a plain, logged table")) {
        assertThat(followed.filter.ask(1001L)).isEqualTo(Answer.UNKNOWN);
        doubt = followed.filter.doubt();
      }
    }
  }

  /** Then the extension Citus may have moved the table's rows to others. */
  @Test
  void aDatabaseThatGetsACatalogueOfPlaces_isNotFollowedAnyMore() throws Exception {
    server.execute("create table moved (id bigint primary key)");
    try (Followed<Long> followed = Followed.longs(server, "moved").awaitGuarding(-1L)) {
      try {
        server.execute(
            "set allow_system_table_mods = on; create table pg_catalog.pg_dist_partition (x int)");
        String doubt = "";
        while (doubt == null || !doubt.contains("Citus")) {
          assertThat(followed.filter.ask(-1L)).isEqualTo(Answer.UNKNOWN);
          doubt = followed.filter.doubt();
        }
      } finally {
        server.execute("set allow_system_table_mods = on; drop table pg_catalog.pg_dist_partition");
      }
      followed.awaitGuarding(-1L);
    }
  }

  /** Its commits would wait for the follower, which waits until they are visible. */
  @Test
  void aServerThatWouldTakeTheStreamForAStandby_losesIt() throws Exception {
    server.execute("create table awaited (id bigint primary key)");
    try (Followed<Long> followed = Followed.longs(server, "awaited").awaitGuarding(-1L)) {
      try {
        server.execute(
            "alter system set synchronous_standby_names = '*'", "select pg_reload_conf()");
        String doubt = "";
        while (doubt == null || !doubt.contains("synchronous_standby_names is '*'")) {
          Thread.sleep(10);
          followed.filter.ask(-1L);
          doubt = followed.filter.doubt();
        }
        assertThat(followed.filter.ask(-1L)).isEqualTo(Answer.UNKNOWN);
        assertThat(server.column("select slot_name from pg_replication_slots where active"))
            .isEmpty();
      } finally {
        server.execute("alter system reset synchronous_standby_names", "select pg_reload_conf()");
      }
      server.execute("insert into awaited values (1)");
      followed.awaitGuarding(-1L);
      assertThat(followed.filter.ask(1L)).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  @Test
  void aTableThatCanNotBeFollowedAnyMore_deniesNothing_andSaysWhy() throws Exception {
    server.execute("create table parent (id bigint primary key)");
    try (Followed<Long> followed = Followed.longs(server, "parent").awaitGuarding(-1L)) {
      server.execute("create table child () inherits (parent)", "insert into child values (1001)");
      while (followed.filter.doubt() == null || !followed.filter.doubt().contains("inherit")) {
        assertThat(followed.filter.ask(1001L)).isEqualTo(Answer.UNKNOWN);
        Thread.sleep(20);
      }
      server.execute("drop table child", "insert into parent values (1002)");
      followed.awaitGuarding(-1L);
      assertThat(followed.filter.ask(1002L)).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  @Test
  void aServerThatStopsAndStarts_isFollowedAgain() throws Exception {
    server.execute("create table restarted (id bigint primary key)");
    try (Followed<Long> followed = Followed.longs(server, "restarted").awaitGuarding(-1L)) {
      server.stop();
      assertThat(followed.filter.ask(1L)).isEqualTo(Answer.UNKNOWN);
      server.startAgain();
      server.execute("insert into restarted values (1)");
      find(followed, 1);
      followed.awaitGuarding(-1L);
    }
  }

  @Test
  void aServerThatIsFrozenForAMoment_deniesNoRow() throws Exception {
    server.execute("create table chilled (id bigint primary key)");
    try (Followed<Long> followed = Followed.longs(server, "chilled").awaitGuarding(-1L)) {
      server.freeze();
      CompletableFuture<Answer> waiting = followed.filter.askAsync(1L);
      server.thaw();
      server.execute("insert into chilled values (1)");
      assertThat(waiting.get()).isNotNull();
      find(followed, 1);
      followed.awaitGuarding(-1L);
    }
  }

  /** The connections are given up after ten seconds. */
  @Test
  @Tag("slow")
  void aServerThatIsFrozen_deniesNothing_andIsFollowedAgain() throws Exception {
    server.execute("create table frozen (id bigint primary key)");
    try (Followed<Long> followed = Followed.longs(server, "frozen").awaitGuarding(-1L)) {
      server.freeze();
      try {
        assertThat(followed.filter.ask(1L)).isEqualTo(Answer.UNKNOWN);
      } finally {
        server.thaw();
      }
      server.execute("insert into frozen values (1)");
      find(followed, 1);
      followed.awaitGuarding(-1L);
    }
  }

  @Test
  void aServerThatIsDownAtTheBeginning_isFollowedWhenItIsUp() throws Exception {
    server.execute("create table down (id bigint primary key)");
    server.stop();
    try (Followed<Long> followed = Followed.longs(server, "down")) {
      assertThat(followed.filter.ask(1L)).isEqualTo(Answer.UNKNOWN);
      server.startAgain();
      server.execute("insert into down values (1)");
      followed.awaitGuarding(-1L);
      assertThat(followed.filter.ask(1L)).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  @Test
  void nothingIsDenied_untilTheFilterIsFilledAfterALoss() throws Exception {
    server.execute("create table gap (id bigint primary key)");
    MutableFilter<Long> filter = Woodbird.bloom(Keys.longs(), 1000).fpp(1e-6).build();
    BlockingQueue<CompletableFuture<Void>> fills = new LinkedBlockingQueue<>();
    PostgresFollower<Long> follower =
        PostgresFollower.of(server.url(), Long::valueOf)
            .login("postgres", "postgres")
            .table("public", "gap")
            .column("id")
            .refill(
                () -> {
                  CompletableFuture<Void> fill = new CompletableFuture<>();
                  fills.add(fill);
                  return fill;
                })
            .build();
    try (FollowingFilter<Long> following = FollowingFilter.over(filter, follower).start()) {
      fills.take().complete(null); // The table is empty.
      while (following.ask(1L) != Answer.NOT_HERE) {
        Thread.sleep(10);
      }
      server.execute(
          "select pg_terminate_backend(active_pid) from pg_replication_slots where active",
          "insert into gap values (1)");
      CompletableFuture<Void> second = fills.take();
      long failures = following.failures();
      while (following.failures() < failures + 2) {
        assertThat(following.ask(1L)).isEqualTo(Answer.UNKNOWN);
        Thread.sleep(10);
      }
      assertThat(following.doubt()).contains("is being filled");
      filter.put(1L);
      second.complete(null);
      while (following.doubt() != null) {
        Thread.sleep(10);
      }
      assertThat(following.ask(1L)).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  @Test
  void aFillThatFails_isTriedAgain() throws Exception {
    server.execute("create table failing (id bigint primary key)");
    AtomicInteger calls = new AtomicInteger();
    try (Followed<Long> followed =
        Followed.longs(
            server,
            "failing",
            builder ->
                builder.refill(
                    () ->
                        calls.incrementAndGet() < 3
                            ? CompletableFuture.failedFuture(new IllegalStateException("not now"))
                            : CompletableFuture.completedFuture(1)))) {
      boolean said = false;
      while (followed.filter.doubt() != null) {
        said |= followed.filter.doubt().contains("not now");
        Thread.sleep(10);
      }
      assertThat(calls).hasValue(3);
      assertThat(said).isTrue();
    }
  }
}
