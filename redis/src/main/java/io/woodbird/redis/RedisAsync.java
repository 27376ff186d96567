package io.woodbird.redis;

import io.woodbird.Answer;
import io.woodbird.redis.RedisEvent.Cause;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A filter in Redis for callers that must not block. Made by {@link RedisFilter#async}.
 *
 * <p>With Lettuce a question and a put need no thread while they wait. What the client can't do
 * without blocking is done by a few threads that end when they are not needed: every call with
 * Jedis, puts that wait for replicas or a disk, and the work after data was lost. While a thousand
 * calls wait for these threads, a further question is "unknown" at once, and a further put fails.
 *
 * <p>Every call completes within its time-out, or at most a tenth of it later. A question that had
 * no reply by then is "unknown". A put that had none fails, though the server may still carry it
 * out. What depends on a result runs in a thread of the client, so it should not block.
 *
 * @param <K> the type of the keys
 */
public final class RedisAsync<K> {
  private final RedisWords<K> filter;

  RedisAsync(RedisWords<K> filter) {
    this.filter = filter;
  }

  /**
   * Asks about a key.
   *
   * @param key the key
   * @return completes with the answer, never with an exception
   */
  public CompletionStage<Answer> ask(K key) {
    long[] hashes = {filter.hashOf(key)};
    Answer near = filter.askNear(hashes[0]);
    return near != Answer.UNKNOWN
        ? CompletableFuture.completedFuture(near)
        : answers(hashes).thenApply(answers -> answers[0]);
  }

  /**
   * Asks about a key.
   *
   * @param key the key
   * @return completes with false if it is certainly not here, never with an exception
   */
  public CompletionStage<Boolean> mightContain(K key) {
    return ask(key).thenApply(answer -> answer != Answer.NOT_HERE);
  }

  /**
   * Finds the keys that may be here, as {@link io.woodbird.Filter#candidates(Collection)} does.
   *
   * @param keys the keys to ask about
   * @return completes with those that are not certainly absent, in order; never with an exception
   */
  public CompletionStage<List<K>> candidates(Collection<? extends K> keys) {
    List<K> list = List.copyOf(keys);
    return answers(filter.hashes(list))
        .thenApply(
            answers ->
                IntStream.range(0, answers.length)
                    .filter(i -> answers[i] != Answer.NOT_HERE)
                    .<K>mapToObj(list::get)
                    .collect(Collectors.toList()));
  }

  private CompletableFuture<Answer[]> answers(long[] hashes) {
    // What comes late must not change what the caller has.
    return filter
        .answers(filter.shared.link, hashes, hashes.length)
        .orTimeout(limitNanos(hashes.length), TimeUnit.NANOSECONDS)
        .handle(
            (all, failed) ->
                failed == null ? filter.learned(hashes, all) : RedisWords.unknown(hashes.length));
  }

  /** A batch is sent in several calls, one after the other. */
  private long limitNanos(int count) {
    long calls = Math.max(1, (count + RedisWords.CHUNK - 1L) / RedisWords.CHUNK);
    long millis = filter.shared.link.timeout().toMillis() + 1;
    return TimeUnit.MILLISECONDS.toNanos(millis * 11 / 10 * calls);
  }

  /**
   * Puts a key.
   *
   * @param key the key
   * @return completes with true if it is certainly new, or with a {@link RedisFilterException} if
   *     it is not known to be done
   */
  public CompletionStage<Boolean> put(K key) {
    return putHashes(new long[] {filter.hashOf(key)}).thenApply(fresh -> fresh == 1);
  }

  /**
   * Puts keys.
   *
   * @param keys the keys
   * @return completes with how many were certainly new, or with a {@link RedisFilterException} if
   *     they are not known to be done
   */
  public CompletionStage<Long> putAll(Collection<? extends K> keys) {
    return putHashes(filter.hashes(List.copyOf(keys))).thenApply(Integer::longValue);
  }

  CompletableFuture<Integer> putHashes(long[] hashes) {
    return filter
        .put(filter.shared.link, hashes, hashes.length)
        .orTimeout(limitNanos(hashes.length), TimeUnit.NANOSECONDS)
        .exceptionallyCompose(failed -> CompletableFuture.failedFuture(causeOf(failed)));
  }

  private Throwable causeOf(Throwable failed) {
    Throwable cause =
        failed instanceof CompletionException && failed.getCause() != null
            ? failed.getCause()
            : failed;
    boolean late = cause instanceof TimeoutException || cause instanceof RejectedExecutionException;
    return late
        ? new RedisFilterException(
            Cause.TIMEOUT,
            "filter " + filter.shared.name + ": the put is not known to be done in time")
        : cause;
  }
}
