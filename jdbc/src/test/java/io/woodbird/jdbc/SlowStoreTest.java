package io.woodbird.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.guard.FollowingFilter;
import io.woodbird.guard.Generation;
import io.woodbird.guard.GenerationStore;
import io.woodbird.guard.RebuildingFilter;
import io.woodbird.guard.shared.SharedFilter;
import io.woodbird.guard.shared.SharedStore;
import io.woodbird.key.Keys;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The store of the filter takes no puts for a while, as a Redis behind a broken network. */
final class SlowStoreTest {
  /** A filter whose puts last until a future is complete. */
  private static final class SlowStore implements SharedStore<Long> {
    private static final Generation BUILT =
        new Generation(1, 1, 0, 1000, Instant.EPOCH, Duration.ZERO);

    final CompletableFuture<Integer> puts = new CompletableFuture<>();

    @Override
    public OptionalLong seed() {
      return OptionalLong.of(7);
    }

    @Override
    @SuppressWarnings("unchecked")
    public SharedFilter<Long> open(GenerationStore.Plan<Long> plan, Runnable lost) {
      MutableFilter<Long> inner = Woodbird.bloom(Keys.longs(), 1000).seed(plan.seed()).build();
      return CountingDataSource.proxy(
          SharedFilter.class,
          (self, method, arguments) ->
              switch (method.getName()) {
                case "generation" -> Optional.of(BUILT);
                case "doubts" -> List.of();
                case "look" -> new SharedFilter.Seen(null, Duration.ZERO, false);
                case "rebuild" -> {
                  ((SharedFilter.Building<Long>) arguments[0]).fill(1, inner);
                  yield Optional.of(BUILT);
                }
                case "askAsync" ->
                    CompletableFuture.completedFuture(inner.ask((Long) arguments[0]));
                case "putHashesAsync" -> puts;
                case "putHashes" -> puts.join();
                case "isClosed" -> false;
                case "close" -> null;
                default -> CountingDataSource.invoke(method, inner, arguments);
              });
    }
  }

  @Test
  void aProof_doesNotWaitForThePutOfNewRows() throws Exception {
    Database database = Database.h2("slow");
    database.run("create table product (id bigint primary key)", "insert into product values (1)");
    JdbcKeys<Long> keys = JdbcKeys.longs(database.source(), "select id from product");
    SlowStore store = new SlowStore();
    try (RebuildingFilter<Long> built =
            RebuildingFilter.of(Keys.longs(), keys).expectedKeys(1000).store(store).build();
        FollowingFilter<Long> following =
            FollowingFilter.over(built, keys.follower()).patience(Duration.ofMinutes(5)).start()) {
      built.rebuildNow().get(5, TimeUnit.MINUTES);
      while (following.ask(-1L) != Answer.NOT_HERE) {
        Thread.onSpinWait();
      }
      database.run("insert into product values (5), (6)");
      for (long key = 50; key < 53; key++) {
        assertThat(following.askAsync(key).get(4, TimeUnit.MINUTES)).isEqualTo(Answer.NOT_HERE);
      }
      assertThat(following.askAsync(5L).get(4, TimeUnit.MINUTES)).isEqualTo(Answer.MAYBE_HERE);
    } finally {
      store.puts.complete(0);
      database.run("shutdown");
    }
  }
}
