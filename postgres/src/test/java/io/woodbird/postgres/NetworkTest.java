package io.woodbird.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.testkit.NetworkProxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A network that is cut, held up and slowed down while the stream of changes is read. */
final class NetworkTest extends OnePostgres {
  private static final long ABSENT = -1;

  @Test
  void noRowIsDenied_whenTheNetworkFails() throws Exception {
    fail("few_cuts", List.of(0, 3));
  }

  @Test
  @Tag("slow")
  void noRowIsDenied_whereverTheNetworkFails() throws Exception {
    fail("cuts", IntStream.range(0, 40).boxed().toList());
  }

  private static void fail(String table, List<Integer> stages) throws Exception {
    server.execute("create table " + table + " (id bigint primary key)");
    try (NetworkProxy proxy = new NetworkProxy(server.port());
        Followed<Long> followed = Followed.longs(server, proxy.port(), table)) {
      followed.awaitGuarding(ABSENT);
      long row = 0;
      for (int stage : stages) {
        proxy.cutAfter(stage);
        insertAndAsk(followed, table, ++row, stage);
        proxy.pass();
        followed.awaitGuarding(ABSENT);
        proxy.holdAfter(stage);
        server.execute("insert into " + table + " values (" + ++row + ")");
        CompletableFuture<Answer> held = followed.filter.askAsync(row);
        Thread.sleep(20);
        proxy.pass();
        assertThat(held.get()).as("stage " + stage).isNotEqualTo(Answer.NOT_HERE);
        followed.awaitGuarding(ABSENT);
        assertThat(followed.filter.ask(row - 1)).isEqualTo(Answer.MAYBE_HERE);
      }
      proxy.drip();
      insertAndAsk(followed, table, ++row, -1);
      proxy.cut();
      insertAndAsk(followed, table, ++row, -1);
      proxy.pass();
      followed.awaitGuarding(ABSENT);
      assertThat(followed.filter.ask(row)).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  private static void insertAndAsk(Followed<Long> followed, String table, long row, int stage)
      throws Exception {
    server.execute("insert into " + table + " values (" + row + ")");
    assertThat(followed.filter.ask(row)).as("stage " + stage).isNotEqualTo(Answer.NOT_HERE);
  }
}
