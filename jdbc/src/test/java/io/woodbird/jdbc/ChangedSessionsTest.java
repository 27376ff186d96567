package io.woodbird.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Woodbird;
import io.woodbird.guard.Follower;
import io.woodbird.key.Keys;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections that somebody has changed and given back to the pool: a pool of one connection. */
final class ChangedSessionsTest {
  private static final String OTHER = "another schema";
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
