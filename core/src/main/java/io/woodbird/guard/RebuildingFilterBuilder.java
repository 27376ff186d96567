package io.woodbird.guard;

import io.woodbird.guard.shared.SharedStore;
import io.woodbird.key.KeyHasher;
import io.woodbird.time.TimeSpan;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Builds filters that rebuild themselves. Made by {@link RebuildingFilter#of}.
 *
 * <p>A time longer than a hundred years counts as a hundred years.
 *
 * @param <K> the type of the keys
 */
public final class RebuildingFilterBuilder<K> {
  /** Room of a first build that was told nothing: 2 MB, and one more scan if it is too little. */
  private static final long FIRST_KEYS = 1 << 20;

  private final KeyHasher<K> keys;
  private final KeySource<? extends K> source;
  private String name = "filter";
  private double fpp = 0.01;
  private @Nullable Long seed;
  private long expectedKeys = FIRST_KEYS;
  private double headroom = 1.5;
  private double floor = 0.9;
  private boolean allowEmpty;
  private @Nullable Supplier<Duration> pause;
  private @Nullable Duration period;
  private Duration retry = Duration.ofMinutes(1);
  private Duration settle = Duration.ofMinutes(10);
  private Duration patience = Duration.ofMinutes(10);
  private int recentPuts = RecentPuts.MOST;
  private boolean keepPrevious = true;
  private GenerationStore<K> store = GenerationStore.memory();
  private @Nullable SharedStore<K> shared;
  private Consumer<? super RebuildEvent> listener = event -> {};
  private Scheduler scheduler = Scheduler.system();

  RebuildingFilterBuilder(KeyHasher<K> keys, KeySource<? extends K> source) {
    this.keys = Objects.requireNonNull(keys, "keys");
    this.source = Objects.requireNonNull(source, "source");
  }

  /**
   * Names the filter, for its threads and the Java Flight Recorder.
   *
   * @param value the name
   * @return this
   */
  public RebuildingFilterBuilder<K> name(String value) {
    name = Objects.requireNonNull(value, "name");
    return this;
  }

  /**
   * Rebuilds at this interval. Without this, only the first build happens by itself.
   *
   * @param value positive
   * @return this
   */
  public RebuildingFilterBuilder<K> every(Duration value) {
    Duration checked = TimeSpan.positive("every", value);
    every(() -> checked);
    period = checked;
    return this;
  }

  /**
   * Rebuilds at times that are not evenly spaced, such as every night at three.
   *
   * @param untilNext asked after each build how long to wait for the next
   * @return this
   */
  public RebuildingFilterBuilder<K> every(Supplier<Duration> untilNext) {
    pause = Objects.requireNonNull(untilNext, "untilNext");
    period = null;
    return this;
  }

  /**
   * Sets how long to wait after a build that failed, if {@link #every} is not shorter. A minute if
   * nothing is said.
   *
   * @param value positive
   * @return this
   */
  public RebuildingFilterBuilder<K> retryAfter(Duration value) {
    retry = TimeSpan.positive("retryAfter", value);
    return this;
  }

  /**
   * Sets the false positive probability that each generation keeps up to its capacity. 1 % if
   * nothing is said.
   *
   * @param value above 0 and below 1
   * @return this
   */
  public RebuildingFilterBuilder<K> fpp(double value) {
    if (!(value > 0 && value < 1)) { // Also refuses NaN.
      throw new IllegalArgumentException("fpp must be above 0 and below 1: " + value);
    }
    fpp = value;
    return this;
  }

  /**
   * Sets how many keys the source is expected to give. Each generation has room for these, or for
   * as many as the last one held, times the {@link #headroom}. If a source gives more than that, it
   * is read once more into a larger filter. About a million if nothing is said.
   *
   * @param value positive
   * @return this
   */
  public RebuildingFilterBuilder<K> expectedKeys(long value) {
    if (value <= 0) {
      throw new IllegalArgumentException("expectedKeys must be positive: " + value);
    }
    expectedKeys = value;
    return this;
  }

  /**
   * Sets how much larger a generation is than what was last counted, so that it can grow until the
   * next build. 1.5 if nothing is said.
   *
   * @param factor at least 1
   * @return this
   */
  public RebuildingFilterBuilder<K> headroom(double factor) {
    if (!(factor >= 1 && factor <= 1000)) { // Also refuses NaN.
      throw new IllegalArgumentException("headroom must be from 1 to 1000: " + factor);
    }
    headroom = factor;
    return this;
  }

  /**
   * Sets which share of the last count the source must give to be believed: a source that lost half
   * of its rows, or reads the wrong table, must not stop every user. 0.9 if nothing is said.
   *
   * @param share from 0 to 1
   * @return this
   */
  public RebuildingFilterBuilder<K> floor(double share) {
    if (!(share >= 0 && share <= 1)) { // Also refuses NaN.
      throw new IllegalArgumentException("floor must be from 0 to 1: " + share);
    }
    floor = share;
    return this;
  }

  /**
   * Accepts a source that gives no key at all. Without this, that is taken for a mistake.
   *
   * @return this
   */
  public RebuildingFilterBuilder<K> allowEmpty() {
    allowEmpty = true;
    return this;
  }

  /**
   * Sets how long a key that was put may take to become visible in the source, from the moment when
   * the put, or that of the whole batch, returned: the longest transaction, and the lag of a
   * replica. A process that is stopped in between takes longer by that time. Until then the key is
   * carried into every new generation. Ten minutes if nothing is said.
   *
   * <p>The filter remembers 8 bytes for each put that long, and 32 MiB at most. If more is put, the
   * next build first waits until what is not remembered has become visible; the old generation
   * answers meanwhile.
   *
   * @param value not negative
   * @return this
   */
  public RebuildingFilterBuilder<K> settle(Duration value) {
    settle = TimeSpan.notNegative("settle", value);
    return this;
  }

  /**
   * Sets how long the source may give no key before its build is interrupted and reported. Ten
   * minutes if nothing is said.
   *
   * @param value positive
   * @return this
   */
  public RebuildingFilterBuilder<K> patience(Duration value) {
    patience = TimeSpan.positive("patience", value);
    return this;
  }

  /**
   * Forgets the old generation as soon as the new one answers. Takes a third less memory during a
   * build, and there is no roll back.
   *
   * @return this
   */
  public RebuildingFilterBuilder<K> forgetPrevious() {
    keepPrevious = false;
    return this;
  }

  /**
   * Fixes the seed of the hash function. That of the store, or random, if nothing is said.
   *
   * @param value any number
   * @return this
   */
  public RebuildingFilterBuilder<K> seed(long value) {
    seed = value;
    return this;
  }

  /**
   * Chooses where generations live. The heap if nothing is said.
   *
   * @param value the store
   * @return this
   */
  public RebuildingFilterBuilder<K> store(GenerationStore<K> value) {
    store = Objects.requireNonNull(value, "store");
    shared = null;
    return this;
  }

  /**
   * Shares the filter with other processes. Of all that have the same schedule one builds; the
   * others take its generation, and also the first build takes one that is young enough. A put goes
   * to the store, or throws. The source is read {@link #settle} after the build began, unless
   * nothing was put since the last one. {@link #forgetPrevious} has no effect.
   *
   * @param value where it lives
   * @return this
   */
  public RebuildingFilterBuilder<K> store(SharedStore<K> value) {
    shared = Objects.requireNonNull(value, "store");
    return this;
  }

  /**
   * Asks to be told what happens. Calls come from the thread in which it happened.
   *
   * @param value the listener
   * @return this
   */
  public RebuildingFilterBuilder<K> onEvent(Consumer<? super RebuildEvent> value) {
    listener = Objects.requireNonNull(value, "listener");
    return this;
  }

  /** Sets how many recent puts are remembered at most, a multiple of 1024. */
  RebuildingFilterBuilder<K> recentPuts(int most) {
    recentPuts = most;
    return this;
  }

  /** Takes time and threads from elsewhere. */
  RebuildingFilterBuilder<K> scheduler(Scheduler value) {
    scheduler = value;
    return this;
  }

  /**
   * Makes the filter, and begins its first build in a thread of its own. Returns at once; until
   * that build is done every answer is "maybe".
   *
   * @return the filter; close it after use
   */
  public RebuildingFilter<K> start() {
    RebuildingFilter<K> filter = build();
    CompletableFuture<Generation> unused = filter.rebuildNow();
    return filter;
  }

  /**
   * Makes the filter and begins nothing: it remembers puts, and the first {@link
   * RebuildingFilter#rebuildNow} starts it.
   *
   * @return the filter; close it after use
   */
  public RebuildingFilter<K> build() {
    return new RebuildingFilter<>(
        new RebuildOptions<>(
            name,
            keys,
            source,
            fpp,
            seed != null ? seed : storeSeed().orElseGet(() -> new SecureRandom().nextLong()),
            expectedKeys,
            headroom,
            floor,
            allowEmpty,
            pause,
            period,
            retry,
            settle,
            patience,
            recentPuts,
            keepPrevious,
            store,
            shared,
            listener,
            scheduler));
  }

  private OptionalLong storeSeed() {
    return shared != null ? shared.seed() : store.seed();
  }
}
