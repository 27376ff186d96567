package io.woodbird.guard;

import io.woodbird.Answer;
import io.woodbird.FilterStats;
import io.woodbird.MutableFilter;
import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A filter that is built anew from its source from time to time, so that deleted keys vanish and
 * grown sets fit. It answers all the while.
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
  /*
   * How puts, questions and swaps meet is in OwnGenerations. Here is when to build: at the start, some
   * time after each build, sooner after one that failed, when the filter is overfull, when asked.
   * Time is measured by nanoTime only. Builds never overlap: "running" is there until its thread has
   * ended, however long the source hangs. Who asks for a build meanwhile shares the next one.
   */
  private static final long SOON_NANOS = 1_000_000_000L;

  private final RebuildOptions<K> options;
  private final Clockwork clockwork;
  private final KeyHasher<K> keys;
  private final long seed;
  private final Generations<K> generations;
  private final BuildEvents events;

  private final Object control = new Object();
  private @Nullable Build<K> running; // control
  private @Nullable Request next; // control
  private Clockwork.@Nullable Ticket nextBuild; // control
  private Clockwork.@Nullable Ticket watch; // control
  private long builds; // control
  private boolean closed; // control
  private boolean lastFailed; // control
  private boolean owed; // control: a build that was asked for has failed
  private boolean hurried; // control: a lost filter is about to be built
  private long reported; // control: the generation last told of
  private volatile String doubt = "not built yet";

  /** A build that is asked for while another one runs. */
  private record Request(long atLeast, boolean forced, CompletableFuture<Generation> result) {
    /**
     * Shares it with one who has another idea of how many keys are plausible: the stricter holds.
     */
    Request and(long other, boolean must) {
      long least = Math.min(atLeast, other) < 0 ? -1 : Math.max(atLeast, other);
      return new Request(least, forced || must, result);
    }
  }

  RebuildingFilter(RebuildOptions<K> options) {
    this.options = options;
    this.clockwork = options.clockwork();
    this.keys = options.keys();
    this.seed = options.seed();
    this.events = new BuildEvents(options.listener());
    SharedStore<K> shared = options.shared();
    this.generations =
        shared == null
            ? new OwnGenerations<>(options, events)
            : new SharedGenerations<>(options, shared, events, this::lost);
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

  @Override
  public Answer ask(K key) {
    return generations.ask(key);
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
    MutableFilter<K> filter = generations.answering();
    return filter == null ? List.copyOf(all) : filter.candidates(all);
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
    checkOverfull();
    return fresh;
  }

  @Override
  public int putHashes(long[] hashes, int count) {
    Objects.checkFromIndexSize(0, count, hashes.length);
    int fresh = generations.put(hashes, count);
    checkOverfull();
    return fresh;
  }

  @Override
  public long putAll(Collection<? extends K> all) {
    List<K> copy = List.copyOf(all); // Refuses a null before anything is put.
    long[] hashes = new long[copy.size()];
    keys.hashAll(copy, seed, hashes);
    return putHashes(hashes, hashes.length);
  }

  /** If the keys outgrew their generation: says so, and asks for a larger one. */
  private void checkOverfull() {
    Generations.Passed passed = generations.takeOverfull();
    if (passed == null) {
      return;
    }
    events.overfull(passed);
    CompletableFuture<Generation> unused = rebuildNow();
  }

  /**
   * Builds a new generation as soon as possible, in a thread of its own. If a build is running,
   * that one may have read the source already, so this one follows it; all who ask meanwhile share
   * it.
   *
   * @return completes when the new generation answers, or exceptionally if the build failed
   */
  public CompletableFuture<Generation> rebuildNow() {
    return rebuild(-1, true);
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
    return rebuild(atLeastKeys, true);
  }

  private CompletableFuture<Generation> rebuild(long atLeast, boolean asked) {
    synchronized (control) {
      // The first call only starts the filter: what another process has built will do.
      boolean forced = atLeast >= 0 || (asked && builds > 0);
      if (closed) {
        return CompletableFuture.failedFuture(new IllegalStateException("the filter is closed"));
      }
      if (running == null) {
        return begin(new Request(atLeast, forced, new CompletableFuture<>()));
      }
      next =
          next == null
              ? new Request(atLeast, forced, new CompletableFuture<>())
              : next.and(atLeast, forced);
      return next.result.copy();
    }
  }

  /** Starts a build; needs the lock "control", and that none is running. */
  private CompletableFuture<Generation> begin(Request request) {
    if (nextBuild != null) {
      nextBuild.cancel();
      nextBuild = null;
    }
    builds++;
    Build<K> build =
        new Build<>(this, options, builds, request.atLeast, request.forced || owed, request.result);
    try {
      clockwork.start("woodbird-build-" + options.name(), build);
      running = build;
      watch(build, -1);
    } catch (RuntimeException | OutOfMemoryError e) { // No more threads, for now.
      request.result.completeExceptionally(e);
      nextBuild = clockwork.after(options.retry().toNanos(), this::rebuildOnTime);
    }
    return request.result.copy();
  }

  private void rebuildOnTime() {
    CompletableFuture<Generation> unused = rebuild(-1, false);
  }

  /** Looks again after a while whether the source still gives keys; needs the lock "control". */
  private void watch(Build<K> build, long before) {
    watch =
        clockwork.after(
            options.patience().toNanos(),
            () -> {
              synchronized (control) {
                if (running != build || closed) {
                  return;
                }
                if (build.progress() != before) {
                  watch(build, build.progress());
                  return;
                }
              }
              String reason = "the source gave no key for " + options.patience();
              build.abandon(reason);
              events.stalled(build.number(), reason);
            });
  }

  // What a build calls

  Generations<K> generations() {
    return generations;
  }

  /** A shared filter can't answer: builds soon, unless that has just failed. */
  private void lost() {
    synchronized (control) {
      if (!closed && running == null && !lastFailed && builds > 0 && !hurried) {
        hurried = true;
        if (nextBuild != null) {
          nextBuild.cancel();
        }
        nextBuild = clockwork.after(SOON_NANOS, this::rebuildOnTime);
      }
    }
  }

  /** Takes note that a build is at its end. */
  void finished(Build<K> build, @Nullable Generation built, @Nullable Throwable failure) {
    boolean silent;
    synchronized (control) {
      // A shared generation may have been there before; that is no news.
      boolean known = built != null && !lastFailed && built.number() == reported;
      silent = closed || known;
      reported = built == null ? reported : built.number();
      lastFailed = failure != null;
      owed = build.forced() && failure != null;
      hurried = false;
      running = null;
      if (watch != null) {
        watch.cancel();
        watch = null;
      }
      if (!closed) {
        doubt = "not built yet" + (failure == null ? "" : ": " + BuildEvents.reason(failure));
        follow(failure != null);
      }
    }
    if (!silent) {
      if (built != null) {
        events.built(built);
      } else if (failure != null) {
        events.failed(build.number(), failure, generations.generation().orElse(null));
      }
      checkOverfull();
    }
    if (built != null) {
      build.result().complete(built);
    } else {
      build.result().completeExceptionally(Objects.requireNonNull(failure));
    }
  }

  /** Begins or schedules the build after this one; needs the lock "control". */
  private void follow(boolean failed) {
    if (next != null) {
      Request request = next;
      next = null;
      CompletableFuture<Generation> unused = begin(request);
      return;
    }
    Duration delay = pause();
    delay = delay == null ? null : generations.untilNext(delay);
    if (failed && (delay == null || delay.compareTo(options.retry()) > 0)) {
      delay = options.retry();
    }
    if (delay != null) {
      nextBuild = clockwork.after(Math.max(0, delay.toNanos()), this::rebuildOnTime);
    }
  }

  /** How long to wait for the next build; null for ever. */
  private @Nullable Duration pause() {
    Supplier<Duration> pause = options.pause();
    try {
      return pause == null ? null : pause.get();
    } catch (RuntimeException e) {
      Uncaught.report(e);
      return options.retry();
    }
  }

  /**
   * Lets the generation before answer again, and forgets the one that answers now. It holds every
   * key put meanwhile; keys that only the source gave since are not in it. Works once after each
   * build.
   *
   * @return the generation that answers now; empty if there is none before it, and nothing changed
   */
  public Optional<Generation> rollBack() {
    Generations.RolledBack done = generations.rollBack();
    if (done == null) {
      return Optional.empty();
    }
    events.rolledBack(done.number(), done.dropped());
    return Optional.ofNullable(done.current());
  }

  /**
   * The generation that answers.
   *
   * @return empty before the first build and after {@link #close}
   */
  public Optional<Generation> generation() {
    return generations.generation();
  }

  /**
   * Why answers are unknown, as far as this process has noticed. Unlike {@link #stats} it asks
   * nobody, so it may be called often.
   *
   * @return one line for each reason; empty if all is well
   */
  public List<String> doubts() {
    return generation().isPresent() ? generations.doubts() : List.of(doubt);
  }

  /**
   * The name that was given to the builder.
   *
   * @return the name
   */
  public String name() {
    return options.name();
  }

  /** As it is now. Before the first build it says so in the doubts, and that its fpp is 1. */
  @Override
  public FilterStats stats() {
    MutableFilter<K> filter = generations.answering();
    return filter != null
        ? filter.stats()
        : new FilterStats("rebuilding", 0, 0, 0, 0, options.fpp(), 1, List.of(doubt));
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
      throw new IllegalStateException(doubt);
    }
    return filter;
  }

  /**
   * Ends it. A build that runs is interrupted and not waited for. As puts are refused from now on,
   * every answer is {@link Answer#UNKNOWN}.
   */
  @Override
  public void close() {
    Build<K> stopped;
    Request waiting;
    synchronized (control) {
      if (closed) {
        return;
      }
      closed = true;
      doubt = "closed";
      stopped = running;
      waiting = next;
      next = null;
      clockwork.close();
    }
    if (stopped != null) {
      stopped.abandon("the filter was closed");
    }
    if (waiting != null) {
      waiting.result.completeExceptionally(new IllegalStateException("the filter is closed"));
    }
    generations.close();
  }
}
