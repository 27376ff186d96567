package io.woodbird.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.Statement;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** Rows that others write into a real server are found as soon as their commit has returned. */
final class PostgresFollowerTest extends OnePostgres {
  private static Followed<Long> product(String name) throws Exception {
    server.execute(
        "create table " + name + " (id bigint primary key, name text)",
        "insert into " + name + " select n from generate_series(1, 100) n");
    return Followed.longs(server, name).awaitGuarding(-1L);
  }

  @Test
  void rowsThatWereThere_andRowsOfAutocommit_areFound() throws Exception {
    try (Followed<Long> product = product("autocommit");
        Connection writer = server.connect();
        Statement statement = writer.createStatement()) {
      for (long id = 1; id <= 100; id++) {
        assertThat(product.filter.ask(id)).isEqualTo(Answer.MAYBE_HERE);
      }
      for (long id = 101; id < 200; id++) {
        assertThat(product.filter.ask(id)).as("not yet").isEqualTo(Answer.NOT_HERE);
        statement.execute("insert into autocommit values (" + id + ")");
        assertThat(product.filter.ask(id)).isEqualTo(Answer.MAYBE_HERE);
        assertThat(product.rebuilding.ask(id + 1)).isEqualTo(Answer.NOT_HERE);
      }
      assertThat(product.refills).hasValue(1);
      assertThatThrownBy(() -> product.follower.begin(product.rebuilding))
          .as("for a second filter")
          .hasMessageContaining("one for each filter");
    }
  }

  @Test
  void asynchronousCommits_areFound_beforeTheServerWroteThem() throws Exception {
    try (Followed<Long> product = product("asynchronous");
        Connection writer = server.connect();
        Statement statement = writer.createStatement()) {
      statement.execute("set synchronous_commit = off");
      for (long id = 1001; id < 1100; id++) {
        statement.execute("insert into asynchronous values (" + id + ")");
        assertThat(product.filter.ask(id)).isEqualTo(Answer.MAYBE_HERE);
      }
    }
  }

  @Test
  void allRowsOfACopy_areFound_alsoIfTheyAreMoreThanWaitInMemory() throws Exception {
    try (Followed<Long> product = product("copied");
        Connection writer = server.connect()) {
      String rows =
          LongStream.range(1000, 151_000)
              .mapToObj(id -> id + "\tcopied\n")
              .collect(Collectors.joining());
      writer
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn("copy copied from stdin", new StringReader(rows));
      assertThat(product.filter.candidates(LongStream.range(1000, 151_000).boxed().toList()))
          .hasSize(150_000);
      assertThat(product.filter.ask(151_001L)).isEqualTo(Answer.NOT_HERE);
    }
  }

  @Test
  void transactionsThatCommitOutOfOrder_areFoundWhenTheyCommit() throws Exception {
    try (Followed<Long> product = product("orders");
        Connection first = server.connect();
        Connection second = server.connect();
        Statement early = first.createStatement();
        Statement late = second.createStatement()) {
      first.setAutoCommit(false);
      second.setAutoCommit(false);
      early.execute("insert into orders values (1001)");
      first.setSavepoint();
      early.execute("insert into orders values (1002)");
      late.execute("insert into orders values (1003)");
      second.commit();
      assertThat(product.filter.ask(1003L)).isEqualTo(Answer.MAYBE_HERE);
      assertThat(product.filter.ask(1001L)).as("not committed").isEqualTo(Answer.NOT_HERE);
      first.commit();
      assertThat(product.filter.ask(1001L)).isEqualTo(Answer.MAYBE_HERE);
      assertThat(product.filter.ask(1002L)).isEqualTo(Answer.MAYBE_HERE);
      late.execute("insert into orders values (1004)");
      second.rollback();
      assertThat(product.filter.ask(1004L)).isEqualTo(Answer.NOT_HERE);
    }
  }

  @Test
  void aPreparedTransaction_isFoundWhenItIsCommitted() throws Exception {
    try (Followed<Long> product = product("prepared")) {
      server.execute("begin", "insert into prepared values (1001)", "prepare transaction 'p'");
      assertThat(product.filter.ask(1001L)).isEqualTo(Answer.NOT_HERE);
      server.execute("commit prepared 'p'");
      assertThat(product.filter.ask(1001L)).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  @Test
  void aTransactionThatRanWhenTheSlotWasMade_isFound() throws Exception {
    server.execute("create table running (id bigint primary key)");
    try (Connection writer = server.connect();
        Statement statement = writer.createStatement()) {
      writer.setAutoCommit(false);
      statement.execute("insert into running values (1)");
      try (Followed<Long> product = Followed.longs(server, "running")) {
        assertThat(product.filter.ask(1L)).isEqualTo(Answer.UNKNOWN);
        writer.commit();
        product.awaitGuarding(-1L);
        assertThat(product.filter.ask(1L)).isEqualTo(Answer.MAYBE_HERE);
      }
    }
  }

  @Test
  void newKeysOfOldRows_areFound_andDeletedRowsAreCounted() throws Exception {
    try (Followed<Long> product = product("updated")) {
      server.execute("update updated set id = id + 1000 where id <= 10");
      for (long id = 1001; id <= 1010; id++) {
        assertThat(product.filter.ask(id)).isEqualTo(Answer.MAYBE_HERE);
      }
      assertThat(product.follower.deleted()).isEqualTo(10);
      server.execute("update updated set name = 'other'", "delete from updated where id > 1000");
      assertThat(product.filter.ask(-2L)).isEqualTo(Answer.NOT_HERE);
      assertThat(product.follower.deleted()).isEqualTo(20);
      server.execute("truncate updated", "insert into updated values (2000)");
      assertThat(product.filter.ask(2000L)).isEqualTo(Answer.MAYBE_HERE);
      assertThat(product.follower.truncated()).isEqualTo(1);
    }
  }

  @Test
  void keysThatAreNotTheReplicaIdentity_areFound_largeOnesToo() throws Exception {
    StringBuilder large = new StringBuilder();
    SplittableRandom random = new SplittableRandom(7);
    while (large.length() < 20_000) {
      large.append(Long.toHexString(random.nextLong()));
    }
    server.execute(
        "create schema \"Odd schema\"",
        "create table \"Odd schema\".\"T\"\"able; x\" (n int primary key, other text, \"Key \u00e9\" text)");
    String table = "\"Odd schema\".\"T\"\"able; x\"";
    try (Followed<String> odd =
        Followed.of(server, "Odd schema", "T\"able; x", "Key \u00e9", Keys.strings(), s -> s)
            .awaitGuarding("absent")) {
      server.execute("insert into " + table + " values (1, 'a', 'crow'), (2, 'b', null)");
      assertThat(odd.filter.ask("crow")).isEqualTo(Answer.MAYBE_HERE);
      server.execute("update " + table + " set \"Key \u00e9\" = '" + large + "' where n = 1");
      assertThat(odd.filter.ask(large.toString())).isEqualTo(Answer.MAYBE_HERE);
      server.execute("update " + table + " set other = 'c', n = n + 10");
      server.execute("alter table " + table + " replica identity full");
      server.execute("update " + table + " set other = 'd'");
      server.execute("update " + table + " set \"Key \u00e9\" = 'jay' where n = 12");
      assertThat(odd.filter.ask("jay")).isEqualTo(Answer.MAYBE_HERE);
      assertThat(odd.filter.ask("")).isEqualTo(Answer.NOT_HERE);
      server.execute("insert into " + table + " values (3, null, '')");
      assertThat(odd.filter.ask("")).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  @Test
  void uuids_areFound_afterColumnsWereAddedAndDropped() throws Exception {
    server.execute("create table ids (a int, b int, id uuid primary key)");
    try (Followed<UUID> ids =
        Followed.of(server, "public", "ids", "id", Keys.uuids(), UUID::fromString)
            .awaitGuarding(new UUID(0, 0))) {
      for (String change :
          new String[] {
            "insert into ids values (1, 2, ?)",
            "alter table ids drop column a; insert into ids values (2, ?)",
            "alter table ids add column c text default 'x'; insert into ids (id) values (?)"
          }) {
        UUID id = UUID.randomUUID();
        server.execute(change.replace("?", "'" + id + "'"));
        assertThat(ids.filter.ask(id)).isEqualTo(Answer.MAYBE_HERE);
      }
      assertThat(ids.refills).hasValue(1);
    }
  }

  @Test
  void writesOfOtherDatabasesAndTables_doNotHoldProofsUp() throws Exception {
    try (Followed<Long> product = product("quiet")) {
      server.execute("create database another", "create table loud (n int)");
      for (int i = 0; i < 20; i++) {
        server.execute(
            "insert into loud select generate_series(1, 1000)", "select pg_switch_wal()");
        assertThat(product.filter.ask(-7L)).isEqualTo(Answer.NOT_HERE);
      }
      long statements = product.filter.confirmations();
      assertThat(product.filter.ask(-7L)).isEqualTo(Answer.NOT_HERE);
      assertThat(product.filter.confirmations()).isEqualTo(statements + 1);
    }
  }
}
