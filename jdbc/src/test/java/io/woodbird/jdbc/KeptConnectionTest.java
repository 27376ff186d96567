package io.woodbird.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.Woodbird;
import io.woodbird.guard.FollowingFilter;
import io.woodbird.key.Keys;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A pool whose connections are all in the hands of callers that wait for a proof. */
final class KeptConnectionTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  private final Database database = Database.h2("kept" + System.nanoTime());
  private final SmallPool pool = new SmallPool(database.source(), 4);
  private final DataSource source = pool.proxy();
  private final List<FollowingFilter<Long>> started = new ArrayList<>();

  @BeforeEach
  void create() {
    database.run("create table product (id bigint primary key)", "insert into product values (5)");
  }

  @AfterEach
  void close() {
    started.forEach(FollowingFilter::close);
    database.run("shutdown");
  }

  private FollowingFilter<Long> start(JdbcKeys<Long> keys, Duration patience) {
    FollowingFilter<Long> filter =
        FollowingFilter.over(Woodbird.bloom(Keys.longs(), 100).build(), keys.follower())
            .patience(patience)
            .start();
    started.add(filter);
    while (filter.ask(-1L) != Answer.NOT_HERE) {
      LockSupport.parkNanos(1_000_000);
    }
    return filter;
  }

  private JdbcKeys<Long> keys() {
    return JdbcKeys.longs(source, "select id from product");
  }

  /** Takes all connections that are free, and asks with them in hand. */
  private Answer askWithAllConnections(FollowingFilter<Long> filter) throws SQLException {
    List<Connection> held = new ArrayList<>();
    while (pool.free.availablePermits() > 0) {
      held.add(source.getConnection());
    }
    try {
      return filter.ask(7L);
    } finally {
      for (Connection connection : held) {
        connection.close();
      }
    }
  }

  @Test
  void callersWhoHoldAllConnections_getTheirProof() throws Exception {
    FollowingFilter<Long> filter = start(keys().keepConnection(), LONG);
    assertThat(askWithAllConnections(filter)).isEqualTo(Answer.NOT_HERE);
    database.run("insert into product values (7)");
    assertThat(askWithAllConnections(filter)).isEqualTo(Answer.MAYBE_HERE);
  }

  @Test
  void withoutAKeptConnection_theyWaitInVain() throws Exception {
    FollowingFilter<Long> filter = start(keys(), Duration.ofMillis(200));
    while (pool.free.availablePermits() < 4) {
      LockSupport.parkNanos(1_000_000);
    }
    assertThat(askWithAllConnections(filter)).isEqualTo(Answer.UNKNOWN);
  }

  @Test
  void allFollowersOfAPool_shareOne_andGiveItBackWhenTheLastIsClosed() {
    FollowingFilter<Long> first = start(keys().keepConnection(), LONG);
    FollowingFilter<Long> second = start(keys().keepConnection(), LONG);
    assertThat(pool.free.availablePermits()).isEqualTo(3);
    first.close();
    first.close();
    assertThat(second.ask(7L)).isEqualTo(Answer.NOT_HERE);
    assertThat(pool.free.availablePermits()).isEqualTo(3);
    second.close();
    while (pool.free.availablePermits() < 4) { // The thread may be using it.
      LockSupport.parkNanos(1_000_000);
    }
    FollowingFilter<Long> third = start(keys().keepConnection(), LONG);
    assertThat(third.ask(5L)).isEqualTo(Answer.MAYBE_HERE);
  }

  @Test
  void aFollowerWhoseStatementTakesLong_doesNotHoldUpTheOthers() throws Exception {
    FollowingFilter<Long> filter = start(keys().keepConnection(), LONG);
    KeptConnection slow = KeptConnection.of(source);
    CompletableFuture<Boolean> begun = new CompletableFuture<>();
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    CompletableFuture<Boolean> ended =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return slow.use(connection -> begun.complete(true) && end.join());
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            });
    begun.get();
    assertThat(filter.ask(8L)).isEqualTo(Answer.NOT_HERE);
    assertThat(pool.free.availablePermits()).as("given back").isEqualTo(3);
    end.complete(true);
    assertThat(ended.get()).isTrue();
    slow.close();
    assertThat(filter.ask(9L)).isEqualTo(Answer.NOT_HERE);
  }

  @Test
  void afterAFailure_itGoesBack_andAnotherIsTaken() {
    FollowingFilter<Long> filter = start(keys().keepConnection(), LONG);
    database.run("alter table product rename to away");
    while (filter.doubt() == null) {
      assertThat(filter.ask(7L)).isEqualTo(Answer.UNKNOWN);
    }
    assertThat(pool.free.availablePermits()).isEqualTo(4);
    database.run("alter table away rename to product", "insert into product values (7)");
    while (filter.ask(-2L) != Answer.NOT_HERE) {
      assertThat(filter.ask(7L)).isNotEqualTo(Answer.NOT_HERE);
    }
    assertThat(filter.ask(7L)).isEqualTo(Answer.MAYBE_HERE);
    assertThat(pool.free.availablePermits()).isEqualTo(3);
  }
}
