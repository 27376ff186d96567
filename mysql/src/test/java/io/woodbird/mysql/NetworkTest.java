package io.woodbird.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import io.woodbird.testkit.MariaDbServer;
import io.woodbird.testkit.NetworkProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A network that is cut, held up and slowed down while the binary log is followed. */
final class NetworkTest {
  private static final long ABSENT = -1;

  @Test
  void noRowIsDenied_whenTheNetworkFails() throws Exception {
    fail(List.of(0, 3));
  }

  @Test
  @Tag("slow")
  void noRowIsDenied_whereverTheNetworkFails() throws Exception {
    fail(IntStream.range(0, 40).boxed().toList());
  }

  private static void fail(List<Integer> stages) throws Exception {
    try (MariaDbServer server = MariaDbServer.start("--max-connect-errors=100000");
        NetworkProxy proxy = new NetworkProxy(server.port())) {
      server.run("create table product (id bigint primary key)");
      try (FollowedTable<Long> table =
          FollowedTable.of(
              server,
              proxy.port(),
              Keys.longs(),
              BinlogFollower.longs(),
              "product",
              row -> row.getLong(1),
              Duration.ofMinutes(10))) {
        table.awaitDenied(ABSENT);
        long row = 0;
        for (int stage : stages) {
          proxy.cutAfter(stage);
          insertAndAsk(server, table, ++row, stage);
          proxy.pass();
          table.awaitDenied(ABSENT);
          proxy.holdAfter(stage);
          server.run("insert into product values (" + ++row + ")");
          CompletableFuture<Answer> held = table.following.askAsync(row);
          Thread.sleep(20);
          proxy.pass();
          assertThat(held.get()).as("stage " + stage).isNotEqualTo(Answer.NOT_HERE);
          table.awaitDenied(ABSENT);
          assertThat(table.ask(row - 1)).isEqualTo(Answer.MAYBE_HERE);
        }
        proxy.drip();
        insertAndAsk(server, table, ++row, -1);
        proxy.cut();
        insertAndAsk(server, table, ++row, -1);
        proxy.pass();
        table.awaitDenied(ABSENT);
        assertThat(table.ask(row)).isEqualTo(Answer.MAYBE_HERE);
      }
    }
  }

  private static void insertAndAsk(
      MariaDbServer server, FollowedTable<Long> table, long row, int stage) throws Exception {
    server.run("insert into product values (" + row + ")");
    assertThat(table.ask(row)).as("stage " + stage).isNotEqualTo(Answer.NOT_HERE);
  }
}
