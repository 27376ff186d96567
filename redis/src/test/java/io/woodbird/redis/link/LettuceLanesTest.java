package io.woodbird.redis.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.api.StatefulConnection;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who waits for a connection, and what becomes of those that come back: no server. */
class LettuceLanesTest {
  private final AtomicInteger ended = new AtomicInteger();
  private final LettuceLanes lanes = new LettuceLanes(this::connection);

  @SuppressWarnings("unchecked")
  private StatefulConnection<byte[], byte[]> connection() {
    return (StatefulConnection<byte[], byte[]>)
        Proxy.newProxyInstance(
            LettuceLanesTest.class.getClassLoader(),
            new Class<?>[] {StatefulConnection.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "closeAsync" -> {
                    ended.incrementAndGet();
                    yield CompletableFuture.completedFuture(null);
                  }
                  case "equals" -> proxy == arguments[0];
                  case "hashCode" -> System.identityHashCode(proxy);
                  default -> throw new AssertionError(method);
                });
  }

  private static long inAMinute() {
    return System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
  }

  /** Else it waits for itself: a build links all shards in one call, a put of many keys too. */
  @Test
  void oneCallTakesAConnectionToEachOfManyNodes() throws Exception {
    for (int node = 0; node < 50; node++) {
      assertThat(lanes.take("node " + node, inAMinute())).isNotNull();
    }
  }

  @Test
  void aNodeHasSixteen_andTheNextIsGivenBack() throws Exception {
    List<StatefulConnection<byte[], byte[]>> taken = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      taken.add(lanes.take("node", inAMinute()));
    }
    assertThat(taken).doesNotHaveDuplicates();
    assertThatThrownBy(() -> lanes.take("node", System.nanoTime()))
        .isInstanceOf(TimeoutException.class);
    lanes.giveBack("node", taken.get(3), true);
    assertThat(lanes.take("node", inAMinute())).isSameAs(taken.get(3));
    lanes.giveBack("node", taken.get(3), false);
    assertThat(ended).as("replies may still arrive").hasValue(1);
    assertThat(lanes.take("node", inAMinute())).isNotIn(taken);
  }

  @Test
  void whatComesBackIsKept_upToABound_andEndsWithThePool() throws Exception {
    for (int node = 0; node < 300; node++) {
      lanes.giveBack("node " + node, lanes.take("node " + node, inAMinute()), true);
    }
    assertThat(ended).as("of nodes that are called no more").hasValue(300 - 256);
    StatefulConnection<byte[], byte[]> late = lanes.take("node 299", inAMinute());
    lanes.close();
    assertThat(ended).hasValue(299);
    lanes.giveBack("node 299", late, true);
    assertThat(ended).hasValue(300);
  }
}
