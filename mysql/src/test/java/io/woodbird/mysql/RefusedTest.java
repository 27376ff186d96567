package io.woodbird.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.github.shyiko.mysql.binlog.network.SSLMode;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.MariaDbServer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A server or a table whose log does not show every row is refused, with what to change. */
final class RefusedTest {
  private static void begin(MariaDbServer server, String table) throws Exception {
    begin(server, table, MariaDbServer.USER, MariaDbServer.PASSWORD, SSLMode.PREFERRED);
  }

  private static void begin(
      MariaDbServer server, String table, String user, String password, SSLMode tls)
      throws Exception {
    try (BinlogFollower<Long> follower =
        BinlogFollower.longs()
            .dataSource(server.dataSource())
            .server("127.0.0.1", server.port(), user, password)
            .tls(tls)
            .table("shop", table, "id")
            .rebuild(() -> CompletableFuture.completedFuture(true))
            .build()) {
      follower.begin(Woodbird.bloom(Keys.longs(), 100).build());
    }
  }

  private static void assertRefused(MariaDbServer server, String table, String reason) {
    assertThatThrownBy(() -> begin(server, table))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void tablesWhoseRowsAreNotAllInTheLog_areRefused() throws Exception {
    try (MariaDbServer server = MariaDbServer.start()) {
      server.run(
          "create table parent (id bigint primary key)",
          "create table child (id bigint, foreign key (id) references parent (id)"
              + " on update cascade)",
          "create table computed (a bigint, id bigint as (a + 1) stored)",
          "create table volatile (id bigint) engine=memory",
          "create view seen as select id from parent",
          "create table texts (id varchar(20))");
      assertRefused(server, "child", "ON UPDATE");
      assertRefused(server, "computed", "generated");
      assertRefused(server, "volatile", "memory");
      if (!server.isMySql()) {
        server.run("create table versioned (id bigint primary key) with system versioning");
        assertRefused(server, "versioned", "system versioned");
      }
      assertRefused(server, "seen", "view");
      assertRefused(server, "texts", "is not an integer");
      assertRefused(server, "missing", "there is no table shop.missing");
      begin(server, "parent");
      // Rows come into such a table through another one, and the log has that one's name.
      server.run("create table kept (id bigint primary key) engine=myisam");
      begin(server, "kept");
      server.run(
          "create table every_kept (id bigint not null, key(id)) engine=merge union=(kept)"
              + " insert_method=last");
      assertRefused(server, "kept", "shop.every_kept, a table of the engine MERGE");
      begin(server, "parent");
    }
  }

  @Test
  void aPlugInThatWritesRowsPastTheLog_isRefused() {
    Map<String, String> variables =
        new HashMap<>(
            Map.of(
                "log_bin", "ON",
                "binlog_format", "ROW",
                "gtid_mode", "ON",
                "daemon_memcached_option", "",
                "innodb_api_enable_binlog", "OFF"));
    assertThatThrownBy(() -> ServerSettings.check(variables, false))
        .hasMessageContaining("innodb_api_enable_binlog");
    variables.put("innodb_api_enable_binlog", "ON");
    ServerSettings.check(variables, false);
  }

  @Test
  void textsWhoseCollationIsNotBinary_areRefused() throws Exception {
    try (MariaDbServer server = MariaDbServer.start()) {
      server.run(
          "create table texts (id varchar(20) collate utf8mb4_general_ci)",
          "create table padded (id varchar(20) collate utf8mb4_bin)");
      assertTextRefused(server, "texts", "utf8mb4_general_ci");
      assertTextRefused(server, "padded", "utf8mb4_bin, which takes different strings for equal:");
      if (server.isMySql()) {
        server.run("create table usual (id varchar(20))");
        assertTextRefused(server, "usual", "utf8mb4_0900_ai_ci");
      }
    }
  }

  private static void assertTextRefused(MariaDbServer server, String table, String reason) {
    assertThatThrownBy(
            () ->
                BinlogFollower.strings()
                    .dataSource(server.dataSource())
                    .server("127.0.0.1", server.port(), MariaDbServer.USER, "")
                    .table("shop", table, "id")
                    .rebuild(() -> CompletableFuture.completedFuture(true))
                    .build()
                    .begin(Woodbird.bloom(Keys.strings(), 100).build()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(reason)
        .hasMessageContaining("normalize()");
  }

  @Test
  void serversWhoseLogIsNotComplete_areRefused() throws Exception {
    try (MariaDbServer server = MariaDbServer.start("--binlog-format=MIXED")) {
      server.run("create table product (id bigint primary key)");
      assertRefused(server, "product", "binlog_format=MIXED");
      server.stop();
      server.startAgain("--binlog-ignore-db=shop");
      assertRefused(server, "product", "binlog_ignore_db=shop");
      server.stop();
      server.startAgain("--binlog-do-db=other");
      assertRefused(server, "product", "binlog_do_db=other");
      server.stop();
      server.startAgain("--binlog-ignore-db=other");
      assertRefused(server, "product", "binlog_ignore_db=other");
      // A new table takes the name of the followed one, and the log does not tell.
      server.run("create database other", "create table shop.next (id bigint primary key)");
      String position = "@@global." + (server.isMySql() ? "gtid_executed" : "gtid_binlog_pos");
      String before = server.ask("select " + position);
      server.run("use other", "rename table shop.product to shop.old, shop.next to shop.product");
      assertThat(server.ask("select " + position)).isEqualTo(before);
      server.stop();
      server.startAgain("--skip-log-bin");
      assertRefused(server, "product", "log_bin=OFF");
      server.stop();
      String compress = server.isMySql() ? "binlog-transaction-compression" : "log-bin-compress";
      server.startAgain("--" + compress + "=1");
      assertRefused(server, "product", compress.replace('-', '_') + "=ON");
      server.stop();
      server.startAgain("--read-only=1");
      assertRefused(server, "product", "read-only");
      if (server.isMySql()) {
        server.stop();
        server.startAgain("--gtid-mode=OFF");
        assertRefused(server, "product", "gtid_mode=OFF");
        server.stop();
        server.startAgain("--binlog-row-value-options=partial_json");
        assertRefused(server, "product", "binlog_row_value_options=PARTIAL_JSON");
        server.stop();
        server.startAgain("--binlog-error-action=IGNORE_ERROR");
        assertRefused(server, "product", "binlog_error_action=IGNORE_ERROR");
      }
      server.stop();
      server.startAgain();
      begin(server, "product");
    }
  }

  @Test
  void aReaderOfAurora_isReadOnly() throws Exception {
    try (MariaDbServer server = MariaDbServer.start()) {
      assumeFalse(server.isMySql(), "MySQL does not start in this way");
      server.stop();
      server.startAgain("--innodb-read-only=1", "--init-file=");
      assertThat(server.ask("select " + MySqlServer.READ_ONLY_MYSQL)).isEqualTo("1");
      assertRefused(server, "product", "innodb_read_only=ON");
    }
  }

  @Test
  void aServerWithoutInnoDb_isFollowed() throws Exception {
    try (MariaDbServer server = MariaDbServer.start()) {
      assumeFalse(server.isMySql(), "MySQL has InnoDB always");
      server.run(
          "create table product (id bigint primary key) engine=aria",
          "alter table mysql.gtid_slave_pos engine=aria");
      server.stop();
      server.startAgain("--skip-innodb", "--default-storage-engine=aria", "--init-file=");
      begin(server, "product");
    }
  }

  @Test
  void serversOfMySqlWhoseLogMayEnd_areRefused() {
    Map<String, String> usual = Map.of("log_bin", "ON", "binlog_format", "ROW", "gtid_mode", "ON");
    ServerSettings.check(usual, false);
    Map<String, String> ending = new HashMap<>(usual);
    ending.put("binlog_error_action", "ABORT_SERVER");
    ServerSettings.check(ending, false);
    ending.put("binlog_error_action", "IGNORE_ERROR");
    assertThatThrownBy(() -> ServerSettings.check(ending, false))
        .hasMessageContaining("binlog_error_action=IGNORE_ERROR");
  }

  @Test
  void aReplicaOfMariaDbThatDoesNotLogWhatItApplies_isRefused() {
    Map<String, String> variables =
        new HashMap<>(Map.of("log_bin", "ON", "binlog_format", "ROW", "log_slave_updates", "OFF"));
    variables.put("slaves_running", "0");
    ServerSettings.check(variables, true);
    variables.put("slaves_running", "1");
    assertThatThrownBy(() -> ServerSettings.check(variables, true))
        .hasMessageContaining("needs log_slave_updates=ON");
    variables.put("log_slave_updates", "ON");
    ServerSettings.check(variables, true);
  }

  /** Percona XtraDB Cluster has wsrep_on for sessions only. */
  @Test
  void aServerOfAClusterMadeOfMySql_isRefused() {
    Map<String, String> variables =
        new HashMap<>(Map.of("log_bin", "ON", "binlog_format", "ROW", "gtid_mode", "ON"));
    variables.put("wsrep_provider", "none");
    ServerSettings.check(variables, false);
    variables.put("wsrep_provider", "/usr/lib/galera4/libgalera_smm.so");
    assertThatThrownBy(() -> ServerSettings.check(variables, false))
        .hasMessageContaining("wsrep_provider=/usr/lib/galera4/libgalera_smm.so");
  }

  @Test
  void groupsWhoseServersMayLackConfirmedRows_areRefused() {
    assertThatThrownBy(() -> ServerSettings.checkGroup("OFF", "BEFORE_AND_AFTER"))
        .hasMessageContaining("needs group_replication_single_primary_mode=ON");
    assertThatThrownBy(() -> ServerSettings.checkGroup("ON", "EVENTUAL"))
        .hasMessageContaining("group_replication_consistency=EVENTUAL");
    ServerSettings.checkGroup("ON", "BEFORE_ON_PRIMARY_FAILOVER");
  }

  @Test
  void aUserWhoMayNotReadTheLog_isRefused() throws Exception {
    try (MariaDbServer server = MariaDbServer.start()) {
      server.run(
          "create table product (id bigint primary key)", "create user weak identified by 'c'");
      assertThatThrownBy(() -> begin(server, "product", "weak", "c", SSLMode.PREFERRED))
          .hasMessageContaining("REPLICATION SLAVE");
      assertThatThrownBy(() -> begin(server, "product", "weak", "wrong", SSLMode.PREFERRED))
          .hasMessageContaining("Access denied");
      // MySQL makes a certificate when it is set up.
      assertThatThrownBy(() -> begin(server, "product", MariaDbServer.USER, "", SSLMode.REQUIRED))
          .hasMessageContaining(server.isMySql() ? "Access denied" : "SSL");
    }
  }

  @Test
  void aBuilderWithoutWhatItNeeds_saysSo() {
    assertThatThrownBy(() -> BinlogFollower.longs().build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("a follower needs table()");
    assertThatThrownBy(() -> BinlogFollower.longs().serverId(0))
        .hasMessage("serverId must be from 1 to 2^32 - 1: 0");
    assertThatThrownBy(() -> BinlogFollower.longs().from("0-1-5"))
        .hasMessage("not a position in a binary log: 0-1-5");
  }
}
