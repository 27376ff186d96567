package io.woodbird.guard;

import io.woodbird.Answer;
import io.woodbird.FilterStats;
import io.woodbird.MutableFilter;
import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A filter that is rebuilt from its source at intervals, so that deleted keys leave it and a set
 * that has grown fits. It answers all the time.
 *
 * <pre>{@code
 * RebuildingFilter<Long> ids = RebuildingFilter.of(Keys.longs(), repository::streamIds)
 *     .every(Duration.ofHours(1)).fpp(0.001).start();
 * }</pre>
 *
 * <p>The old generation answers until the new one is complete and verified. A build that fails, or
 * whose source gives implausibly few keys, changes nothing and is reported. Before the first build,
 * and after {@link #close}, every answer is {@link Answer#UNKNOWN}, which is "maybe".
 *
 * <p><b>New keys: first put, then commit.</b> A key whose {@link #put} has returned is here in
 * every generation that answers afterwards, until its row had {@linkplain
 * RebuildingFilterBuilder#settle ten minutes} to become visible in the source. Then the source
 * alone decides, so that deleted keys vanish.
 *
 * <p>Questions take no lock. Puts take a short one.
 *
 * @param <K> the type of the keys
 */
public final class RebuildingFilter<K> implements MutableFilter<K>, AutoCloseable {
  // How puts, questions and swaps meet is in OwnGenerations, when to build in BuildSchedule.
  private final RebuildOptions<K> options;
  private final KeyHasher<K> keys;
  private final long seed;
  private final BuildSchedule<K> schedule;
  private final Generations<K> generations;
  private volatile boolean keepsWhatIsPut;

  RebuildingFilter(RebuildOptions<K> options) {
    this.options = options;
    this.keys = options.keys();
    this.seed = options.seed();
    this.schedule = new BuildSchedule<>(options);
    this.generations = schedule.generations();
  }

  /**
   * Begins a filter over all keys of a source.
   *
   * @param <K> the type of the keys
   * @param keys hashes the keys, see {@link io.woodbird.key.Keys}
   * @param source gives all keys, whenever it is asked
   * @return a builder
   */
  public static <K> RebuildingFilterBuilder<K> of(
      KeyHasher<K> keys, KeySource<? extends K> source) {
    return new RebuildingFilterBuilder<>(keys, source);
  }

  Generations<K> generations() {
    return generations;
  }

  /**
   * A follower relies on every key that was put, and on builds that began after it asked for them.
   */
  void keepWhatIsPut() {
    if (generations instanceof SharedGenerations) {
      throw new IllegalStateException(
          "a filter that other processes build can't be followed by reading changes: their builds"
              + " may have begun too early; use a follower that looks keys up");
    }
    keepsWhatIsPut = true;
  }

  @Override
  public Answer ask(K key) {
    return generations.ask(key, -1);
  }

  /** Whether the source gave a plausible number of keys when it was last read. */
  boolean isPlausible() {
    return schedule.isPlausible();
  }

  /** Marks this moment: a build that began before it may not be believed. */
  long distrust() {
    return schedule.distrust();
  }

  /** Asks about a key; only a build that began after the mark may deny it. */
  Answer askAfter(K key, long mark) {
    return generations.ask(key, mark);
  }

  /** As {@link #askAfter}, without blocking; what depends on it must not block. */
  CompletableFuture<Answer> askAfterAsync(K key, long mark) {
    return generations.askAsync(key, mark);
  }

  /** Whether a build that began after the mark answers. */
  boolean isBuiltAfter(long mark) {
    return generations.isNewerThan(mark);
  }

  @Override
  public long hashOf(K key) {
    return keys.hash(key, seed);
  }

  @Override
  public long hashOfLong(long key) {
    return keys.hashLong(key, seed);
  }

  @Override
  public boolean mightContainHash(long hash) {
    MutableFilter<K> filter = generations.answering();
    return filter == null || filter.mightContainHash(hash);
  }

  @Override
  public List<K> candidates(Collection<? extends K> all) {
    List<K> copy = List.copyOf(all);
    long[] hashes = new long[copy.size()];
    keys.hashAll(copy, seed, hashes); // As puts do, whatever the filter of the store does.
    int[] selected = new int[hashes.length];
    int count = candidates(hashes, hashes.length, selected);
    List<K> found = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      found.add(copy.get(selected[i]));
    }
    return found;
  }

  @Override
  public int candidates(long[] hashes, int count, int[] selected) {
    MutableFilter<K> filter = generations.answering();
    if (filter != null) {
      return filter.candidates(hashes, count, selected);
    }
    Objects.checkFromIndexSize(0, count, hashes.length);
    Objects.checkFromIndexSize(0, count, selected.length);
    for (int i = 0; i < count; i++) {
      selected[i] = i;
    }
    return count;
  }

  /**
   * Puts a key: into the generation that answers, the one being built, and the one before. Puts
   * work before the first build, too.
   *
   * @param key the key
   * @return true if the generation that answers certainly did not have it; false before the first
   *     build
   * @throws IllegalStateException if the filter is closed
   */
  @Override
  public boolean put(K key) {
    return putHash(hashOf(key));
  }

  @Override
  public boolean putHash(long hash) {
    boolean fresh = generations.put(hash);
    schedule.checkOverfull();
    return fresh;
  }

  @Override
  public int putHashes(long[] hashes, int count) {
    Objects.checkFromIndexSize(0, count, hashes.length);
    int fresh = generations.put(hashes, count);
    schedule.checkOverfull();
    return fresh;
  }

  @Override
  public long putAll(Collection<? extends K> all) {
    long[] hashes = hashes(all);
    return putHashes(hashes, hashes.length);
  }

  /**
   * Puts keys as {@link #putAll} does, without blocking. What depends on the result runs in a
   * thread of the store's client, so it should not block.
   *
   * @param all the keys
   * @return completes with how many were certainly new, or exceptionally if they are not known to
   *     be put
   */
  public CompletableFuture<Long> putAllAsync(Collection<? extends K> all) {
    return generations
        .putAsync(hashes(all))
        .thenApply(
            fresh -> {
              schedule.checkOverfull();
              return (long) fresh;
            });
  }

  private long[] hashes(Collection<? extends K> all) {
    List<K> copy = List.copyOf(all); // Refuses a null before anything is put.
    long[] hashes = new long[copy.size()];
    keys.hashAll(copy, seed, hashes);
    return hashes;
  }

  /**
   * Builds a new generation as soon as possible, in a thread of its own. If a build is running,
   * that one may have read the source already, so this one follows it; all calls meanwhile share
   * it.
   *
   * @return completes when the new generation answers, or exceptionally if the build failed
   */
  public CompletableFuture<Generation> rebuildNow() {
    return schedule.rebuild(-1, true);
  }

  /**
   * Builds a new generation, with another idea of how many keys are plausible: for when the set has
   * really shrunk.
   *
   * @param atLeastKeys the build is refused if the source gives fewer; 0 accepts an empty source
   * @return as {@link #rebuildNow()}
   */
  public CompletableFuture<Generation> rebuildNow(long atLeastKeys) {
    if (atLeastKeys < 0) {
      throw new IllegalArgumentException("atLeastKeys must not be negative: " + atLeastKeys);
    }
    return schedule.rebuild(atLeastKeys, true);
  }

  /**
   * Lets the generation before answer again, and forgets the one that answers now. It holds every
   * key put meanwhile; keys that only the source gave since are not in it. Works once after each
   * build.
   *
   * @return the generation that answers now; empty if there is none before it, and nothing changed
   * @throws IllegalStateException if a {@link Follower} reads changes into the filter: the
   *     generation before may lack rows that came while it did not follow
   */
  public Optional<Generation> rollBack() {
    if (keepsWhatIsPut) {
      throw new IllegalStateException(
          "a follower reads changes into this filter, and the generation before may lack some;"
              + " rebuild it instead");
    }
    Generations.RolledBack done = generations.rollBack();
    if (done == null) {
      return Optional.empty();
    }
    schedule.events().rolledBack(done.number(), done.dropped());
    return Optional.ofNullable(done.current());
  }

  /**
   * {@return the generation that answers; empty before the first build and after {@link #close}}
   */
  public Optional<Generation> generation() {
    return generations.generation();
  }

  /**
   * {@return why answers are unknown, as far as this process has noticed, one line for each reason}
   * Unlike {@link #stats} it asks nobody, so it may be called often.
   */
  public List<String> doubts() {
    return generation().isPresent() ? generations.doubts() : List.of(schedule.doubt());
  }

  /** {@return the name that was given to the builder} */
  public String name() {
    return options.name();
  }

  /** As it is now. Before the first build it says so in the doubts, and that its fpp is 1. */
  @Override
  public FilterStats stats() {
    MutableFilter<K> filter = generations.answering();
    return filter != null
        ? filter.stats()
        : new FilterStats("rebuilding", 0, 0, 0, 0, options.fpp(), 1, List.of(schedule.doubt()));
  }

  @Override
  public long sizeInBytes() {
    return built().sizeInBytes();
  }

  @Override
  public void save(Path path) throws IOException {
    built().save(path);
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    built().writeTo(out);
  }

  /** Says what {@link #stats} says. */
  @Override
  public String toString() {
    return stats().toString();
  }

  private MutableFilter<K> built() {
    MutableFilter<K> filter = generations.answering();
    if (filter == null) {
      throw new IllegalStateException(schedule.doubt());
    }
    return filter;
  }

  /**
   * Ends it. A build that runs is interrupted and not waited for. As puts are refused from now on,
   * every answer is {@link Answer#UNKNOWN}.
   */
  @Override
  public void close() {
    schedule.close();
  }
}
