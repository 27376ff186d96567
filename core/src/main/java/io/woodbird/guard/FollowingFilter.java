package io.woodbird.guard;

import io.woodbird.Answer;
import io.woodbird.Filter;
import io.woodbird.FilterStats;
import io.woodbird.time.TimeSpan;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A filter that says "not here" only if it has seen everything that was committed to its source
 * before the question was asked, whoever wrote it.
 *
 * <pre>{@code
 * FollowingFilter<Long> ids = FollowingFilter.over(rebuilding, follower).start();
 * }</pre>
 *
 * <p>A question that would be denied waits until the {@link Follower} has caught up, some
 * milliseconds, and is then asked again. All questions that arrive meanwhile share one catch-up, so
 * the source sees at most 50 small requests a second, however many questions there are. "Maybe
 * here" never waits. If the follower fails, is late or is closed, the answer is {@link
 * Answer#UNKNOWN}.
 *
 * <p>With {@link Builder#freshness a bound} nothing waits while the follower is on time: then rows
 * that were committed more than that time ago are never denied.
 *
 * @param <K> the type of the keys
 */
public final class FollowingFilter<K> implements Filter<K>, AutoCloseable {
  private final Filter<K> filter;
  private final Confirmations confirmations;

  private FollowingFilter(Filter<K> filter, Confirmations confirmations) {
    this.filter = filter;
    this.confirmations = confirmations;
  }

  /**
   * Begins a filter that follows its source.
   *
   * @param <K> the type of the keys
   * @param filter the filter into which the follower puts keys
   * @param follower brings the keys; closed with what is built
   * @return a builder
   */
  public static <K> Builder<K> over(Filter<K> filter, Follower follower) {
    return new Builder<>(filter, follower);
  }

  /** How questions are confirmed. */
  record Settings(Duration freshness, Duration pause, Duration patience, int mostWaiting) {}

  /**
   * Builds filters that follow their source.
   *
   * @param <K> the type of the keys
   */
  public static final class Builder<K> {
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final int MOST_WAITING = 10_000;

    private final Filter<K> filter;
    private final Follower follower;
    private Duration freshness = Duration.ZERO;
    private Duration patience = Duration.ofSeconds(1);
    private int mostWaiting = MOST_WAITING;
    private String name = "filter";

    private Builder(Filter<K> filter, Follower follower) {
      this.filter = Objects.requireNonNull(filter, "filter");
      this.follower = Objects.requireNonNull(follower, "follower");
    }

    /**
     * Allows a "not here" to be this old, so that it need not wait. Zero if nothing is said: a row
     * is found as soon as its commit has returned.
     *
     * @param bound at least 40 ms, or zero
     * @return this
     */
    public Builder<K> freshness(Duration bound) {
      freshness =
          bound.isZero() ? bound : TimeSpan.atLeastMillis("freshness", 2 * PAUSE.toMillis(), bound);
      return this;
    }

    /**
     * Bounds how long a question waits; then the answer is unknown. One second if nothing is said.
     *
     * @param longest positive
     * @return this
     */
    public Builder<K> patience(Duration longest) {
      patience = TimeSpan.positive("patience", longest);
      return this;
    }

    /**
     * Bounds how many threads wait at the same time; the answer for others is unknown. 10,000 if
     * nothing is said.
     *
     * @param threads positive
     * @return this
     */
    public Builder<K> mostWaiting(int threads) {
      if (threads <= 0) {
        throw new IllegalArgumentException("mostWaiting must be positive: " + threads);
      }
      mostWaiting = threads;
      return this;
    }

    /**
     * Names the thread that follows.
     *
     * @param value a few letters
     * @return this
     */
    public Builder<K> name(String value) {
      name = Objects.requireNonNull(value, "name");
      return this;
    }

    /**
     * Begins to follow. Until the first catch-up has succeeded, nothing is denied.
     *
     * @return the filter
     */
    public FollowingFilter<K> start() {
      Settings settings = new Settings(freshness, PAUSE, patience, mostWaiting);
      Confirmations confirmations = new Confirmations(follower, settings, name);
      confirmations.start();
      return new FollowingFilter<>(filter, confirmations);
    }
  }

  /** The filter into which the follower puts keys. */
  Filter<K> followed() {
    return filter;
  }

  @Override
  public Answer ask(K key) {
    long mark = confirmations.mark(); // Before the filter is read.
    Answer answer = filter.ask(key);
    if (answer != Answer.NOT_HERE || confirmations.isFresh(mark)) {
      return answer;
    }
    return confirmations.await() ? filter.ask(key) : Answer.UNKNOWN;
  }

  /** Asks in another way, with the same confirmation. */
  Answer askBy(Supplier<Answer> question) {
    long mark = confirmations.mark();
    Answer answer = question.get();
    if (answer != Answer.NOT_HERE || confirmations.isFresh(mark)) {
      return answer;
    }
    return confirmations.await() ? question.get() : Answer.UNKNOWN;
  }

  /**
   * Asks about a key without blocking.
   *
   * @param key the key
   * @return completes with the answer: at once, or when it is confirmed or the {@linkplain
   *     Builder#patience patience} is over
   */
  public CompletableFuture<Answer> askAsync(K key) {
    long mark = confirmations.mark();
    Answer answer = filter.ask(key);
    if (answer != Answer.NOT_HERE || confirmations.isFresh(mark)) {
      return CompletableFuture.completedFuture(answer);
    }
    return confirmations
        .joinInTime()
        // What follows is the caller's own code, and must not run in the thread that catches up.
        .thenApplyAsync(confirmed -> confirmed ? filter.ask(key) : Answer.UNKNOWN);
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
    return ask(key) != Answer.NOT_HERE; // The filter may hash in its own way.
  }

  @Override
  public boolean mightContainHash(long hash) {
    long mark = confirmations.mark();
    if (filter.mightContainHash(hash)) {
      return true;
    }
    return !confirmations.isFresh(mark)
        && (!confirmations.await() || filter.mightContainHash(hash));
  }

  @Override
  public List<K> candidates(Collection<? extends K> keys) {
    List<K> all = List.copyOf(keys);
    long mark = confirmations.mark();
    List<K> found = filter.candidates(all);
    if (found.size() == all.size() || confirmations.isFresh(mark)) {
      return found;
    }
    return confirmations.await() ? filter.candidates(all) : all;
  }

  @Override
  public int candidates(long[] hashes, int count, int[] selected) {
    long mark = confirmations.mark();
    int kept = filter.candidates(hashes, count, selected);
    if (kept == count || confirmations.isFresh(mark)) {
      return kept;
    }
    if (confirmations.await()) {
      return filter.candidates(hashes, count, selected);
    }
    for (int i = 0; i < count; i++) {
      selected[i] = i;
    }
    return count;
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
    return new FilterStats(
        stats.layout(),
        stats.bits(),
        stats.expectedKeys(),
        stats.estimatedKeys(),
        stats.fill(),
        stats.promisedFpp(),
        stats.currentFpp(),
        List.copyOf(doubts));
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
   * Why nothing can be denied now. Asks nobody, so it may be called often.
   *
   * @return the reason; null if all is well
   */
  public @Nullable String doubt() {
    return confirmations.doubt();
  }

  /**
   * How often the follower has caught up.
   *
   * @return the number of confirmations that the source was asked for and gave
   */
  public long confirmations() {
    return confirmations.confirmed();
  }

  /**
   * How many threads wait for a confirmation now.
   *
   * @return the number
   */
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
