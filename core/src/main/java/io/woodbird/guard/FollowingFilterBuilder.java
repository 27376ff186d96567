package io.woodbird.guard;

import io.woodbird.MutableFilter;
import io.woodbird.time.TimeSpan;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Builds filters that follow their source. Made by {@link FollowingFilter#over}.
 *
 * @param <K> the type of the keys
 */
public final class FollowingFilterBuilder<K> {
  /** How questions are confirmed. */
  record Settings(
      String name,
      Duration freshness,
      Duration pause,
      Duration patience,
      int mostWaiting,
      InstantSource clock,
      Consumer<Optional<String>> onDoubt) {}

  /** Fewer than 60 calls a second: see {@link Confirmations}. */
  private static final Duration PAUSE = Duration.ofMillis(17);

  /** One statement of the followers of woodbird-jdbc takes as many. */
  private static final int MOST_WAITING = 10_000;

  /** Each costs 50 bytes and its key. An attacker with more of them costs one look-up for each. */
  private static final int MOST_MISSES = 10_000;

  private final MutableFilter<K> filter;
  private final Follower<K> follower;
  private Duration freshness = Duration.ZERO;
  private Duration patience = Duration.ofSeconds(1);
  private int mostWaiting = MOST_WAITING;
  private InstantSource clock = InstantSource.system();
  private @Nullable FollowThread thread;
  private @Nullable Follower<K> lookUp;
  private String name = "filter";
  private Consumer<Optional<String>> onDoubt = doubt -> {};

  FollowingFilterBuilder(MutableFilter<K> filter, Follower<K> follower) {
    this.filter = Objects.requireNonNull(filter, "filter");
    this.follower = Objects.requireNonNull(follower, "follower");
  }

  /**
   * Allows a "not here" to be this old, so that it need not wait. Zero if nothing is said: a row is
   * found as soon as its commit has returned.
   *
   * @param bound at least 34 ms, or zero
   * @return this
   */
  public FollowingFilterBuilder<K> freshness(Duration bound) {
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
  public FollowingFilterBuilder<K> patience(Duration longest) {
    patience = TimeSpan.positive("patience", longest);
    return this;
  }

  /**
   * Bounds how many keys share a proof; the answer for others is unknown. 10,000 if nothing is
   * said.
   *
   * @param keys positive
   * @return this
   */
  public FollowingFilterBuilder<K> mostWaiting(int keys) {
    if (keys <= 0) {
      throw new IllegalArgumentException("mostWaiting must be positive: " + keys);
    }
    mostWaiting = keys;
    return this;
  }

  /**
   * Looks up keys that are "maybe here" and that the loader of a {@link Guard} did not find, where
   * the follower itself reads changes. Without it such a key reaches the loader each time. While
   * somebody repeats one, the source sees one more request for each proof.
   *
   * @param follower looks keys up, as {@code JdbcKeys.follower()} does; closed with what is built
   * @return this
   */
  public FollowingFilterBuilder<K> lookUpMisses(Follower<K> follower) {
    lookUp = Objects.requireNonNull(follower, "follower");
    return this;
  }

  /** Gives the time of the day, for tests. */
  FollowingFilterBuilder<K> clock(InstantSource value) {
    clock = value;
    return this;
  }

  /** Takes time and threads from elsewhere. */
  FollowingFilterBuilder<K> thread(FollowThread value) {
    thread = value;
    return this;
  }

  /**
   * Names the thread that follows, and what the Java Flight Recorder is told.
   *
   * @param value a few letters
   * @return this
   */
  public FollowingFilterBuilder<K> name(String value) {
    name = Objects.requireNonNull(value, "name");
    return this;
  }

  /**
   * Asks to be told when nothing can be denied any more because the follower fails, and when it
   * works again. The call comes from the thread that follows.
   *
   * @param listener gets the reason, or nothing when all is well again
   * @return this
   */
  public FollowingFilterBuilder<K> onDoubt(Consumer<Optional<String>> listener) {
    onDoubt = Objects.requireNonNull(listener, "listener");
    return this;
  }

  /**
   * {@return the filter} Nothing is denied until it is {@linkplain FollowingFilter#start started}.
   */
  public FollowingFilter<K> build() {
    Settings settings = new Settings(name, freshness, PAUSE, patience, mostWaiting, clock, onDoubt);
    FollowThread own = thread != null ? thread : FollowThread.system(name);
    Misses<K> misses = new Misses<>(MOST_MISSES);
    Follower<K> all = withLookUps(misses);
    return new FollowingFilter<>(filter, all, new Confirmations<>(all, settings, own), misses);
  }

  private Follower<K> withLookUps(Misses<K> misses) {
    Follower<K> second = lookUp;
    if (second == null) {
      return follower;
    }
    if (!follower.readsChanges() || second.readsChanges()) {
      throw new IllegalArgumentException(
          "lookUpMisses needs a follower that looks keys up, beside one that reads changes");
    }
    return new LookedUpMisses<>(follower, second, misses);
  }

  /**
   * Makes the filter and starts it.
   *
   * @return the filter
   * @throws IllegalStateException if the follower can't follow the source at all
   */
  public FollowingFilter<K> start() {
    FollowingFilter<K> following = build();
    following.start();
    return following;
  }
}
