package io.woodbird.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Woodbird;
import io.woodbird.guard.Follower;
import io.woodbird.key.Keys;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections that somebody has changed and given back to the pool: a pool of one connection. */
final class ChangedSessionsTest {
  private static final String OTHER = "is not like the first one";
  private static final Database database = SharedPostgres.create("changed");

  private Connection only;

  @BeforeAll
  static void create() {
    database.run(
        "create role porter",
        "create table product (id bigint primary key, tenant text)",
        "insert into product values (1, 'a'), (500, 'b'), (1000, 'a')",
        "grant select on product to porter",
        "create schema tenant",
        "create table tenant.product (id bigint primary key)",
        "insert into tenant.product values (1), (1000)");
  }

  @BeforeEach
  void connect() throws SQLException {
    only = database.source().getConnection();
  }

  @AfterEach
  void disconnect() throws SQLException {
    only.close();
  }

  private static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** A follower that has connected, and knows that 500 is here. */
  private static Follower<Long> follower(Connection connection, String sql) throws Exception {
    Follower<Long> follower = JdbcKeys.longs(CountingDataSource.ofOne(connection), sql).follower();
    follower.begin(Woodbird.bloom(Keys.longs(), 100).build());
    assertThat(follower.confirm(List.of(500L)).isAbsent(500L)).isFalse();
    assertThat(follower.confirm(List.of(501L)).isAbsent(501L)).isTrue();
    return follower;
  }

  /** Nothing is proved by the changed session, neither at once nor when it is looked at again. */
  private static void assertRefused(Follower<Long> follower, String message) {
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> follower.confirm(List.of(500L))).hasMessageContaining(message);
    }
  }

  @Test
  void anotherSchema_provesNothing_untilItIsChangedBack() throws Exception {
    for (String sql : List.of("select id from product", "select id from product where id > 0")) {
      Follower<Long> follower = follower(only, sql);
      JdbcKeys<Long> keys = JdbcKeys.longs(CountingDataSource.ofOne(only), sql);
      keys.open().close();
      run(only, "set search_path to tenant");
      assertRefused(follower, OTHER);
      assertThatThrownBy(keys::open).hasMessageContaining(OTHER);
      run(only, "set search_path to public", "create temp table product (id bigint)");
      assertRefused(follower, OTHER);
      run(only, "drop table pg_temp.product", "reset search_path");
      assertThat(follower.confirm(List.of(501L)).isAbsent(501L)).isTrue();
    }
    Database h2 = Database.h2("changed");
    h2.run(
        "create table product (id bigint primary key)",
        "insert into product values (1), (500), (1000)",
        "create schema tenant",
        "create table tenant.product (id bigint primary key)",
        "insert into tenant.product values (1), (1000)");
    try (Connection connection = h2.source().getConnection()) {
      Follower<Long> follower = follower(connection, "select id from product");
      run(connection, "set schema tenant");
      assertRefused(follower, OTHER);
    }
    h2.run("shutdown");
  }

  /** The plan of a query names the partitions, and not the table that a temporary one hides. */
  @Test
  void aTemporaryTable_hidesNoPartitionedTable_andNoEmptyOne() throws Exception {
    database.run(
        "create table parted (id bigint primary key) partition by range (id)",
        "create table parted_low partition of parted for values from (0) to (2000)",
        "insert into parted values (1), (500), (1000)",
        "create table \"Big\" (id bigint primary key) partition by range (id)");
    for (String sql : List.of("select id from parted", "select id from parted where id > 0")) {
      Follower<Long> follower = follower(only, sql);
      run(only, "create temp table parted (id bigint)", "insert into pg_temp.parted values (1)");
      assertRefused(follower, OTHER);
      run(only, "drop table pg_temp.parted");
      assertThat(follower.confirm(List.of(501L)).isAbsent(501L)).isTrue();
    }
    Follower<Long> empty =
        JdbcKeys.longs(CountingDataSource.ofOne(only), "select id from \"Big\"").follower();
    empty.begin(Woodbird.bloom(Keys.longs(), 100).build());
    assertThat(empty.confirm(List.of(500L)).isAbsent(500L)).isTrue();
    database.run(
        "create table big_low partition of \"Big\" for values from (0) to (2000)",
        "insert into \"Big\" values (500)");
    run(only, "create temp table \"Big\" (id bigint)");
    assertRefused(empty, OTHER);
    run(only, "drop table pg_temp.\"Big\"");
  }

  @Test
  void anotherSearchPathOfH2_provesNothing() throws Exception {
    Database h2 = Database.h2("searched");
    h2.run(
        "create schema left_one",
        "create schema right_one",
        "create table left_one.place (id bigint primary key)",
        "insert into left_one.place values (1), (500), (1000)",
        "create table right_one.place (id bigint primary key)",
        "insert into right_one.place values (1), (1000)");
    try (Connection connection = h2.source().getConnection()) {
      run(connection, "set schema_search_path left_one");
      Follower<Long> found = follower(connection, "select id from place");
      run(connection, "set schema_search_path right_one");
      assertRefused(found, OTHER);
    }
    h2.run("shutdown");
  }

  /**
   * With "repeatable read" a statement takes its snapshot, then waits for the table, and then finds
   * it empty: it sees neither the rows before nor those after.
   */
  @Test
  void aTableThatIsTruncatedAndFilledAgain_isNeverEmpty() throws Exception {
    database.run(
        "create table reloaded (id bigint primary key)",
        "insert into reloaded values (1), (500), (1000)",
        "create view over_reloaded as select id from reloaded");
    int process = processOf(only);
    for (String level : List.of("read committed", "repeatable read", "serializable")) {
      run(only, "set session characteristics as transaction isolation level " + level);
      for (String sql : List.of("select id from reloaded", "select id from over_reloaded")) {
        JdbcKeys<Long> keys = JdbcKeys.longs(CountingDataSource.ofOne(only), sql);
        Follower<Long> follower = keys.follower();
        follower.begin(Woodbird.bloom(Keys.longs(), 100).build());
        assertThat(follower.confirm(List.of(501L)).isAbsent(501L)).as(level).isTrue();
        boolean isAbsent =
            whileReloaded(process, () -> follower.confirm(List.of(500L)).isAbsent(500L));
        assertThat(isAbsent).as(level + " " + sql).isFalse();
        List<Long> read =
            whileReloaded(
                process,
                () -> {
                  try (Stream<Long> all = keys.open()) {
                    return all.toList();
                  }
                });
        assertThat(read).as(level + " " + sql).contains(500L);
      }
    }
  }

  private static int processOf(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
      row.next();
      return row.getInt(1);
    }
  }

  /** Asks while the table is locked, and is reloaded as soon as the question waits for it. */
  private static <T> T whileReloaded(int process, Callable<T> question) throws Exception {
    try (Connection writer = database.source().getConnection();
        Connection observer = database.source().getConnection();
        Statement observed = observer.createStatement()) {
      writer.setAutoCommit(false);
      run(writer, "truncate reloaded", "insert into reloaded values (1), (500), (1000)");
      FutureTask<T> asked = new FutureTask<>(question);
      new Thread(asked).start();
      String waits = "select 1 from pg_locks where not granted and pid = " + process;
      while (!asked.isDone() && !observed.executeQuery(waits).next()) {
        Thread.sleep(1);
      }
      writer.commit();
      return asked.get();
    }
  }

  @Test
  void aTransactionThatSomebodyLeftOpen_isEnded_beforeRowsAreLookedUpOrRead() throws Exception {
    JdbcKeys<Long> keys = JdbcKeys.longs(CountingDataSource.ofOne(only), "select id from product");
    Follower<Long> follower = follower(only, "select id from product");
    String begin = "begin isolation level repeatable read";
    run(only, begin, "insert into product values (700)");
    database.run("insert into product values (600)");
    assertThat(follower.confirm(List.of(600L)).isAbsent(600L)).isFalse();
    assertThat(follower.confirm(List.of(700L)).isAbsent(700L)).as("rolled back").isTrue();
    run(only, begin, "select count(*) from product");
    database.run("insert into product values (601)");
    try (Stream<Long> all = keys.open()) {
      assertThat(all).contains(601L);
    }
  }

  @Test
  void aRoleAndPoliciesThatComeLater_hideNothing() throws Exception {
    for (String sql : List.of("select id from product", "select id from product where id > 0")) {
      Follower<Long> follower = follower(only, sql);
      run(only, "set role porter"); // It may see all rows, as yet.
      assertThat(follower.confirm(List.of(501L)).isAbsent(501L)).isTrue();
      database.run(
          "create policy own on product using (tenant = 'a')",
          "alter table product enable row level security");
      assertRefused(follower, "row-level security");
      database.run("alter table product disable row level security", "drop policy own on product");
      run(only, "reset role");
      assertThat(follower.confirm(List.of(501L)).isAbsent(501L)).isTrue();
    }
    try (Statement statement = only.createStatement();
        var row = statement.executeQuery("show row_security")) {
      row.next();
      assertThat(row.getString(1)).as("the application's own setting").isEqualTo("on");
    }
  }

  @Test
  void datesAndTimes_dependOnTheSession() throws Exception {
    database.run(
        "create table moment (at timestamptz primary key)",
        "insert into moment values ('2026-01-01 00:00:00+00')",
        "create table report (day date primary key)",
        "insert into report values ('2026-01-02')");
    run(only, "set time zone 'UTC'");
    Follower<String> moments = text("select at from moment");
    assertThat(moments.confirm(List.of("2026-01-01 00:00")).isAbsent("2026-01-01 00:00")).isFalse();
    run(only, "set time zone 'Asia/Tokyo'");
    assertThatThrownBy(() -> moments.confirm(List.of("2026-01-01 00:00")))
        .hasMessageContaining(OTHER);
    Follower<String> days = text("select day from report");
    assertThat(days.confirm(List.of("01/02/2026")).isAbsent("01/02/2026")).isFalse();
    run(only, "set datestyle to 'ISO, DMY'");
    assertThatThrownBy(() -> days.confirm(List.of("01/02/2026"))).hasMessageContaining(OTHER);
    Follower<Long> numbers = follower(only, "select id from product");
    run(only, "set time zone 'UTC'"); // A number does not depend on it.
    assertThat(numbers.confirm(List.of(501L)).isAbsent(501L)).isTrue();
  }

  @Test
  void settingsThatAQueryReadsItself_areThoseOfTheFirstSession() throws Exception {
    database.run(
        "create domain instant as timestamptz",
        "create table points (at instant primary key)",
        "insert into points values ('2026-01-01 00:00:00+00')",
        "create table spans (at tstzrange)",
        "insert into spans values ('[2026-01-01 00:00+00, 2026-01-02 00:00+00)')",
        "create table offer (id bigint primary key, since timestamp)",
        "insert into offer values (1, 'epoch'), (1000, 'epoch'),"
            + " (500, now() at time zone 'UTC')");
    run(only, "set time zone 'UTC'");
    Follower<String> points = text("select at from points");
    Follower<String> spans = text("select at from spans");
    Follower<Long> offers = follower(only, "select id from offer where since <= localtimestamp");
    Follower<Long> slashes = follower(only, "select id from product where 'a\\\\b' like '____'");
    assertThat(points.confirm(List.of("2026-01-01 00:00")).isAbsent("2026-01-01 00:00")).isFalse();
    String span = "[2026-01-01 00:00, 2026-01-02 00:00)";
    assertThat(spans.confirm(List.of(span)).isAbsent(span)).isFalse();
    run(only, "set time zone 'America/Los_Angeles'");
    assertThatThrownBy(() -> points.confirm(List.of("2026-01-01 00:00")))
        .hasMessageContaining(OTHER);
    assertThatThrownBy(() -> spans.confirm(List.of(span))).hasMessageContaining(OTHER);
    assertRefused(offers, OTHER);
    run(only, "set time zone 'UTC'", "set standard_conforming_strings = off");
    assertRefused(slashes, OTHER);
    run(only, "reset standard_conforming_strings");
  }

  /** What the first build read is what look-ups must read. */
  @Test
  void aFirstLookUpInAnotherSchemaThanTheBuild_provesNothing() throws Exception {
    JdbcKeys<Long> keys = JdbcKeys.longs(CountingDataSource.ofOne(only), "select id from product");
    keys.open().close();
    run(only, "set search_path to tenant");
    Follower<Long> follower = keys.fetchSize(10).follower();
    follower.begin(Woodbird.bloom(Keys.longs(), 100).build());
    assertRefused(follower, OTHER);
    run(only, "reset search_path");
    assertThat(follower.confirm(List.of(501L)).isAbsent(501L)).isTrue();
  }

  private Follower<String> text(String sql) throws Exception {
    Follower<String> follower = JdbcKeys.strings(CountingDataSource.ofOne(only), sql).follower();
    follower.begin(Woodbird.bloom(Keys.strings(), 100).build());
    return follower;
  }

  @Test
  void aColumnOfNumbersThatBecomesText_isNotSearchedByItsLargestKey() throws Exception {
    Database h2 = Database.h2("retyped");
    h2.run("create table product (id bigint primary key)", "insert into product values (5), (500)");
    Follower<Long> follower = JdbcKeys.longs(h2.source(), "select id from product").follower();
    follower.begin(Woodbird.bloom(Keys.longs(), 100).build());
    assertThat(follower.confirm(List.of(9_000L)).isAbsent(9_000L)).isTrue();
    h2.run(
        "alter table product alter column id varchar(20)",
        "insert into product values ('40000'), ('9')");
    assertThatThrownBy(() -> follower.confirm(List.of(40_000L))).hasMessageContaining("VARYING");
    h2.run("shutdown");
  }
}
