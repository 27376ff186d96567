package io.woodbird.guard;

import io.woodbird.Answer;
import io.woodbird.FilterStats;
import io.woodbird.MutableFilter;
import io.woodbird.guard.Follower.Proof;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A filter that says "not here" only if that was true in its source after the question was asked,
 * whichever program writes the source.
 *
 * <pre>{@code
 * FollowingFilter<Long> ids = FollowingFilter.over(rebuilding, follower).start();
 * }</pre>
 *
 * <p>A question that would be denied waits some milliseconds, until the {@link Follower} has proved
 * that the source does not have the key. All questions that arrive meanwhile share one proof, so
 * the source sees fewer than 60 small requests a second, however many questions there are. "Maybe
 * here" never waits. If the follower fails, is late or is closed, the answer is {@link
 * Answer#UNKNOWN}.
 *
 * <p>With {@link FollowingFilterBuilder#freshness a bound} a proof may be used again for that time,
 * by questions that then don't wait: rows that were committed longer ago are never denied.
 *
 * <p>A {@link Guard} tells the filter of keys that were "maybe here" and that its loader did not
 * find. If the follower looks keys up, or there is {@linkplain FollowingFilterBuilder#lookUpMisses
 * another one} that does, such a key needs a proof from then on: it is denied as long as the source
 * does not have it, and no longer.
 *
 * @param <K> the type of the keys
 */
public final class FollowingFilter<K> implements MutableFilter<K>, AutoCloseable {
  private final MutableFilter<K> filter;
  private final Follower<K> follower;
  private final Confirmations<K> confirmations;
  private final AtomicBoolean isStarted = new AtomicBoolean();
  private final Misses<K> misses;
  private final Verdicts<K> verdicts;

  FollowingFilter(
      MutableFilter<K> filter,
      Follower<K> follower,
      Confirmations<K> confirmations,
      Misses<K> misses) {
    this.filter = filter;
    this.misses = misses;
    this.follower = follower;
    this.confirmations = confirmations;
    this.verdicts = new Verdicts<>(filter, confirmations, misses);
  }

  /**
   * Begins a filter that follows its source.
   *
   * @param <K> the type of the keys
   * @param filter holds the keys
   * @param follower proves that keys are not in the source; closed with what is built
   * @return a builder
   */
  public static <K> FollowingFilterBuilder<K> over(MutableFilter<K> filter, Follower<K> follower) {
    return new FollowingFilterBuilder<>(filter, follower);
  }

  /**
   * Begins to follow. Until the first call of the follower has succeeded, nothing is denied. A
   * second call does nothing.
   *
   * @throws IllegalStateException if the follower can't follow the source at all. It is closed
   *     then, and nothing is ever denied
   */
  public void start() {
    if (isStarted.getAndSet(true)) {
      return;
    }
    try {
      if (follower.readsChanges() && filter instanceof RebuildingFilter<K> rebuilding) {
        rebuilding.keepWhatIsPut();
      }
      follower.begin(this);
      confirmations.start();
    } catch (RuntimeException | Error e) {
      close(); // Who gets the exception has no filter to close.
      throw e;
    } catch (Exception e) {
      close();
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new IllegalStateException("the source can't be followed: " + e.getMessage(), e);
    }
  }

  MutableFilter<K> followed() {
    return filter;
  }

  @Override
  public Answer ask(K key) {
    return ask(key, () -> filter.ask(key));
  }

  /** Asks the filter in another way, with the same proofs. */
  Answer ask(K key, Supplier<Answer> question) {
    return ask(key, question, confirmations.recent());
  }

  /** Asks with a proof that is made after this call began, whatever the bound on freshness. */
  Answer askAnew(K key) {
    return ask(key, () -> filter.ask(key), null);
  }

  private Answer ask(K key, Supplier<Answer> question, @Nullable Proof<K> recent) {
    Answer answer = question.get();
    Answer known = verdicts.withoutWaiting(key, answer, recent);
    if (known != null) {
      return known;
    }
    Proof<K> proof = confirmations.await(List.of(key));
    return proof == null ? Verdicts.unproved(answer) : verdicts.judge(key, question.get(), proof);
  }

  /**
   * Asks about a key without blocking. What depends on the answer may run in one of the threads
   * that complete all answers. It may wait for other answers, but should not block otherwise.
   *
   * @param key the key
   * @return completes with the answer: at once, or when it is proved or the {@linkplain
   *     FollowingFilterBuilder#patience patience} is over
   */
  public CompletableFuture<Answer> askAsync(K key) {
    return askAsync(key, () -> answerOfFilter(key));
  }

  private CompletableFuture<Answer> answerOfFilter(K key) {
    return filter instanceof RebuildingFilter<K> rebuilding
        ? rebuilding.askAfterAsync(key, -1)
        : CompletableFuture.completedFuture(filter.ask(key));
  }

  /** As {@link #askAnew}, without blocking. */
  CompletableFuture<Answer> askAnewAsync(K key) {
    return askAsync(key, () -> answerOfFilter(key), null);
  }

  CompletableFuture<Answer> askAsync(K key, Supplier<CompletableFuture<Answer>> question) {
    return askAsync(key, question, confirmations.recent());
  }

  private CompletableFuture<Answer> askAsync(
      K key, Supplier<CompletableFuture<Answer>> question, @Nullable Proof<K> recent) {
    Function<Answer, CompletableFuture<Answer>> next =
        answer -> {
          Answer known = verdicts.withoutWaiting(key, answer, recent);
          return known != null
              ? CompletableFuture.completedFuture(known)
              : proved(key, answer, question);
        };
    CompletableFuture<Answer> asked = question.get();
    return asked.isDone() // Else what comes next would run in a thread of the store.
        ? asked.thenCompose(next)
        : asked.thenComposeAsync(next, confirmations.answers());
  }

  private CompletableFuture<Answer> proved(
      K key, Answer answer, Supplier<CompletableFuture<Answer>> question) {
    return confirmations
        .join(List.of(key))
        .thenComposeAsync(
            proof -> {
              if (proof == null) {
                return CompletableFuture.completedFuture(Verdicts.unproved(answer));
              }
              // The filter, which may be far away, need not be asked again about an absent key.
              if (!proof.isComplete() && proof.isAbsent(key)) {
                return CompletableFuture.completedFuture(Answer.NOT_HERE);
              }
              CompletableFuture<Answer> again = question.get();
              return again.isDone()
                  ? again.thenApply(now -> verdicts.judge(key, now, proof))
                  : again.thenApplyAsync(
                      now -> verdicts.judge(key, now, proof), confirmations.answers());
            },
            confirmations.answers());
  }

  @Override
  public long hashOf(K key) {
    return filter.hashOf(key);
  }

  @Override
  public long hashOfLong(long key) {
    return filter.hashOfLong(key);
  }

  @Override
  public boolean mightContain(K key) {
    return ask(key) != Answer.NOT_HERE;
  }

  /** As {@link #mightContain}. A follower that looks keys up can prove nothing about a hash. */
  @Override
  public boolean mightContainHash(long hash) {
    Proof<K> recent = confirmations.recent();
    if (filter.mightContainHash(hash)) {
      return true;
    }
    if (recent != null && recent.isComplete()) {
      return false;
    }
    return !isComplete(confirmations.relyOnFilter() ? confirmations.await(List.of()) : null)
        || filter.mightContainHash(hash);
  }

  private static boolean isComplete(@Nullable Proof<?> proof) {
    return proof != null && proof.isComplete();
  }

  @Override
  public List<K> candidates(Collection<? extends K> keys) {
    List<K> all = List.copyOf(keys);
    int most = confirmations.mostWaiting();
    List<K> found = new ArrayList<>();
    for (int from = 0; from < all.size(); from += most) {
      found.addAll(few(all.subList(from, Math.min(all.size(), from + most))));
    }
    return found;
  }

  private List<K> few(List<K> keys) {
    Proof<K> recent = confirmations.recent();
    List<K> maybe = filter.candidates(keys);
    @Nullable Answer[] answers = new Answer[keys.size()];
    List<K> open = new ArrayList<>();
    int next = 0;
    for (int i = 0; i < answers.length; i++) {
      K key = keys.get(i);
      boolean isMaybe = next < maybe.size() && maybe.get(next) == key;
      next += isMaybe ? 1 : 0;
      answers[i] =
          verdicts.withoutWaiting(key, isMaybe ? Answer.MAYBE_HERE : Answer.NOT_HERE, recent);
      if (answers[i] == null) {
        open.add(key);
      }
    }
    Proof<K> proof = open.isEmpty() ? null : confirmations.await(open);
    List<K> found = new ArrayList<>();
    for (int i = 0; i < answers.length; i++) {
      K key = keys.get(i);
      Answer answer = answers[i];
      if (answer == null) {
        answer = proof == null ? Answer.UNKNOWN : verdicts.judge(key, filter.ask(key), proof);
      }
      if (answer != Answer.NOT_HERE) {
        found.add(key);
      }
    }
    return found;
  }

  /** As {@link #candidates(Collection)}, with the limits of {@link #mightContainHash}. */
  @Override
  public int candidates(long[] hashes, int count, int[] selected) {
    Proof<K> recent = confirmations.recent();
    int kept = filter.candidates(hashes, count, selected);
    if (kept == count || isComplete(recent)) {
      return kept;
    }
    if (isComplete(confirmations.relyOnFilter() ? confirmations.await(List.of()) : null)) {
      return filter.candidates(hashes, count, selected);
    }
    for (int i = 0; i < count; i++) {
      selected[i] = i;
    }
    return count;
  }

  @Override
  public boolean put(K key) {
    boolean fresh = filter.put(key);
    misses.remove(key);
    return fresh;
  }

  /**
   * As {@link #put}. As the key is not known, all keys that a loader did not find are forgotten.
   */
  @Override
  public boolean putHash(long hash) {
    boolean fresh = filter.putHash(hash);
    misses.clear();
    return fresh;
  }

  @Override
  public int putHashes(long[] hashes, int count) {
    int fresh = filter.putHashes(hashes, count);
    misses.clear();
    return fresh;
  }

  @Override
  public long putAll(Collection<? extends K> keys) {
    List<K> all = List.copyOf(keys);
    long fresh = filter.putAll(all);
    all.forEach(misses::remove);
    return fresh;
  }

  /**
   * Puts keys as {@link #putAll} does, without blocking. What depends on the result runs in a
   * thread of the store's client, so it should not block.
   *
   * @param keys the keys
   * @return completes with how many were certainly new, or exceptionally if they are not known to
   *     be put
   */
  public CompletableFuture<Long> putAllAsync(Collection<? extends K> keys) {
    List<K> all = List.copyOf(keys);
    CompletableFuture<Long> put =
        filter instanceof RebuildingFilter<K> rebuilding
            ? rebuilding.putAllAsync(all)
            : CompletableFuture.completedFuture(filter.putAll(all));
    return put.thenApply(
        fresh -> {
          all.forEach(misses::remove);
          return fresh;
        });
  }

  /** To be taken before a key is looked up, for {@link #missed}. */
  long ticket(K key) {
    return misses.ticket(key);
  }

  /** Takes note of a key that is "maybe here" and was not found. */
  void missed(K key, long ticket) {
    // A follower that only reads changes can't prove that a single key is absent.
    if (!follower.readsChanges() || follower instanceof LookedUpMisses) {
      misses.add(key, ticket);
    }
  }

  /** As that of the filter, with the doubts about the follower. */
  @Override
  public FilterStats stats() {
    FilterStats stats = filter.stats();
    String doubt = confirmations.doubt();
    if (doubt == null) {
      return stats;
    }
    List<String> doubts = new ArrayList<>(stats.doubts());
    doubts.add(doubt);
    return stats.withDoubts(List.copyOf(doubts));
  }

  @Override
  public long sizeInBytes() {
    return filter.sizeInBytes();
  }

  @Override
  public void save(Path path) throws IOException {
    filter.save(path);
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    filter.writeTo(out);
  }

  /**
   * {@return why nothing can be denied now; null if all is well} Asks nobody, so it may be called
   * often.
   */
  public @Nullable String doubt() {
    return confirmations.doubt();
  }

  /** {@return how often the follower has given a proof} */
  public long confirmations() {
    return confirmations.confirmed();
  }

  /** {@return how often the follower has failed to give a proof} */
  public long failures() {
    return confirmations.failed();
  }

  /** {@return how many keys have waited for a proof, or wait now} */
  public long waits() {
    return confirmations.asked();
  }

  /**
   * {@return how many keys are remembered that were "maybe here" and that a loader did not find}
   */
  public int misses() {
    return misses.size();
  }

  /** {@return how many keys wait for a proof now} */
  public int waiting() {
    return confirmations.waiting();
  }

  /** Says what {@link #stats} says. */
  @Override
  public String toString() {
    return stats().toString();
  }

  /** Ends the follower. From now on every answer that would be "not here" is unknown. */
  @Override
  public void close() {
    confirmations.close();
  }
}
