package io.woodbird.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Woodbird;
import io.woodbird.guard.Follower;
import io.woodbird.guard.Follower.Proof;
import io.woodbird.key.Keys;
import io.woodbird.testkit.MariaDbServer;
import io.woodbird.testkit.NetworkProxy;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** A network that is cut, held up and slowed down at every stage of a proof. */
final class NetworkTest {
  private static final int MOST_STAGES = 60;

  @Test
  void postgres_deniesNoRow_whereverTheNetworkFails() throws Exception {
    Database near = SharedPostgres.create("network");
    try (NetworkProxy proxy = new NetworkProxy(SharedPostgres.port())) {
      failAtEveryStage(proxy, near, SharedPostgres.of(proxy.port(), "network", "postgres", ""));
    }
  }

  @Test
  void mariaDb_deniesNoRow_whereverTheNetworkFails() throws Exception {
    try (MariaDbServer server = MariaDbServer.start();
        NetworkProxy proxy = new NetworkProxy(server.port())) {
      DataSource far = server.dataSource(proxy.port());
      failAtEveryStage(proxy, new Database(server.dataSource()), far);
    }
  }

  private static void failAtEveryStage(NetworkProxy proxy, Database near, DataSource far)
      throws Exception {
    near.run("create table product (id bigint primary key)", "insert into product values (-5)");
    JdbcKeys<Long> keys = JdbcKeys.longs(far, "select id from product");
    long row = 0;
    for (JdbcKeys<Long> kind : List.of(keys, keys.keepConnection())) {
      Follower<Long> follower = kind.follower();
      follower.begin(Woodbird.bloom(Keys.longs(), 1000).build());
      boolean failed = true;
      int stage = 0;
      for (; failed && stage < MOST_STAGES; stage++) {
        near.run("insert into product values (" + ++row + ")");
        proxy.cutAfter(stage);
        failed = fails(follower, row, stage);
        proxy.pass();
        assertProved(follower, row);
        near.run("insert into product values (" + ++row + ")");
        proxy.holdAfter(stage);
        long asked = row;
        int held = stage;
        CompletableFuture<Boolean> answer =
            CompletableFuture.supplyAsync(() -> fails(follower, asked, held));
        answer.copy().completeOnTimeout(true, 30, TimeUnit.MILLISECONDS).join();
        proxy.pass();
        proxy.cut();
        answer.join();
        assertProved(follower, row);
      }
      assertThat(stage).as("stages of a proof").isBetween(2, MOST_STAGES - 1);
      near.run("insert into product values (" + ++row + ")");
      proxy.drip();
      assertThat(fails(follower, row, stage)).isFalse();
      proxy.pass();
      follower.close();
    }
  }

  /** Whether there is no proof. If there is one, it must be right. */
  private static boolean fails(Follower<Long> follower, long row, int stage) {
    try {
      Proof<Long> proof = follower.confirm(List.of(row, -row, row + 1));
      assertThat(proof.isAbsent(row)).as("stage " + stage).isFalse();
      return false;
    } catch (SQLException e) {
      return true;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** At once, or when a broken connection has gone back. */
  private static void assertProved(Follower<Long> follower, long row) throws Exception {
    boolean unused = fails(follower, row, -1);
    Proof<Long> proof = follower.confirm(List.of(row, row + 1));
    assertThat(proof.isPresent(row)).isTrue();
    assertThat(proof.isAbsent(row + 1)).isTrue();
  }
}
