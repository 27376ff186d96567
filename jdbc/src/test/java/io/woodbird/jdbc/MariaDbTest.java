package io.woodbird.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.woodbird.Answer;
import io.woodbird.Woodbird;
import io.woodbird.guard.Follower;
import io.woodbird.guard.Follower.Proof;
import io.woodbird.guard.FollowingFilter;
import io.woodbird.key.Keys;
import io.woodbird.testkit.MariaDbServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Keys as MariaDB or MySQL compares them, and a server that is read-only, freezes or is killed. */
final class MariaDbTest {
  private static final String OTHER = "is not like the first one";
  private static MariaDbServer server;

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

  private static void create(String table, String type, String... rows) throws SQLException {
    server.run("create table " + table + " (sku " + type + " primary key)");
    for (String row : rows) {
      server.run("insert into " + table + " values ('" + row + "')");
    }
  }

  private static Proof<String> confirm(String table, List<String> asked) throws Exception {
    Follower<String> follower =
        JdbcKeys.strings(server.dataSource(), "select sku from " + table).follower();
    follower.begin(Woodbird.bloom(Keys.strings(), 100).build());
    return follower.confirm(asked);
  }

  /** What the server itself says about one key. */
  private static boolean isAbsent(String table, String key) throws SQLException {
    try (Connection connection = server.connect();
        PreparedStatement query =
            connection.prepareStatement("select 1 from " + table + " where sku = ?")) {
      query.setString(1, key);
      return !query.executeQuery().next();
    }
  }

  @Test
  void textIsComparedAsTheCollationSays() throws Exception {
    List<String> asked =
        List.of(
            "crow", "CROW", "crow  ", "cr\u00f6w", "owl", "STRASSE", "stra\u00dfe", "\ud83d\udc26");
    List<String> types = new ArrayList<>();
    if (server.isMySql()) { // These do not pad with spaces.
      types.add("varchar(40) collate utf8mb4_0900_ai_ci");
      types.add("char(40) collate utf8mb4_0900_as_cs");
      types.add("varchar(40) collate utf8mb4_0900_bin");
    }
    types.addAll(
        List.of(
            "varchar(40)",
            "char(40)",
            "varchar(40) collate utf8mb4_general_ci",
            "varchar(40) collate utf8mb4_unicode_ci",
            "varchar(40) collate utf8mb4_bin",
            "varchar(40) character set latin1 collate latin1_swedish_ci",
            "varchar(40) character set utf8mb3 collate utf8mb3_general_ci"));
    for (int i = 0; i < types.size(); i++) {
      String table = "text" + i;
      create(table, types.get(i), "Crow", "Stra\u00dfe");
      Proof<String> proof = confirm(table, asked);
      for (String key : asked) {
        boolean isAbsent;
        try {
          isAbsent = isAbsent(table, key);
        } catch (SQLException e) { // It can't be compared, so nothing is known about it.
          isAbsent = false;
        }
        assertThat(proof.isAbsent(key) && !isAbsent).as(types.get(i) + key).isFalse();
        Proof<String> alone = confirm(table, List.of(key));
        assertThat(alone.isAbsent(key)).as(types.get(i) + " " + key).isEqualTo(isAbsent);
      }
      assertThat(proof.isAbsent("owl")).isTrue();
    }
  }

  @Test
  void uuidsAndNumbers_areFound() throws Exception {
    UUID here = UUID.randomUUID();
    UUID absent = UUID.randomUUID();
    create("ids", server.isMySql() ? "varchar(36)" : "uuid", here.toString());
    create("textids", "char(36)", here.toString());
    for (String table : List.of("ids", "textids")) {
      Follower<UUID> follower =
          JdbcKeys.uuids(server.dataSource(), "select sku from " + table).follower();
      follower.begin(Woodbird.bloom(Keys.uuids(), 100).build());
      Proof<UUID> proof = follower.confirm(List.of(here, absent));
      assertThat(proof.isAbsent(absent)).isTrue();
      assertThat(proof.isAbsent(here)).isFalse();
    }
    for (String type : List.of("int", "bigint unsigned", "decimal(10, 2)")) {
      String table = "numbers_" + type.replaceAll("\\W", "");
      create(table, type, "5");
      Follower<Long> follower =
          JdbcKeys.longs(server.dataSource(), "select sku from " + table).follower();
      follower.begin(Woodbird.bloom(Keys.longs(), 100).build());
      List<Long> asked = List.of(-1L, 4L, 5L, 6L, Long.MAX_VALUE);
      follower.confirm(asked);
      Proof<Long> proof = follower.confirm(asked);
      assertThat(asked).filteredOn(proof::isAbsent).containsExactly(-1L, 4L, 6L, Long.MAX_VALUE);
    }
  }

  /** More keys than MariaDB takes in a list before it makes a table of them. */
  @Test
  void manyKeys_areLookedUpAtOnce() throws Exception {
    server.run(
        "create table many (sku bigint primary key)",
        "insert into many select 2 * seq from " + server.numbers(1, 20_000));
    Follower<Long> follower =
        JdbcKeys.longs(server.dataSource(), "select sku from many").follower();
    follower.begin(Woodbird.bloom(Keys.longs(), 100_000).build());
    follower.confirm(List.of());
    List<Long> asked = LongStream.rangeClosed(2, 9_000).boxed().toList();
    Proof<Long> proof = follower.confirm(asked);
    assertThat(asked).allMatch(key -> proof.isAbsent(key) == (key % 2 != 0));
  }

  @Test
  void aServerThatTakesNoWrites_provesNothing() throws Exception {
    server.run("create table replicated (sku bigint primary key)");
    server.run("create view seen as select sku from replicated where sku > 1");
    JdbcKeys<Long> keys = JdbcKeys.longs(server.dataSource(), "select sku from replicated");
    Follower<Long> follower = keys.follower();
    follower.begin(Woodbird.bloom(Keys.longs(), 100).build());
    keys.wholeTable().open().close();
    JdbcKeys<Long> view = JdbcKeys.longs(server.dataSource(), "select sku from seen").wholeTable();
    assertThatThrownBy(view::open).hasMessageContaining("the query reads a view");
    server.run("set global read_only = 1");
    try {
      assertThatThrownBy(() -> follower.confirm(List.of(1L))).hasMessageContaining("standby");
      assertThatThrownBy(keys.wholeTable()::open).hasMessageContaining("standby");
      keys.open().close(); // Look-ups need no complete build.
    } finally {
      server.run("set global read_only = 0");
    }
    assertThat(follower.confirm(List.of(1L)).isAbsent(1L)).isTrue();
  }

  @Test
  void aServerThatFreezes_isKilled_andComesBack_deniesNoRow() throws Exception {
    try (MariaDbServer own = MariaDbServer.start()) {
      own.run("create table product (id bigint primary key)");
      FollowingFilter<Long> filter =
          FollowingFilter.over(
                  Woodbird.bloom(Keys.longs(), 1000).build(),
                  JdbcKeys.longs(own.dataSource(), "select id from product").follower())
              .patience(Duration.ofMillis(300))
              .start();
      await(filter, -1);
      own.freeze();
      assertThat(filter.ask(7L)).isEqualTo(Answer.UNKNOWN);
      own.thaw();
      own.run("insert into product values (7)");
      await(filter, -2);
      Answers.requireFound(filter, 7L);
      own.kill();
      while (filter.doubt() == null) {
        assertThat(filter.ask(8L)).isEqualTo(Answer.UNKNOWN);
      }
      own.startAgain();
      own.run("insert into product values (8)");
      await(filter, -3);
      Answers.requireFound(filter, 8L);
      own.stop();
      own.startAgain("--innodb-read-only"); // All that a reader of Amazon Aurora says of itself.
      while (!String.valueOf(filter.doubt()).contains("standby")) {
        assertThat(filter.ask(9L)).isEqualTo(Answer.UNKNOWN);
      }
      filter.close();
    }
  }

  @Test
  void aServerWithoutInnoDb_isAsked() throws Exception {
    try (MariaDbServer own = MariaDbServer.start()) {
      assumeFalse(own.isMySql(), "MySQL has InnoDB always");
      own.run("alter table mysql.gtid_slave_pos engine=aria");
      own.stop();
      own.startAgain("--skip-innodb", "--default-storage-engine=aria", "--init-file=");
      own.run(
          "create table product (id bigint primary key)", "insert into product values (1), (9)");
      Follower<Long> follower =
          JdbcKeys.longs(own.dataSource(), "select id from product").follower();
      follower.begin(Woodbird.bloom(Keys.longs(), 100).build());
      assertThat(follower.confirm(List.of(5L)).isAbsent(5L)).isTrue();
      own.run("set global read_only = 1");
      assertThatThrownBy(() -> follower.confirm(List.of(5L))).hasMessageContaining("standby");
    }
  }

  private static void await(FollowingFilter<Long> filter, long absent) {
    while (filter.ask(absent) != Answer.NOT_HERE) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** A pool of one connection, which somebody has changed. */
  @Test
  void aSessionThatSeesOtherRows_provesNothing() throws Exception {
    String versions = server.isMySql() ? "" : " with system versioning";
    server.run("create table changed (id bigint primary key)" + versions);
    server.run("insert into changed values (1), (1000)");
    server.run("create database tenant");
    server.run("create table tenant.changed (id bigint primary key)");
    try (Connection only = server.connect();
        Statement session = only.createStatement()) {
      JdbcKeys<Long> keys =
          JdbcKeys.longs(CountingDataSource.ofOne(only), "select id from changed");
      Follower<Long> follower = keys.follower();
      follower.begin(Woodbird.bloom(Keys.longs(), 100).build());
      assertThat(follower.confirm(List.of(500L)).isAbsent(500L)).isTrue();

      String schema = only.getCatalog();
      session.execute("start transaction with consistent snapshot");
      server.run("insert into changed values (500)");
      assertThat(follower.confirm(List.of(500L)).isAbsent(500L)).isFalse();
      session.execute("start transaction with consistent snapshot");
      server.run("insert into changed values (501)");
      try (Stream<Long> all = keys.open()) {
        assertThat(all).contains(501L);
      }
      if (!server.isMySql()) {
        session.execute("set @@system_versioning_asof = '2020-01-01 00:00:00'");
        assertThatThrownBy(() -> follower.confirm(List.of(500L))).hasMessageContaining("the past");
        session.execute("set @@system_versioning_asof = default");
      }
      session.execute("use tenant");
      assertThatThrownBy(() -> follower.confirm(List.of(500L)))
          .hasMessageContaining("another schema");
      session.execute("use " + schema);
      session.execute("set sql_select_limit = 2");
      assertThatThrownBy(() -> follower.confirm(List.of(500L))).hasMessageContaining("cuts them");
      assertThatThrownBy(keys::open).hasMessageContaining("sql_select_limit = 2");
      session.execute("set sql_select_limit = default");
      assertThat(follower.confirm(List.of(502L)).isAbsent(502L)).isTrue();
    }
  }

  /** The same text of a query means something else, or texts are compared otherwise. */
  @Test
  void aSessionThatReadsTheQueryInAnotherWay_provesNothing() throws Exception {
    String key = "gr\u00fcn";
    create("words", "varchar(40)", key);
    try (Connection only = server.connect();
        Statement session = only.createStatement()) {
      session.execute("set sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT'");
      Follower<String> quoted = text(only, "select \"sku\" from words");
      Follower<String> joined = text(only, "select sku || '!' as sku from words");
      assertThat(quoted.confirm(List.of(key)).isAbsent(key)).isFalse();
      assertThat(joined.confirm(List.of(key + "!")).isAbsent(key + "!")).isFalse();
      session.execute("set sql_mode = ''"); // Now "sku" is a text, and || means or.
      assertThatThrownBy(() -> quoted.confirm(List.of(key))).hasMessageContaining(OTHER);
      Follower<String> first = text(only, "select \"sku\" from words");
      assertThatThrownBy(() -> first.confirm(List.of(key))).hasMessageContaining("no column");
      assertThatThrownBy(() -> joined.confirm(List.of(key + "!")))
          .hasMessageContaining("has become one of type"); // Which one depends on the server.
    }
    try (Connection only = server.connect();
        Statement session = only.createStatement()) {
      session.execute("set collation_connection = utf8mb4_general_ci");
      Follower<String> follower = text(only, "select sku from words");
      assertThat(follower.confirm(List.of(key)).isAbsent(key)).isFalse();
      session.execute("set collation_connection = utf8mb4_bin");
      assertThatThrownBy(() -> follower.confirm(List.of(key))).hasMessageContaining(OTHER);
      session.execute("set collation_connection = utf8mb4_general_ci");
      assertThat(follower.confirm(List.of("rot")).isAbsent("rot")).isTrue();
    }
  }

  /** Somebody deletes a row, and has not committed; for all others it is there. */
  @Test
  void aRowThatIsBeingDeleted_isNotAbsent_whateverIsolationASessionHasChosen() throws Exception {
    server.run("create table leaving (id bigint primary key)");
    server.run("insert into leaving values (1), (500), (1000)");
    try (Connection only = server.connect();
        Connection writer = server.connect();
        Statement session = only.createStatement();
        Statement deletion = writer.createStatement()) {
      JdbcKeys<Long> keys =
          JdbcKeys.longs(CountingDataSource.ofOne(only), "select id from leaving");
      Follower<Long> follower = keys.follower();
      follower.begin(Woodbird.bloom(Keys.longs(), 100).build());
      writer.setAutoCommit(false);
      deletion.execute("delete from leaving where id = 500");
      for (String scope : List.of("", "session")) {
        String choice = "set " + scope + " transaction isolation level read uncommitted";
        session.execute(choice);
        assertThat(follower.confirm(List.of(500L)).isAbsent(500L)).as(choice).isFalse();
      }
      assertThatThrownBy(keys.wholeTable()::open).hasMessageContaining("not committed");
      session.execute("set session transaction isolation level repeatable read");
      session.execute("set transaction isolation level read uncommitted");
      try (Stream<Long> all = keys.wholeTable().open()) {
        assertThat(all).contains(500L);
      }
      writer.rollback();
    }
  }

  private static Follower<String> text(Connection only, String sql) throws Exception {
    Follower<String> follower = JdbcKeys.strings(CountingDataSource.ofOne(only), sql).follower();
    follower.begin(Woodbird.bloom(Keys.strings(), 100).build());
    return follower;
  }

  /** Its rows are those of a replica, and at the end it says that it is none. */
  @Test
  void aReplicaThatIsPromotedWhileItAnswers_provesNothing() throws Exception {
    server.run(
        "create table late (id bigint primary key)",
        "insert into late values (1)",
        "create view slowly as select id from late where sleep(0.3) = 0");
    try (Connection only = server.dataSource().getConnection()) {
      Follower<Long> follower =
          JdbcKeys.longs(CountingDataSource.ofOne(only), "select id from slowly").follower();
      follower.begin(Woodbird.bloom(Keys.longs(), 100).build());
      assertThat(follower.confirm(List.of(2L)).isAbsent(2L)).isTrue();
      server.run("set global read_only = 1");
      FutureTask<Boolean> denied =
          new FutureTask<>(() -> follower.confirm(List.of(2L)).isAbsent(2L));
      Thread asking = new Thread(denied, "asking");
      asking.start();
      while (server
          .ask("select count(*) from information_schema.processlist where state = 'User sleep'")
          .equals("0")) {
        Thread.onSpinWait();
      }
      server.run("set global read_only = 0");
      assertThatThrownBy(denied::get).hasStackTraceContaining("is a standby");
      asking.join();
      assertThat(follower.confirm(List.of(2L)).isAbsent(2L)).isTrue();
    } finally {
      server.run("set global read_only = 0");
    }
  }

  /** There is no cluster here; the server takes the statements, and is alone by its own word. */
  @Test
  void aServerOfACluster_isAskedWhetherItsReadsWait() throws Exception {
    StringBuilder galera = new StringBuilder();
    Circumstances.addForMySql(galera, Map.of("wsrep_sync_wait", "0"));
    assertThat(galera).contains("@@wsrep_sync_wait & 1 = 0").contains("@@wsrep_dirty_reads = 1");
    StringBuilder group = new StringBuilder();
    Circumstances.addForMySql(group, Map.of("group_replication_group_name", "a"));
    assertThat(group)
        .contains("@@group_replication_consistency = 'EVENTUAL'")
        .contains("@@group_replication_consistency not in ('BEFORE', 'BEFORE_AND_AFTER')");
    if (server.isMySql()) {
      server.run(
          "install plugin group_replication soname 'group_replication.so'",
          "set global group_replication_consistency = 'EVENTUAL'");
      assertThat(server.ask("select case" + group + " else 0 end")).isEqualTo("3");
      server.run("set global group_replication_consistency = 'BEFORE'");
      assertThat(server.ask("select case" + group + " else 0 end")).isEqualTo("0");
    } else {
      assertThat(server.ask("select case" + galera + " else 0 end")).isEqualTo("0");
    }
    StringBuilder alone = new StringBuilder();
    Circumstances.addForMySql(alone, Map.of("group_replication_group_name", ""));
    assertThat(alone).doesNotContain("group_replication");
  }
}
