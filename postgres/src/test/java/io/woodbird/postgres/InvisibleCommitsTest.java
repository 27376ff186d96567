package io.woodbird.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.guard.Guard;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The log tells of a commit before its row is visible: long before, if a standby is slow. */
final class InvisibleCommitsTest extends OnePostgres {
  /** A row whose commit is in the log and waits for a standby that is not there. */
  private static final class HeldCommit {
    private final AtomicLong last = new AtomicLong(1000);
    private final AtomicBoolean released = new AtomicBoolean();
    private final CompletableFuture<Void> commit;

    HeldCommit(String table) throws Exception {
      server.execute(
          "alter system set synchronous_standby_names = 'nobody'", "select pg_reload_conf()");
      // The setting reaches the server's processes one by one, so some commits still return.
      commit = CompletableFuture.runAsync(() -> insert(table));
      awaitHeld(1);
    }

    private void insert(String table) {
      try (Connection writer = server.connect();
          Statement statement = writer.createStatement()) {
        while (!released.get()) {
          statement.execute(
              "insert into " + table + " values (" + last.incrementAndGet() + ", 'raven')");
        }
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    long key() {
      return last.get();
    }

    /** Returns when the commit has returned. */
    void release() throws Exception {
      assertThat(commit).isNotDone();
      released.set(true);
      server.execute("alter system reset synchronous_standby_names", "select pg_reload_conf()");
      commit.get();
    }
  }

  private static Optional<String> load(String table, long id) {
    try {
      return Optional.ofNullable(
          server.ask("select max(name) from " + table + " where id = " + id));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aRowThatALookUpOrABuildMissed_isFoundWhenItsCommitReturns() throws Exception {
    server.execute("create table held (id bigint primary key, name text)");
    try (Followed<Long> product = Followed.longs(server, "held").awaitGuarding(-1L)) {
      Guard<Long, String> guard = Guard.of(product.filter, id -> load("held", id));
      HeldCommit held = new HeldCommit("held");
      for (int i = 0; i < 5; i++) {
        assertThat(guard.get(held.key())).isEmpty();
        Thread.sleep(20);
      }
      product.rebuilding.rebuildNow().get();
      held.release();
      assertThat(guard.get(held.key())).contains("raven");
    }
  }

  @Test
  void aRowThatTheSlotLeavesOut_andThatIsNotVisibleYet_isFoundWhenItsCommitReturns()
      throws Exception {
    server.execute("create table early (id bigint primary key, name text)");
    try (Connection first = server.connect();
        Connection second = server.connect()) {
      // A slot is made in two steps. Each waits for the transactions that run when it begins.
      String one = begin(first);
      try (Followed<Long> product = Followed.longs(server, "early")) {
        awaitWaiter(one);
        String two = begin(second);
        first.rollback();
        awaitWaiter(two);
        // The second step does not wait for this one, and the slot begins behind its commit.
        HeldCommit held = new HeldCommit("early");
        second.rollback();
        product.awaitStreams(1);
        Thread.sleep(500); // A build that began too early would have read the table by now.
        held.release();
        product.awaitGuarding(-1L);
        assertThat(product.filter.ask(held.key())).isEqualTo(Answer.MAYBE_HERE);
      }
    }
  }

  /** It has more keys than wait in memory. */
  @Test
  void aLargeTransactionThatABuildMissed_isFoundWhenItsCommitReturns() throws Exception {
    long first = 2_000_000;
    server.execute("create table bulk (id bigint primary key, name text)");
    try (Followed<Long> product = Followed.longs(server, "bulk").awaitGuarding(-1L)) {
      HeldCommit held = new HeldCommit("bulk");
      CompletableFuture<Void> load =
          CompletableFuture.runAsync(
              () ->
                  execute(
                      "insert into bulk select x, 'owl' from generate_series("
                          + first
                          + ", "
                          + (first + Transaction.MOST_KEYS)
                          + ") x"));
      awaitHeld(2);
      for (int i = 0; i < 100 && !product.rebuilding.mightContain(first); i++) {
        Thread.sleep(10); // So long would keys take that are put too early.
      }
      product.rebuilding.rebuildNow().get();
      held.release();
      load.get();
      for (long key : new long[] {first, first + Transaction.MOST_KEYS}) {
        Answer answer;
        while ((answer = product.filter.ask(key)) != Answer.MAYBE_HERE) {
          assertThat(answer).as("key %d", key).isEqualTo(Answer.UNKNOWN);
          Thread.sleep(10);
        }
      }
    }
  }

  @Test
  void aPublicationWhoseChangeIsNotVisibleYet_isNoticed() throws Exception {
    server.execute("create table withdrawn (id bigint primary key, name text)");
    try (Followed<Long> product = Followed.longs(server, "withdrawn").awaitGuarding(-1L)) {
      HeldCommit held = new HeldCommit("withdrawn");
      CompletableFuture<Void> change =
          CompletableFuture.runAsync(
              () ->
                  execute(
                      "alter publication "
                          + product.follower.publication()
                          + " drop table withdrawn"));
      awaitHeld(2);
      // The server sends no more rows of the table, and its catalogue still says that it does.
      execute("set synchronous_commit = local", "insert into withdrawn values (1, 'jay')");
      assertThat(product.filter.ask(1L)).isEqualTo(Answer.UNKNOWN);
      held.release();
      change.get();
      product.awaitGuarding(-1L);
      assertThat(product.filter.ask(1L)).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  private static void execute(String... statements) {
    try {
      server.execute(statements);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitHeld(int commits) throws Exception {
    String held = "select count(*) from pg_stat_activity where wait_event = 'SyncRep'";
    while (!Integer.toString(commits).equals(server.ask(held))) {
      Thread.sleep(10);
    }
  }

  private static String begin(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select txid_current()")) {
      row.next();
      return row.getString(1);
    }
  }

  private static void awaitWaiter(String transaction) throws Exception {
    String waiting =
        "select count(*) from pg_locks where not granted and transactionid::text = '"
            + transaction
            + "'";
    while (!"1".equals(server.ask(waiting))) {
      Thread.sleep(10);
    }
  }
}
