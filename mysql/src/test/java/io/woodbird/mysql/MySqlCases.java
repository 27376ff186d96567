package io.woodbird.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import io.woodbird.testkit.MariaDbServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What MySQL does and MariaDB does not. {@link OtherServersTest} runs it, if MySQL is here. */
final class MySqlCases {
  private static final long ABSENT = -1;
  private MariaDbServer server;
  private FollowedTable<Long> table;

  @BeforeEach
  void start() throws Exception {
    server = MariaDbServer.start("--sync-binlog=1");
    server.run(
        "create table product (id bigint primary key, details json)",
        "insert into product values (1, '{\"a\": 1, \"b\": 2}')");
    table =
        FollowedTable.of(
            server, Keys.longs(), BinlogFollower.longs(), "product", row -> row.getLong(1));
    table.awaitDenied(ABSENT);
  }

  @AfterEach
  void stop() throws Exception {
    if (table != null) {
      table.close();
    }
    if (server != null) {
      server.close();
    }
  }

  private void assertFoundAfterAGap(long key) throws Exception {
    assertThat(table.ask(key)).isNotEqualTo(Answer.NOT_HERE);
    table.awaitDenied(ABSENT);
    assertThat(table.ask(key)).isEqualTo(Answer.MAYBE_HERE);
    assertThat(table.follower.gaps()).isEqualTo(1);
  }

  @Test
  void aSessionThatCompressesItsTransactions_isAGap() throws Exception {
    server.run("set binlog_transaction_compression=on", "insert into product values (10, null)");
    assertFoundAfterAGap(10);
  }

  @Test
  void aSessionThatLogsPartsOfDocuments_isAGap() throws Exception {
    server.run(
        "set binlog_row_value_options=partial_json",
        "update product set id = 10, details = json_set(details, '$.a', 3) where id = 1");
    assertFoundAfterAGap(10);
  }

  @Test
  void transactionsWithTags_areNotRead_andNothingIsDenied() throws Exception {
    server.run(
        "set gtid_next='automatic:bird'",
        "insert into product values (10, null)",
        "set gtid_next='automatic'");
    assertThat(table.ask(10L)).isNotEqualTo(Answer.NOT_HERE);
    table.awaitUnknown(ABSENT);
    try (MySqlServer asked = new MySqlServer(server.dataSource())) {
      assertThatThrownBy(asked::now).hasMessageContaining("GTIDs with tags");
    }
  }

  @Test
  void transactionsWithoutGtids_areNotRead_andNothingIsDenied() throws Exception {
    server.run(
        "set global gtid_mode=on_permissive",
        "set global gtid_mode=off_permissive",
        "insert into product values (10, null)");
    assertThat(table.ask(10L)).isNotEqualTo(Answer.NOT_HERE);
    try (MySqlServer asked = new MySqlServer(server.dataSource())) {
      assertThatThrownBy(asked::now).hasMessageContaining("gtid_mode=OFF_PERMISSIVE");
    }
  }

  /** A restored dump says so. Its transactions are in no log, and the server counts them. */
  @Test
  void transactionsThatTheLogDoesNotHave_areAGap() throws Exception {
    server.run(
        "set global gtid_purged='+11111111-1111-1111-1111-111111111111:1-5'",
        "insert into product values (10, null)");
    assertFoundAfterAGap(10);
    server.run("set global gtid_purged='+22222222-2222-2222-2222-222222222222:1-5'");
    assertThat(table.ask(11L)).as("nothing else comes").isEqualTo(Answer.UNKNOWN);
    table.awaitDenied(ABSENT);
  }

  @Test
  void aGroupWhoseServersMayLackConfirmedRows_isNotBelieved() throws Exception {
    server.run("install plugin group_replication soname 'group_replication.so'");
    try (MySqlServer asked = new MySqlServer(server.dataSource())) {
      assertThat(asked.now().server()).isNotEmpty();
      server.run(
          "set global group_replication_group_name='33333333-3333-3333-3333-333333333333'",
          "set global group_replication_consistency='EVENTUAL'");
      assertThatThrownBy(asked::now).hasMessageContaining("consistency=EVENTUAL");
      server.run("set global group_replication_consistency='BEFORE_ON_PRIMARY_FAILOVER'");
      assertThat(asked.now().server()).isNotEmpty();
      server.run("set global group_replication_single_primary_mode=off");
      assertThatThrownBy(asked::now).hasMessageContaining("single_primary_mode=OFF");
    }
  }

  @Test
  void tablesOfOthers_doNotDisturb_unlessTheClientDoesNotKnowTheirTypes() throws Exception {
    server.run(
        "set global binlog_row_metadata=full",
        "create table others (id int primary key, d json, g geometry)",
        "insert into others values (1, '{}', point(1, 2))",
        "insert into product values (10, null)");
    assertThat(table.ask(10L)).isEqualTo(Answer.MAYBE_HERE);
    assertThat(table.follower.gaps()).isZero();
    server.run(
        "create table vectors (id int primary key, v vector(3))",
        "insert into vectors values (1, to_vector('[1,2,3]'))",
        "insert into product values (11, null)");
    assertFoundAfterAGap(11);
  }
}
