package io.woodbird.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.woodbird.Answer;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.guard.FollowingFilter;
import io.woodbird.key.Keys;
import io.woodbird.testkit.MariaDbServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Whatever happens to the server or to the stream, no row is denied, and all recovers by itself.
 */
final class BinlogFaultsTest {
  private static final long ABSENT = -1;
  private MariaDbServer server;
  private FollowedTable<Long> table;

  @BeforeEach
  void start() throws Exception {
    server = MariaDbServer.start("--sync-binlog=1");
    server.run("create table product (id bigint primary key)", "insert into product values (1)");
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

  private void follow() throws Exception {
    table =
        FollowedTable.of(
            server, Keys.longs(), BinlogFollower.longs(), "product", row -> row.getLong(1));
    table.awaitDenied(ABSENT);
    insert(2);
    assertFound(2);
  }

  private void insert(long key) throws Exception {
    server.run("insert into product (id) values (" + key + ")");
  }

  private void assertFound(long key) {
    assertThat(table.ask(key)).as("key %d", key).isEqualTo(Answer.MAYBE_HERE);
  }

  private void assertNotDenied(long key) {
    assertThat(table.ask(key)).as("key %d", key).isNotEqualTo(Answer.NOT_HERE);
  }

  private void assertRecovers(int builds, long key) throws Exception {
    assertRecovers(key);
    assertThat(table.builds).hasValue(builds);
  }

  private void assertRecovers(long key) throws Exception {
    table.awaitDenied(ABSENT);
    assertFound(key);
    insert(key + 1000);
    assertFound(key + 1000);
  }

  @Test
  void aKilledServer_isFollowedAgain_withoutABuild() throws Exception {
    follow();
    server.kill();
    table.awaitUnknown(ABSENT);
    server.startAgain("--sync-binlog=1");
    insert(3);
    assertNotDenied(3);
    assertRecovers(1, 3);
  }

  @Test
  void aStoppedServer_isFollowedAgain_withoutABuild() throws Exception {
    follow();
    server.stop();
    server.startAgain("--sync-binlog=1");
    insert(3);
    assertNotDenied(3);
    assertRecovers(1, 3);
  }

  @Test
  void aServerThatMayHaveLostItsLog_isReadAnew() throws Exception {
    server.run("set global sync_binlog=0");
    follow();
    Thread.sleep(3_000); // A restart is noticed by the second.
    server.kill();
    server.startAgain("--sync-binlog=1");
    insert(3);
    assertNotDenied(3);
    assertRecovers(2, 3);
  }

  /** MariaDB goes on without its log if it can't begin a new file, as on a full disk. */
  @Test
  void aServerThatStopsLogging_deniesNothing_untilItLogsAgain() throws Exception {
    assumeFalse(server.isMySql(), "MySQL ends then");
    follow();
    Path index = Path.of(server.ask("select @@global.log_bin_index"));
    Path kept = index.resolveSibling("kept");
    Files.move(index, kept);
    Files.createDirectory(index);
    assertThatThrownBy(() -> server.run("flush binary logs")).hasMessageContaining("index");
    insert(3);
    assertNotDenied(3);
    table.awaitUnknown(ABSENT);
    server.stop();
    Files.delete(index);
    Files.move(kept, index);
    server.startAgain("--sync-binlog=1");
    assertNotDenied(3);
    assertRecovers(2, 3);
  }

  /** By default MariaDB does not log what another server sends. MySQL counts it as purged. */
  @Test
  void rowsThatAnotherServerSends_andThatAreNotLogged_areNotDenied() throws Exception {
    assumeFalse(server.isMySql(), "see MySqlCases.transactionsThatTheLogDoesNotHave_areAGap");
    follow();
    try (MariaDbServer source = MariaDbServer.start("--server-id=2")) {
      source.run("set sql_log_bin=0", "create table product (id bigint primary key)");
      server.run(
          ("change master to master_host='127.0.0.1', master_port=%d, master_user='%s',"
                  + " master_password='%s'")
              .formatted(source.port(), MariaDbServer.USER, MariaDbServer.PASSWORD),
          "start slave");
      source.run("insert into product values (3)");
      String applied =
          "select @@global.gtid_slave_pos <> '' and exists (select * from product where id = 3)";
      while (server.ask(applied).equals("0")) {
        Thread.sleep(10);
      }
      assertNotDenied(3);
      String doubt = "";
      while (doubt == null || !doubt.contains("unlogged")) {
        assertNotDenied(3);
        doubt = table.following.doubt();
      }
    }
    server.run("stop slave");
    assertRecovers(2, 3);
  }

  @Test
  void aKilledStream_goesOnWhereItWas() throws Exception {
    follow();
    for (int key = 10; key < 20; key++) {
      server.killStreams();
      insert(key);
      assertNotDenied(key);
      table.awaitDenied(ABSENT);
      assertFound(key);
    }
    assertRecovers(1, 10);
  }

  @Test
  void aFrozenServer_deniesNothing_andGoesOn() throws Exception {
    follow();
    server.freeze();
    CompletableFuture<Answer> waiting = table.following.askAsync(3L);
    server.thaw();
    assertThat(waiting.get()).isNotEqualTo(Answer.MAYBE_HERE);
    insert(3);
    assertNotDenied(3);
  }

  /** The connections are given up after ten seconds. */
  @Test
  @Tag("slow")
  void aServerThatStaysFrozen_deniesNothing_andGoesOn() throws Exception {
    follow();
    server.freeze();
    table.awaitUnknown(ABSENT);
    server.thaw();
    insert(4);
    assertNotDenied(4);
    assertRecovers(1, 4);
  }

  @Test
  void aResetLog_isReadAnew() throws Exception {
    follow();
    server.resetLog();
    insert(3);
    assertNotDenied(3);
    assertRecovers(2, 3);
  }

  @Test
  void aLogThatWasResetWhileTheStreamWasCut_isReadAnew() throws Exception {
    follow();
    server.stop();
    server.startAgain("--sync-binlog=1");
    server.resetLog();
    insert(3);
    assertNotDenied(3);
    assertRecovers(3);
    // If the follower was back before the reset, it may have begun to read anew once more.
    assertThat(table.builds).hasValueGreaterThan(1);
  }

  /** Saves a position, lets the server change, and begins there. */
  private String savedPosition(MutableFilter<Long> filter) throws Exception {
    follow();
    String position = table.follower.position();
    assertThat(position).isNotNull();
    table.close();
    filter.put(1L);
    filter.put(2L);
    return position;
  }

  private FollowingFilter<Long> startFrom(
      String position, MutableFilter<Long> filter, AtomicInteger builds) throws Exception {
    BinlogFollower<Long> follower =
        BinlogFollower.longs()
            .dataSource(server.dataSource())
            .server("127.0.0.1", server.port(), MariaDbServer.USER, MariaDbServer.PASSWORD)
            .table("shop", "product", "id")
            .from(position)
            .rebuild(
                () -> {
                  builds.incrementAndGet();
                  filter.put(3L);
                  return CompletableFuture.completedFuture(true);
                })
            .build();
    return FollowingFilter.over(filter, follower).patience(Duration.ofMinutes(3)).start();
  }

  private static MutableFilter<Long> filter() {
    return Woodbird.bloom(Keys.longs(), 1000).fpp(1e-6).seed(3).build();
  }

  private static void awaitDenied(FollowingFilter<Long> following) throws InterruptedException {
    while (following.ask(ABSENT) != Answer.NOT_HERE) {
      Thread.sleep(10);
    }
  }

  @Test
  void aSavedPosition_givesTheRowsSinceThen_withoutABuild() throws Exception {
    MutableFilter<Long> filter = filter();
    String position = savedPosition(filter);
    insert(3);
    server.run("flush binary logs");
    insert(4);
    AtomicInteger builds = new AtomicInteger();
    try (FollowingFilter<Long> following = startFrom(position, filter, builds)) {
      assertThat(following.ask(3L)).isNotEqualTo(Answer.NOT_HERE);
      awaitDenied(following);
      assertThat(following.ask(3L)).isEqualTo(Answer.MAYBE_HERE);
      assertThat(following.ask(4L)).isEqualTo(Answer.MAYBE_HERE);
    }
    assertThat(builds).hasValue(0);
  }

  @Test
  void aSavedPosition_whoseLogWasPurged_isAGap() throws Exception {
    assertGapSince(
        () -> {
          insert(3);
          server.run("flush binary logs", "insert into product values (4)", "flush binary logs");
          do { // A log that the server still sends to somebody is not purged.
            server.killStreams();
            server.run("purge binary logs to 'binlog.000003'");
          } while (!server.ask("show binary logs").equals("binlog.000003"));
        });
  }

  @Test
  void aSavedPosition_whoseNumbersCameAgainInAnotherLog_isAGap() throws Exception {
    assertGapSince(
        () -> {
          server.resetLog();
          for (int key = 3; key < 30; key++) { // More transactions than there were before.
            insert(key);
          }
        });
  }

  /** Rows that were logged before have the key in another place than the catalogue says now. */
  @Test
  void aSavedPosition_beforeTheKeyChangedItsPlaceWithoutALog_isAGap() throws Exception {
    server.run(
        "drop table product",
        "create table product (id bigint primary key, ref bigint not null default 900)",
        "insert into product (id) values (1)");
    assertGapSince(
        () -> {
          insert(3);
          server.run(
              "set sql_log_bin=0", "alter table product modify id bigint not null after ref");
        });
  }

  private interface Change {
    void make() throws Exception;
  }

  /** Asserts that what happens between two processes makes the second one build. */
  private void assertGapSince(Change change) throws Exception {
    MutableFilter<Long> filter = filter();
    String position = savedPosition(filter);
    change.make();
    AtomicInteger builds = new AtomicInteger();
    try (FollowingFilter<Long> following = startFrom(position, filter, builds)) {
      assertThat(following.ask(3L)).isNotEqualTo(Answer.NOT_HERE);
      awaitDenied(following);
      assertThat(following.ask(3L)).isEqualTo(Answer.MAYBE_HERE);
    }
    assertThat(builds).hasValue(1);
  }

  @Test
  void aReadOnlyServer_deniesNothing() throws Exception {
    follow();
    server.run("set global read_only=1");
    table.awaitUnknown(ABSENT);
    server.run("set global read_only=0");
    assertRecovers(1, 2);
  }

  @Test
  void anotherServer_isReadAnew() throws Exception {
    follow();
    server.stop();
    server.rename();
    server.startAgain("--sync-binlog=1", "--server-id=2"); // As after a failover.
    insert(3);
    assertNotDenied(3);
    assertRecovers(2, 3);
  }

  @Test
  void aBuildThatFails_isTriedAgain() throws Exception {
    follow();
    server.run("rename table product to hidden");
    table.awaitUnknown(ABSENT);
    server.run("rename table hidden to product");
    insert(3);
    assertNotDenied(3);
    table.awaitDenied(ABSENT);
    assertFound(3);
  }
}
