package io.woodbird.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.woodbird.Answer;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.MariaDbServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every way in which a row can get into a table: it is found as soon as the commit has returned.
 */
final class BinlogFollowerTest {
  private static final long ABSENT = -1;
  private static MariaDbServer server;

  private FollowedTable<Long> table;

  @BeforeAll
  static void start() throws Exception {
    server = MariaDbServer.start();
  }

  @AfterAll
  static void stop() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  @AfterEach
  void closeTable() {
    if (table != null) {
      table.close();
    }
  }

  private static FollowedTable<Long> longs(String name) throws Exception {
    return FollowedTable.of(
        server, Keys.longs(), BinlogFollower.longs(), name, row -> row.getLong(1));
  }

  /** A table of which rows 1 to 3 exist before it is followed. */
  private void follow(String name, String definition) throws Exception {
    server.create(name, definition);
    server.run("insert into " + name + " (id) values (1), (2), (3)");
    table = longs(name.replace("`", ""));
    table.awaitDenied(ABSENT);
  }

  private void follow(String name) throws Exception {
    follow(name, "(id bigint primary key, a varchar(100))");
  }

  private void assertFound(long first, long last) {
    for (long key = first; key <= last; key++) {
      assertThat(table.ask(key)).as("key %d", key).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  @Test
  void rowsOfAnyInsert_areFoundAtOnce_andOthersAreDenied() throws Exception {
    follow("inserts");
    assertFound(1, 3);
    server.run("insert into inserts values (10, 'x')");
    assertFound(10, 10);
    server.run("insert into inserts select seq, null from " + server.numbers(100, 5000));
    assertFound(100, 5000);
    server.run(
        "replace into inserts values (11, 'x')", "insert ignore into inserts values (12, '')");
    assertFound(11, 12);
    assertThat(table.ask(13L)).isEqualTo(Answer.NOT_HERE);
    assertThat(table.builds).as("no gap").hasValue(1);
  }

  @Test
  void aLargeTransaction_hasPassedOnlyWhenItsLastRowHas() throws Exception {
    follow("large");
    for (long round = 1; round <= 3; round++) {
      long last = round * 1_000_000 + 40_000;
      server.run(
          "insert into large select seq, repeat('x', 100) from "
              + server.numbers(round * 1_000_000, last));
      assertThat(table.ask(last)).isNotEqualTo(Answer.NOT_HERE);
    }
  }

  @Test
  void rowsOfLoadData_areFoundAtOnce(@TempDir Path folder) throws Exception {
    follow("loaded");
    Path file = folder.resolve("rows.csv");
    StringBuilder rows = new StringBuilder();
    for (int i = 1000; i < 4000; i++) {
      rows.append(i).append("\n");
    }
    Files.writeString(file, rows);
    server.run("load data local infile '" + file + "' into table loaded (id)");
    assertFound(1000, 3999);
    assertThat(table.follower.gaps()).isZero();
  }

  @Test
  void rowsOfTransactionsThatCommitOutOfOrder_areFound_andThoseRolledBackAreNot() throws Exception {
    follow("orders");
    try (Connection first = server.connect();
        Connection second = server.connect();
        Connection third = server.connect()) {
      for (Connection connection : new Connection[] {first, second, third}) {
        connection.setAutoCommit(false);
      }
      insert(first, "orders", 100, 3000);
      insert(second, "orders", 10_000, 10);
      insert(third, "orders", 20_000, 10);
      assertThat(table.ask(100L)).isEqualTo(Answer.NOT_HERE);
      second.commit();
      assertFound(10_000, 10_009);
      assertThat(table.ask(100L)).isEqualTo(Answer.NOT_HERE);
      third.rollback();
      first.commit();
      assertFound(100, 3099);
      assertThat(table.ask(20_000L)).isEqualTo(Answer.NOT_HERE);
    }
  }

  private static void insert(Connection connection, String name, int first, int rows)
      throws Exception {
    try (PreparedStatement insert =
        connection.prepareStatement("insert into " + name + " (id) values (?)")) {
      for (int i = 0; i < rows; i++) {
        insert.setLong(1, first + i);
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  @Test
  void changedKeys_areFound_andDeletedRowsAreCounted() throws Exception {
    follow("changed");
    server.run("update changed set id = id + 500", "delete from changed where id = 501");
    assertFound(502, 503);
    assertThat(table.ask(600L)).isEqualTo(Answer.NOT_HERE);
    assertThat(table.follower.deleted()).isEqualTo(1);
    server.run("truncate table changed", "insert into changed values (700, '')");
    assertFound(700, 700);
    assertThat(table.builds).hasValue(1);
  }

  @Test
  void rowsWithMinimalImages_areFound() throws Exception {
    follow("minimal", "(a int not null default 7, id bigint primary key auto_increment, b int)");
    server.run(
        "set binlog_row_image=minimal",
        "insert into minimal (b) values (1)",
        "update minimal set b = 3 where id = 1",
        "update minimal set id = 90 where id = 2");
    assertFound(4, 4);
    assertFound(90, 90);
    assertThat(table.builds).hasValue(1);
  }

  @Test
  void otherEnginesAndPartitions_areFollowedToo() throws Exception {
    String engine = server.isMySql() ? "myisam" : "aria";
    follow("other_rows", "(id bigint primary key) engine=" + engine);
    server.run("insert into other_rows values (10)", "insert into other_rows values (11)");
    assertFound(10, 11);
    table.close();
    follow("parts", "(id bigint primary key) partition by hash(id) partitions 7");
    server.run("insert into parts select seq from " + server.numbers(100, 200));
    assertFound(100, 200);
  }

  @Test
  void columnsThatAreHiddenOrComputed_doNotShiftTheKey() throws Exception {
    follow(
        "shifted",
        "(a int as (7) virtual, b int as (8) stored, c int invisible default 9,"
            + " id bigint primary key default (100 + 1), d int)");
    server.run("insert into shifted (id) values (10)", "update shifted set d = 1");
    assertFound(10, 10);
    server.run("insert into shifted (d) values (5)");
    assertFound(101, 101);
    assertThat(table.ask(8L)).isEqualTo(Answer.NOT_HERE);
    assertThat(table.builds).hasValue(1);
  }

  /** What the Javadoc says that users need. */
  @Test
  void usersWithFewRights_canFollow() throws Exception {
    String client = server.isMySql() ? "replication client" : "binlog monitor";
    server.run(
        "create table few (id bigint primary key)",
        "create user streamer identified by 'a'",
        "grant replication slave on *.* to streamer",
        "create user asker identified by 'b'",
        "grant " + client + " on *.* to asker",
        "grant select (id) on shop.few to asker");
    MutableFilter<Long> filter = Woodbird.bloom(Keys.longs(), 100).fpp(1e-6).seed(1).build();
    try (BinlogFollower<Long> follower =
        BinlogFollower.longs()
            .dataSource(server.dataSource("asker", "b"))
            .server("127.0.0.1", server.port(), "streamer", "a")
            .table("shop", "few", "id")
            .rebuild(() -> CompletableFuture.completedFuture(true))
            .build()) {
      follower.begin(filter);
      server.run("insert into few values (10)");
      assertThat(follower.confirm(List.of()).isComplete()).isTrue();
      assertThat(filter.ask(10L)).isEqualTo(Answer.MAYBE_HERE);
      assertThat(filter.ask(11L)).isEqualTo(Answer.NOT_HERE);
      assertThatThrownBy(() -> follower.begin(filter))
          .as("for a second filter")
          .hasMessageContaining("one for each filter");
    }
  }

  @Test
  void rowsWrittenByTriggersAndProcedures_areFound() throws Exception {
    server.create("cause", "(x int)");
    follow("effect");
    server.run(
        "create trigger t after insert on cause for each row"
            + " insert into effect (id) values (new.x)",
        "insert into cause values (50), (51)",
        "create procedure p() begin insert into effect (id) values (60); end",
        "call p()");
    assertFound(50, 51);
    assertFound(60, 60);
    assertThat(table.builds).hasValue(1);
  }

  @Test
  void aColumnBeforeTheKey_isNoticed() throws Exception {
    follow("altered");
    server.run(
        "alter table altered add column first_one bigint default 77 first",
        "insert into altered (id) values (10)");
    assertThat(table.ask(10L)).isNotEqualTo(Answer.NOT_HERE);
    table.awaitDenied(ABSENT);
    assertThat(table.builds).hasValue(2);
    server.run("insert into altered (id) values (11)");
    assertFound(10, 11);
    assertThat(table.ask(77L)).as("another column").isEqualTo(Answer.NOT_HERE);
  }

  /** The session does not log how it changes the table, and logs the rows after that. */
  @Test
  void columnsThatChangePlacesWithoutALog_areNoticed() throws Exception {
    follow("swapped", "(id bigint primary key, a bigint not null default 5)");
    server.run(
        "set sql_log_bin=0",
        "alter table swapped modify id bigint not null after a",
        "set sql_log_bin=1",
        "insert into swapped (id, a) values (10, 8)");
    assertThat(table.ask(10L)).isNotEqualTo(Answer.NOT_HERE);
    table.awaitDenied(ABSENT);
    assertFound(10, 10);
    assertThat(table.ask(8L)).as("another column").isEqualTo(Answer.NOT_HERE);
    assertThat(table.builds).hasValue(2);
    server.run("flush tables", "insert into swapped (id) values (11)");
    assertFound(11, 11);
    assertThat(table.builds).as("opened again, and the same").hasValue(2);
  }

  @Test
  void rowsThatComeWithAnotherTable_areNotDenied() throws Exception {
    server.create("incoming", "(id bigint primary key, a varchar(100))");
    server.run("insert into incoming (id) values (900)");
    follow("renamed");
    server.run("rename table renamed to old_renamed, incoming to renamed");
    assertThat(table.ask(900L)).isNotEqualTo(Answer.NOT_HERE);
    table.awaitDenied(ABSENT);
    assertFound(900, 900);
    server.run("drop table old_renamed");
  }

  /** For MariaDB, what is behind FOR is a statement like any other. */
  @Test
  void rowsThatComeWithAnotherTable_behindAComment_areNotDenied() throws Exception {
    assumeFalse(server.isMySql());
    server.create("hidden_in", "(id bigint primary key, a varchar(100))");
    server.run("insert into hidden_in (id) values (900)");
    follow("wanted");
    server.run(
        "set /*password*/ statement lock_wait_timeout=5 for"
            + " rename table wanted to hidden_out, hidden_in to wanted",
        "insert into wanted (id) values (901)");
    assertThat(table.ask(900L)).isNotEqualTo(Answer.NOT_HERE);
    table.awaitDenied(ABSENT);
    assertFound(900, 901);
    server.run("drop table hidden_out");
  }

  @Test
  void aViewThatTakesTheNameOfTheTable_isNotFollowed() throws Exception {
    server.create("behind", "(id bigint primary key, a varchar(100))");
    follow("viewed");
    server.run(
        "insert into behind select * from viewed",
        "drop table viewed",
        "create/**/view viewed as select * from behind",
        "insert into behind (id) values (77)");
    assertThat(table.ask(77L)).isEqualTo(Answer.UNKNOWN);
    String doubt = "";
    while (doubt == null || !doubt.contains("view")) {
      assertThat(table.ask(77L)).isEqualTo(Answer.UNKNOWN);
      doubt = table.following.doubt();
    }
    server.run("drop view viewed", "rename table behind to viewed");
    table.awaitDenied(ABSENT);
    assertFound(77, 77);
  }

  @Test
  void aStatementInsteadOfItsRows_isAGap() throws Exception {
    follow("texts");
    server.run("set binlog_format=statement", "insert into texts values (10, 'x')");
    assertThat(table.ask(10L)).isNotEqualTo(Answer.NOT_HERE);
    table.awaitDenied(ABSENT);
    assertFound(10, 10);
    assertThat(table.follower.gaps()).isEqualTo(1);
  }

  @Test
  void preparedTransactions_areFoundWhenTheyCommit_alsoAfterABuild() throws Exception {
    server.create("xa_rows", "(id bigint primary key)");
    try (Connection before = server.connect();
        Statement early = before.createStatement()) {
      prepare(early, "early", 10);
      table =
          FollowedTable.of(
              server,
              Keys.longs(),
              BinlogFollower.longs(),
              "xa_rows",
              row -> row.getLong(1),
              Duration.ZERO);
      table.awaitDenied(ABSENT);
      try (Connection other = server.connect();
          Statement late = other.createStatement()) {
        prepare(late, "late", 20);
        while (table.keys.ask(20L) != Answer.MAYBE_HERE) {
          LockSupport.parkNanos(1_000_000);
        }
        table.keys.rebuildNow().get();
        assertThat(table.keys.ask(20L)).as("the build did not see it").isEqualTo(Answer.NOT_HERE);
        late.execute("xa commit 'late'");
        assertFound(20, 20);
        assertThat(table.follower.gaps()).isZero();
      }
      early.execute("xa commit 'early'");
      assertThat(table.ask(10L)).isNotEqualTo(Answer.NOT_HERE);
      table.awaitDenied(ABSENT);
      assertFound(10, 10);
      assertThat(table.follower.gaps()).as("prepared before the stream").isEqualTo(1);
    }
  }

  @Test
  void transactionsOfOnePhase_areFound() throws Exception {
    follow("one_phase", "(id bigint primary key)");
    server.run(
        "xa start 'one'",
        "insert into one_phase values (10)",
        "xa end 'one'",
        "xa commit 'one' one phase");
    assertFound(10, 10);
    assertThat(table.follower.gaps()).isZero();
  }

  /** Semi-synchronous replication holds a transaction that is in the log and not yet visible. */
  @Test
  void aTransactionInTheLogThatIsNotYetVisible_isFoundWhenItIs() throws Exception {
    server.create("held", "(id bigint primary key)");
    if (server.isMySql()) {
      server.run("install plugin rpl_semi_sync_source soname 'semisync_source.so'");
    }
    String semiSync = "set global rpl_semi_sync_" + (server.isMySql() ? "source_" : "master_");
    server.run(
        semiSync + "timeout=100000000", semiSync + "wait_point=AFTER_SYNC", semiSync + "enabled=1");
    String before = server.logEnd();
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      Thread commit = new Thread(() -> execute(statement, "insert into held values (10)"));
      commit.start();
      while (server.logEnd().equals(before)) {
        LockSupport.parkNanos(1_000_000);
      }
      assertThat(server.ask("select count(*) from held")).as("visible").isEqualTo("0");
      table = longs("held");
      table.awaitDenied(ABSENT);
      server.run(semiSync + "enabled=0");
      commit.join();
      assertThat(server.ask("select count(*) from held")).isEqualTo("1");
      assertFound(10, 10);
    } finally {
      server.run(semiSync + "enabled=0");
    }
  }

  private static void execute(Statement statement, String sql) {
    try {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void prepare(Statement statement, String xid, int key) throws Exception {
    statement.execute("xa start '" + xid + "'");
    statement.execute("insert into xa_rows values (" + key + ")");
    statement.execute("xa end '" + xid + "'");
    statement.execute("xa prepare '" + xid + "'");
  }

  @Test
  void oddNames_areFollowed() throws Exception {
    follow("`order by; --\u00e9`", "(id bigint primary key)");
    server.run("insert into `order by; --\u00e9` values (10)");
    assertFound(10, 10);
    assertThat(table.ask(11L)).isEqualTo(Answer.NOT_HERE);
  }
}
