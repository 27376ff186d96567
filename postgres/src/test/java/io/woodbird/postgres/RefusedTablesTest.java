package io.woodbird.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What can't be followed is refused, and the error says what to do. */
final class RefusedTablesTest extends OnePostgres {
  private static void refuses(
      String table, UnaryOperator<PostgresFollowerBuilder<Long>> more, String why) {
    assertThatThrownBy(() -> Followed.longs(server, table, more))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(why);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          select 1 | nothing | there is no table "public"."nothing"
          create table a (n int primary key) | a | has no column "id"
          create table b (id bigint) | b | alter table "public"."b" replica identity full
          create table c (id bigint primary key) partition by range (id) | c | not a plain, logged table
          create view d as select 1::bigint as id | d | not a plain, logged table
          create unlogged table e (id bigint primary key) | e | not a plain, logged table
          create table f (id bigint primary key); create table f2 () inherits (f) | f | tables inherit from
          create access method other_heap type table handler heap_tableam_handler; create table h (id bigint primary key) using other_heap | h | access method other_heap
          create table g (n bigint primary key, id bigint generated always as (n + 1) stored) | g | is generated
          """)
  void aTableWhoseChangesAreNotSent_isRefused(String sql, String table, String why)
      throws Exception {
    server.execute(sql);
    refuses(table, builder -> builder, why);
    assertThat(server.column("select slot_name from pg_replication_slots")).isEmpty();
  }

  /** Keys are compared by their text, which must say the same as the server's own equality. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          select 1 | char(5) | takes different texts for equal
          create extension citext | citext | takes different texts for equal
          create domain name_of_bird as citext | name_of_bird | takes different texts for equal
          create collation anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false) | text collate anycase | takes different texts for equal
          select 1 | numeric(9, 2) | takes different texts for equal
          create type bird as enum ('crow', 'owl') | bird | may change
          create domain night_bird as bird check (value = 'owl') | night_bird | may change
          create type pair as (a int, b int) | pair | may change
          select 1 | timestamptz | may change
          select 1 | float8 | may change
          select 1 | bytea | may change
          select 1 | text[] | may change
          select 1 | regclass | may change
          """)
  void aTypeWhoseTextIsNotTheKey_isRefused(String sql, String type, String why) throws Exception {
    server.execute(sql, "create table typed (id " + type + " primary key)");
    try {
      refuses("typed", builder -> builder, why);
    } finally {
      server.execute("drop table typed");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"int", "numeric(18)", "oid", "varchar(9)", "text", "whole"})
  void aTypeWithOneTextForEachKey_isFollowed(String type) throws Exception {
    server.execute(
        "create domain whole as numeric(9, 0)", "create table plain (id " + type + " primary key)");
    try (Followed<Long> plain = Followed.longs(server, "plain").awaitGuarding(9L)) {
      server.execute("insert into plain values ('5')");
      assertThat(plain.filter.ask(5L)).isEqualTo(Answer.MAYBE_HERE);
    }
    server.execute("drop table plain", "drop domain whole");
  }

  @Test
  void aTypeWithSeveralTexts_isFollowed_ifKeysAreNormalized() throws Exception {
    server.execute("create table padded (id char(6) primary key)");
    try (Followed<String> padded =
        Followed.of(
                server,
                "public",
                "padded",
                "id",
                Keys.strings(),
                text -> text,
                builder -> builder.normalize(String::stripTrailing))
            .awaitGuarding("owl")) {
      server.execute("insert into padded values ('crow')");
      assertThat(padded.filter.ask("crow")).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  @Test
  void aServerThatDoesNotLogEnough_isRefused() throws Exception {
    try (TestPostgres plain = TestPostgres.startWithLevel("replica")) {
      plain.execute("create table t (id bigint primary key)");
      assertThatThrownBy(() -> Followed.longs(plain, "t"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("alter system set wal_level = logical");
    }
  }

  @Test
  void aPublicationThatLeavesSomethingOut_isRefused() throws Exception {
    server.execute(
        "create table p (id bigint primary key)",
        "create publication partial for table p with (publish = 'delete')",
        "create publication everything for all tables",
        "create publication rooted for table p with (publish_via_partition_root = true)");
    refuses("p", builder -> builder.publication("partial"), "leaves out inserts or updates");
    refuses("p", builder -> builder.publication("everything"), "is for all tables");
    refuses(
        "p",
        builder -> builder.publication("rooted"),
        "alter publication \"rooted\" set (publish_via_partition_root = false)");
    server.execute("drop publication everything");
  }

  /** The server sends its rows under the number of the root. */
  @Test
  void aPartitionWhoseRowsAreSentAsItsRoots_isRefused_andElseFollowed() throws Exception {
    server.execute(
        "create table orders (id bigint primary key) partition by range (id)",
        "create table orders_low partition of orders for values from (0) to (1000)",
        "create publication by_root for table orders, orders_low"
            + " with (publish_via_partition_root = true)");
    UnaryOperator<PostgresFollowerBuilder<Long>> byRoot = builder -> builder.publication("by_root");
    refuses("orders_low", byRoot, "as those of another table");
    server.execute("alter publication by_root set (publish_via_partition_root = false)");
    try (Followed<Long> low = Followed.longs(server, "orders_low", byRoot).awaitGuarding(9L)) {
      server.execute("insert into orders values (5)");
      assertThat(low.filter.ask(5L)).isEqualTo(Answer.MAYBE_HERE);
      server.execute(
          "alter publication by_root set (publish_via_partition_root = true)",
          "insert into orders values (6)");
      assertThat(low.filter.ask(6L)).isEqualTo(Answer.UNKNOWN);
    }
  }

  @Test
  void aNameThatTheServerTakesForAStandbys_isRefused() throws Exception {
    server.execute("create table named (id bigint primary key)");
    try {
      server.execute(
          "alter system set synchronous_standby_names = 'ANY 1 (berlin, \"Rome\")'",
          "select pg_reload_conf()");
      UnaryOperator<PostgresFollowerBuilder<Long>> rome =
          builder -> builder.property("ApplicationName", "rome");
      while (!server.ask("show synchronous_standby_names").contains("Rome")) {
        Thread.sleep(10);
      }
      refuses("named", rome, "synchronous_standby_names is 'ANY 1 (berlin, \"Rome\")'");
    } finally {
      server.execute("alter system reset synchronous_standby_names", "select pg_reload_conf()");
    }
  }

  /** Nothing is written here but by the follower, as commits would wait for these standbys. */
  @Test
  void aNameThatIsOnlyAPartOfAStandbys_isFollowed() throws Exception {
    server.execute("create table partly (id bigint primary key)");
    try {
      server.execute(
          "alter system set synchronous_standby_names = 'ANY 1 (rome_2, \"Rome-east\")'",
          "select pg_reload_conf()");
      while (!server.ask("show synchronous_standby_names").contains("rome_2")) {
        Thread.sleep(10);
      }
      Followed.longs(server, "partly", builder -> builder.property("ApplicationName", "rome"))
          .awaitGuarding(-1L)
          .close();
    } finally {
      server.execute("alter system reset synchronous_standby_names", "select pg_reload_conf()");
    }
  }

  @Test
  void aLastingSlotWithoutABound_isRefused() throws Exception {
    server.execute("create table unbounded (id bigint primary key)");
    refuses("unbounded", builder -> builder.lastingSlot("s"), "max_slot_wal_keep_size");
  }

  @Test
  void aUserWhoDoesNotOwnTheTable_isToldWhatTheOwnerMustRun_andFollowsThen() throws Exception {
    server.execute(
        "create table owned (id bigint primary key)",
        "create role reader login replication password 'reader'",
        "grant select on owned to reader");
    UnaryOperator<PostgresFollowerBuilder<Long>> reader =
        builder -> builder.login("reader", "reader").publication("mine");
    String statement =
        "create publication \"mine\" for table only \"public\".\"owned\" with (publish = 'insert,"
            + " update, delete, truncate')";
    refuses("owned", reader, statement);
    server.execute(statement);
    try (Followed<Long> owned = Followed.longs(server, "owned", reader).awaitGuarding(-1L)) {
      server.execute("set synchronous_commit = off", "insert into owned values (1)");
      assertThat(owned.filter.ask(1L)).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  @Test
  void namesThatCouldBeMisread_areRefused() {
    PostgresFollowerBuilder<Long> builder = PostgresFollower.of("jdbc:x", Long::valueOf);
    assertThatThrownBy(() -> builder.publication("a,b"))
        .hasMessage("publication may have 1 to 63 small letters, digits and _: a,b");
    assertThatThrownBy(() -> builder.lastingSlot("S"))
        .hasMessage("slot may have 1 to 63 small letters, digits and _: S");
    assertThatThrownBy(() -> builder.resume("x")).hasMessage("not a position of a follower: x");
  }
}
