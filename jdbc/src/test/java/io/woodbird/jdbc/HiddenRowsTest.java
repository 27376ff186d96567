package io.woodbird.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Woodbird;
import io.woodbird.guard.Follower;
import io.woodbird.guard.Follower.Proof;
import io.woodbird.key.Keys;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Rows that are committed, and that a connection, a user or something in between does not show. */
final class HiddenRowsTest {
  private static final Database database = SharedPostgres.create("hidden");

  @BeforeAll
  static void create() {
    database.run(
        "create role clerk login",
        "create table product (id bigint primary key, tenant text)",
        "insert into product values (5, 'a'), (500, 'b')",
        "grant select on product to clerk");
  }

  private static DataSource as(String user, String more) {
    return SharedPostgres.of(SharedPostgres.port(), "hidden", user, more);
  }

  private static Follower<Long> follower(DataSource source, String sql) throws Exception {
    Follower<Long> follower = JdbcKeys.longs(source, sql).follower();
    follower.begin(Woodbird.bloom(Keys.longs(), 100).build());
    return follower;
  }

  @Test
  void rowsThatAPolicyHides_areNotProvedAbsent() throws Exception {
    database.run(
        "create policy own on product using (tenant = current_setting('shop.tenant', true))");
    List<String> queries = List.of("select id from product", "select id from product where id > 0");
    DataSource clerk = as("clerk", "");
    for (String sql : queries) {
      assertThat(follower(clerk, sql).confirm(List.of(7L)).isAbsent(7L)).isTrue();
    }
    database.run("alter table product enable row level security");
    try {
      for (String sql : queries) {
        assertThatThrownBy(() -> follower(clerk, sql).confirm(List.of(5L)))
            .hasMessageContaining("BYPASSRLS")
            .hasMessageContaining(sql);
        assertThatThrownBy(() -> JdbcKeys.longs(clerk, sql).open())
            .hasMessageContaining("BYPASSRLS");
        Proof<Long> owners = follower(database.source(), sql).confirm(List.of(5L, 7L));
        assertThat(owners.isAbsent(5L)).isFalse();
        assertThat(owners.isAbsent(7L)).isTrue();
      }
    } finally {
      database.run("alter table product disable row level security", "drop policy own on product");
    }
  }

  @Test
  void aMaterializedView_isNoSource() {
    database.run("create materialized view stale as select id from product");
    database.run("create view over_stale as select p.id from product p join stale using (id)");
    for (String sql :
        List.of(
            "select id from stale",
            "select id from stale where id > 0",
            "select id from over_stale",
            "select id from product where id in (select id from stale)")) {
      assertThatThrownBy(() -> follower(database.source(), sql).confirm(List.of(5L)))
          .hasMessageContaining("is a materialized view");
    }
  }

  @Test
  void aViewThatIsMadeAnew_isLookedAtAgain() throws Exception {
    database.run(
        "create table base (id bigint primary key)",
        "insert into base values (1), (1000)",
        "create materialized view old_base as select id from base",
        "create view through as select id from base");
    Follower<Long> follower = follower(database.source(), "select id from through");
    assertThat(follower.confirm(List.of(500L)).isAbsent(500L)).isTrue();
    database.run(
        "create or replace view through as select id from old_base",
        "insert into base values (500)");
    assertThatThrownBy(() -> follower.confirm(List.of(500L)))
        .hasMessageContaining("is a materialized view");
    database.run("create or replace view through as select id from base");
    assertThat(follower.confirm(List.of(500L)).isAbsent(500L)).isFalse();
  }

  /** A filter that follows changes must begin with every row. */
  @Test
  void aWholeTable_isNoView_andNoPartOfATable() throws Exception {
    database.run(
        "create table whole (id bigint primary key)",
        "insert into whole values (1), (2)",
        "create view some_of_whole as select id from whole where id > 1");
    try (Stream<Long> all = each("select id from public.whole").wholeTable().open()) {
      assertThat(all).containsExactlyInAnyOrder(1L, 2L);
    }
    assertThatThrownBy(() -> each("select id from some_of_whole").wholeTable().open())
        .hasMessageContaining("the query reads a view");
    assertThatThrownBy(() -> each("select id from whole where id > 1").wholeTable())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("select id from whole where id > 1");
  }

  /** The planner can't look into it. It may read another server, or rows of some time ago. */
  @Test
  void aFunction_isNoSource_unlessThePlannerKnowsWhatItReads() throws Exception {
    String body = "returns setof bigint stable language ";
    database.run(
        "create function all_ids() "
            + body
            + "plpgsql as 'begin return query select id from"
            + " product; end'",
        "create function \"all ids\"() "
            + body
            + "plpgsql as 'begin return query select id from"
            + " product; end'",
        "create function each(json) " + body + "sql as 'select 5::bigint'",
        "create materialized view stale_ids as select id from product",
        "create function list_of_ids() returns bigint[] stable language plpgsql as"
            + " 'begin return array(select id from stale_ids); end'",
        "create extension citext",
        "create function inlined_ids() " + body + "sql as 'select id from product'",
        "create view over_function as select id from all_ids() f(id)");
    for (String sql :
        List.of(
            "select id from all_ids() f(id)",
            "select id from over_function",
            "select all_ids() as id",
            "select abs(\"all ids\"()) as id",
            "select unnest(list_of_ids()) as id",
            "select id from unnest(list_of_ids()) f(id)",
            "select id from xmltable('/i' passing xmlelement(name i, list_of_ids()) columns id bigint"
                + " path '.')",
            "select id from product where id in (select all_ids())",
            "select id from rows from (all_ids(), generate_series(1, 2)) f(id, number)")) {
      assertThatThrownBy(() -> follower(database.source(), sql).confirm(List.of(9L)))
          .as(sql)
          .hasMessageContaining("is a function");
    }
    for (String sql :
        List.of(
            "select id from inlined_ids() f(id)",
            "select unnest(array[5, 500]::bigint[]) as id",
            "select regexp_split_to_table('5,500', ',')::bigint as id",
            "select id from unnest(array[5, 500]::bigint[], array['a']) f(id, sku)",
            "select (json_each('{\"a\": 5}')).value::text::bigint as id",
            "select id from product join generate_series(5, 5) f(id) using (id)",
            "select id from product where id in (select unnest(array[5, 500]))")) {
      Proof<Long> proof = follower(database.source(), sql).confirm(List.of(5L, 9L));
      assertThat(proof.isAbsent(5L)).as(sql).isFalse();
      assertThat(proof.isAbsent(9L)).as(sql).isTrue();
    }
  }

  /** The other server has policies of its own, and says nothing of them. */
  @Test
  void aForeignTable_isNoSource() {
    database.run(
        "create table near (id bigint primary key, tenant text)",
        "insert into near values (1, 'a'), (500, 'b'), (1000, 'a')",
        "create role guest login",
        "grant select on near to guest",
        "alter table near enable row level security",
        "create policy own on near using (tenant = 'a')",
        "create extension postgres_fdw",
        "create server itself foreign data wrapper postgres_fdw options (host '127.0.0.1', port '"
            + SharedPostgres.port()
            + "', dbname 'hidden')",
        "create user mapping for postgres server itself options (user 'guest', password_required"
            + " 'false')",
        "create foreign table far (id bigint, tenant text) server itself options (table_name"
            + " 'near')",
        "create foreign table far2 (id bigint, tenant text) server itself options (table_name"
            + " 'near')");
    for (String sql :
        List.of(
            "select id from far",
            "select far.id from far join far2 using (id)", // As a whole on the other server.
            "select id from near where id in (select id from far)")) {
      assertThatThrownBy(() -> follower(database.source(), sql).confirm(List.of(500L)))
          .hasMessageContaining("is a foreign table");
    }
  }

  /** It may come later, when the table has been looked at. */
  @Test
  void aForeignTableAmongTheParts_isNoSource() throws Exception {
    database.run(
        "create table stock (id bigint primary key, tenant text)",
        "insert into stock values (500, 'b')",
        "create role buyer login",
        "grant select on stock to buyer",
        "alter table stock enable row level security",
        "create policy own on stock using (tenant = 'a')",
        "create extension if not exists postgres_fdw",
        "create server beside foreign data wrapper postgres_fdw options (host '127.0.0.1', port '"
            + SharedPostgres.port()
            + "', dbname 'hidden')",
        "create user mapping for postgres server beside options (user 'buyer', password_required"
            + " 'false')",
        "create table parted (id bigint, tenant text) partition by range (id)",
        "create table parted_low partition of parted for values from (0) to (100)",
        "create table parted_high partition of parted for values from (900) to (1001) partition by"
            + " range (id)",
        "create table parted_top partition of parted_high for values from (1000) to (1001)",
        "create table family (id bigint, tenant text)");
    Map<String, String> attached =
        Map.of(
            "parted", "partition of parted for values from (500) to (600)",
            "family", "() inherits (family)");
    for (String table : attached.keySet()) {
      database.run("insert into " + table + " values (1, 'a'), (1000, 'a')");
      Follower<Long> follower = follower(database.source(), "select id from " + table);
      assertThat(follower.confirm(List.of(500L)).isAbsent(500L)).isTrue();
      database.run(
          "create foreign table far_part "
              + attached.get(table)
              + " server beside options (table_name 'stock')");
      assertThatThrownBy(() -> follower.confirm(List.of(500L)))
          .hasMessageContaining("a foreign table among the parts");
      assertThatThrownBy(() -> follower.confirm(List.of(500L)))
          .hasMessageContaining("is a foreign table");
      database.run("drop foreign table far_part");
      assertThat(follower.confirm(List.of(500L)).isAbsent(500L)).isTrue();
      database.run(
          "create table own_part " + attached.get(table), "insert into own_part values (500, 'b')");
      assertThat(follower.confirm(List.of(500L)).isAbsent(500L)).isFalse();
      database.run("drop table own_part");
    }
  }

  @Test
  void aView_showsRowsAtOnce() throws Exception {
    database.run("create view shown as select id from product where id > 0");
    Follower<Long> follower = follower(database.source(), "select id from shown");
    assertThat(follower.confirm(List.of(60L)).isAbsent(60L)).isTrue();
    database.run("insert into product values (60)");
    assertThat(follower.confirm(List.of(60L)).isAbsent(60L)).isFalse();
  }

  @Test
  void anExpression_isLookedUpAsItIs() throws Exception {
    String sql = "select id + 0 as number from product";
    Proof<Long> proof = follower(database.source(), sql).confirm(List.of(500L, 501L));
    assertThat(proof.isAbsent(500L)).isFalse();
    assertThat(proof.isAbsent(501L)).isTrue();
  }

  @Test
  void aTableThatAnotherOneReplaces_isReadUnderItsName() throws Exception {
    database.run("create table shop (id bigint primary key)", "insert into shop values (1), (90)");
    for (JdbcKeys<Long> keys : List.of(kept("select id from shop"), each("select id from shop"))) {
      Follower<Long> follower = keys.follower();
      follower.begin(Woodbird.bloom(Keys.longs(), 100).build());
      for (int i = 0; i < 8; i++) { // So that the server keeps the statement's plan.
        assertThat(follower.confirm(List.of(70L, 1000L)).isAbsent(70L)).isTrue();
      }
      database.run(
          "create table other (id bigint primary key)",
          "insert into other values (70), (1000)",
          "begin; alter table shop rename to old; alter table other rename to shop; commit");
      Proof<Long> proof = follower.confirm(List.of(1L, 70L, 1000L));
      assertThat(List.of(70L, 1000L)).noneMatch(proof::isAbsent);
      assertThat(proof.isAbsent(1L)).isTrue();
      follower.close();
      database.run("drop table shop", "alter table old rename to shop");
    }
  }

  private static JdbcKeys<Long> each(String sql) {
    return JdbcKeys.longs(database.source(), sql);
  }

  private static JdbcKeys<Long> kept(String sql) {
    return JdbcKeys.longs(database.source(), sql).keepConnection();
  }

  /** A pool whose connections are in a transaction that has begun, and see its snapshot. */
  @Test
  void connectionsOfAPoolWithOtherDefaults_seeEachCommit_andGoBackAsTheyWere() throws Exception {
    DataSource pool =
        as(
            "postgres",
            "options=-c%20default_transaction_isolation=repeatable%5C%20read%20"
                + "-c%20default_transaction_read_only=on");
    try (Connection only = pool.getConnection()) {
      only.setAutoCommit(false);
      only.setReadOnly(true);
      only.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      Follower<Long> follower = follower(CountingDataSource.ofOne(only), "select id from product");
      for (long id = 101; id < 105; id++) {
        assertThat(follower.confirm(List.of(id)).isAbsent(id)).isTrue();
        database.run("insert into product values (" + id + ")");
        assertThat(follower.confirm(List.of(id)).isAbsent(id)).isFalse();
      }
      assertThat(only.getAutoCommit()).isFalse();
      assertThat(only.isReadOnly()).isTrue();
      assertThat(only.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
    }
  }

  @Test
  void resultsThatSomebodyKept_proveNothing() throws Exception {
    RememberingDataSource between = new RememberingDataSource(database.source());
    Follower<Long> follower = follower(between.proxy(), "select id from product");
    follower.confirm(List.of(200L));
    assertThat(follower.confirm(List.of(200L)).isAbsent(200L)).isTrue();
    between.answersFromMemory = true;
    database.run("insert into product values (200)");
    assertThatThrownBy(() -> follower.confirm(List.of(200L)))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("keeps results");
    between.answersFromMemory = false;
    assertThat(follower.confirm(List.of(200L)).isAbsent(200L)).isFalse();
  }

  /**
   * A proxy lends a session, in which somebody else has prepared another statement of this name.
   */
  @Test
  void aStatementThatWasPreparedForAnotherTable_provesNothing() throws Exception {
    database.run(
        "create table mine (id bigint primary key)",
        "create table yours (id bigint primary key)",
        "insert into mine values (1), (500), (1000)",
        "insert into yours values (1), (1000)");
    Map<String, String> prepared = new HashMap<>();
    DataSource between =
        CountingDataSource.proxy(
            DataSource.class,
            (self, method, arguments) -> {
              Connection connection = database.source().getConnection();
              return CountingDataSource.proxy(
                  Connection.class,
                  (same, called, given) -> {
                    if (called.getName().equals("prepareStatement")) {
                      String sql = (String) given[0];
                      String shape = sql.replaceAll("[^?]", "") + sql.contains("1 = 0");
                      given[0] = prepared.computeIfAbsent(shape, first -> sql);
                    }
                    return CountingDataSource.invoke(called, connection, given);
                  });
            });
    Follower<Long> first = follower(between, "select id from yours");
    assertThat(first.confirm(List.of(500L)).isAbsent(500L)).isTrue();
    Follower<Long> second = follower(between, "select id from mine");
    assertThatThrownBy(() -> second.confirm(List.of(500L)))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("mixes up prepared statements");
    prepared.clear();
    assertThat(second.confirm(List.of(500L)).isAbsent(500L)).isFalse();
  }
}
