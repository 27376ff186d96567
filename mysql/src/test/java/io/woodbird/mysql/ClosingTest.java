package io.woodbird.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.MariaDbServer;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A follower that is closed while it puts a key into a store that hangs. */
final class ClosingTest {
  private final CountDownLatch putting = new CountDownLatch(1);
  private final CountDownLatch goesOn = new CountDownLatch(1);

  @SuppressWarnings("unchecked")
  private MutableFilter<Long> hanging() {
    MutableFilter<Long> inner = Woodbird.bloom(Keys.longs(), 100).build();
    return (MutableFilter<Long>)
        Proxy.newProxyInstance(
            ClosingTest.class.getClassLoader(),
            new Class<?>[] {MutableFilter.class},
            (self, method, arguments) -> {
              if (method.getName().equals("putAll")) {
                putting.countDown();
                goesOn.await();
              }
              return method.invoke(inner, arguments);
            });
  }

  @Test
  void nobodyWaitsForThePut() throws Exception {
    try (MariaDbServer server = MariaDbServer.start()) {
      server.run("create table product (id bigint primary key)");
      BinlogFollower<Long> follower =
          BinlogFollower.longs()
              .dataSource(server.dataSource())
              .server("127.0.0.1", server.port(), MariaDbServer.USER, MariaDbServer.PASSWORD)
              .table("shop", "product", "id")
              .rebuild(() -> CompletableFuture.completedFuture(true))
              .build();
      follower.begin(hanging());
      server.run("insert into product values (1)");
      putting.await();
      Thread closing = new Thread(follower::close);
      closing.start();
      closing.join(TimeUnit.MINUTES.toMillis(1));
      assertThat(closing.isAlive()).as("waits for the store").isFalse();
    } finally {
      goesOn.countDown();
    }
  }
}
