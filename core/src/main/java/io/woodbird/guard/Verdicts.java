package io.woodbird.guard;

import io.woodbird.Answer;
import io.woodbird.MutableFilter;
import io.woodbird.guard.Follower.Proof;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Says what is known about a key, given what the filter answers and what the follower has proved.
 */
final class Verdicts<K> {
  private final MutableFilter<K> filter;
  private final Confirmations<K> confirmations;
  private final Misses<K> misses;

  Verdicts(MutableFilter<K> filter, Confirmations<K> confirmations, Misses<K> misses) {
    this.filter = filter;
    this.confirmations = confirmations;
    this.misses = misses;
  }

  /**
   * What is known without a new proof; null if one is needed.
   *
   * @param recent a proof that may be used again; null if there is none
   */
  @Nullable Answer withoutWaiting(K key, Answer answer, @Nullable Proof<K> recent) {
    if (answer == Answer.MAYBE_HERE && !misses.contains(key)) {
      return answer;
    }
    if (answer == Answer.UNKNOWN && (confirmations.relyOnFilter() || !isPlausible())) {
      return answer;
    }
    if (recent != null && covers(recent, key, answer)) {
      return judge(key, answer, recent);
    }
    return null;
  }

  /** A filter that has everything says nothing about a key that it takes for "maybe here". */
  private static <K> boolean covers(Proof<K> recent, K key, Answer answer) {
    return recent.isAbsent(key)
        || recent.isPresent(key)
        || (recent.isComplete() && answer != Answer.MAYBE_HERE);
  }

  /**
   * A query that gives no keys by mistake must not deny them all: a build would have refused it.
   */
  private boolean isPlausible() {
    return !(filter instanceof RebuildingFilter<K> rebuilding) || rebuilding.isPlausible();
  }

  /** The answer to a question that a proof covers, after what the filter says. */
  Answer judge(K key, Answer answer, Proof<K> proof) {
    // A remembered miss is no proof: a build may have read its row since.
    if (proof.isComplete() && (answer != Answer.MAYBE_HERE || !misses.contains(key))) {
      return answer;
    }
    if (proof.isAbsent(key)) {
      return Answer.NOT_HERE;
    }
    if (proof.isPresent(key)) {
      remember(key, answer);
      return Answer.MAYBE_HERE;
    }
    return unproved(answer);
  }

  /**
   * Spares the source the next question. The answer is right without it, so it may fail, and nobody
   * waits for it.
   */
  private void remember(K key, Answer answer) {
    try {
      if (answer == Answer.NOT_HERE && filter instanceof RebuildingFilter<K> rebuilding) {
        CompletableFuture<Long> unused = rebuilding.putAllAsync(List.of(key));
      } else if (answer == Answer.NOT_HERE) {
        filter.put(key);
      }
      if (answer == Answer.MAYBE_HERE) {
        misses.present(key);
      } else {
        misses.remove(key);
      }
    } catch (RuntimeException e) {
      // The filter is full, or its store is away.
    }
  }

  /** The answer to a question for which there is no proof. */
  static Answer unproved(Answer answer) {
    return answer == Answer.NOT_HERE ? Answer.UNKNOWN : answer;
  }
}
