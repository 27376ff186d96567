package io.woodbird.guard;

import io.woodbird.Answer;
import io.woodbird.Filter;
import io.woodbird.MutableFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * What happens when an audit has found a key that the filter had denied. If the filter still denies
 * it, a real key would have been stopped: the key is put, and the filter is distrusted. If it does
 * not, the key was put between the question and the look-up.
 *
 * <p>Nothing is thrown: the value is here and must reach the caller.
 */
final class AuditCheck<K> {
  private final Filter<K> filter;
  private final Consumer<K> wrong;
  private final Consumer<? super K> onWrong;

  /**
   * Makes one for a filter.
   *
   * @param wrong makes the guard distrust the filter
   * @param onWrong the application's own
   */
  AuditCheck(Filter<K> filter, Consumer<K> wrong, Consumer<? super K> onWrong) {
    this.filter = filter;
    this.wrong = wrong;
    this.onWrong = onWrong;
  }

  /** Asks again, and waits for the answer. */
  void run(K key) {
    try {
      judge(
          key,
          filter instanceof FollowingFilter<K> following
              ? following.askAnew(key)
              : filter.ask(key));
    } catch (RuntimeException e) {
      Uncaught.report(e);
    }
  }

  /** The same for a caller that must not be blocked. */
  void runLater(K key) {
    CompletableFuture<Void> unused =
        asked(key)
            .thenAccept(now -> judge(key, now))
            .exceptionally(
                e -> {
                  Uncaught.report(e);
                  return null;
                });
  }

  private CompletableFuture<Answer> asked(K key) {
    try {
      if (filter instanceof FollowingFilter<K> following) {
        return following.askAnewAsync(key);
      }
      return filter instanceof RebuildingFilter<K> rebuilding
          ? rebuilding.askAfterAsync(key, -1)
          : CompletableFuture.completedFuture(filter.ask(key));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void judge(K key, Answer now) {
    if (now != Answer.NOT_HERE) {
      return;
    }
    wrong.accept(key);
    CompletableFuture<Long> unused =
        put(key)
            .exceptionally(
                e -> {
                  Uncaught.report(e);
                  return 0L;
                });
    try {
      onWrong.accept(key);
    } catch (RuntimeException | Error e) {
      Uncaught.report(e);
    }
  }

  private CompletableFuture<Long> put(K key) {
    try {
      if (filter instanceof FollowingFilter<K> following) {
        return following.putAllAsync(List.of(key));
      }
      if (filter instanceof RebuildingFilter<K> rebuilding) {
        return rebuilding.putAllAsync(List.of(key));
      }
      return CompletableFuture.completedFuture(
          filter instanceof MutableFilter<K> takesKeys ? takesKeys.putAll(List.of(key)) : 0L);
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
