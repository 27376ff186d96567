package io.woodbird.guard;

import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One build of a generation: read the source, verify, swap. */
final class Build<K> implements Runnable {
  /** Keys that are put by one call. After each call the build looks whether it is still wanted. */
  private static final int BATCH = 256;

  /** If the filter lacked one key in a hundred, 3 builds of 100,000 would not notice. */
  private static final int SAMPLE = 1024;

  /** Nine tenths, see decision 15: keys may have been deleted since. */
  private static final int RECOGNIZED = SAMPLE * 9 / 10;

  /** Why a filter of a store can't be asked. */
  static final String OTHER_HASHES = "the store made a filter with other hashes than planned";

  private final BuildSchedule<K> owner;
  private final RebuildOptions<K> options;
  private final long number;
  private final long atLeast;
  private final boolean forced;
  private final CompletableFuture<Generation> result;
  private final SplittableRandom random;

  private final long[] sample = new long[SAMPLE];
  private final long[] batch = new long[BATCH];
  private int batched;
  private long fresh;
  private int known;

  private volatile long read;
  private volatile long beats;
  private volatile @Nullable String abandoned;
  private volatile @Nullable Thread thread;

  /**
   * Makes one.
   *
   * @param atLeast how many keys the source must give to be believed; negative for the usual floor
   * @param forced whether somebody asked for it, so that no build of another process will do
   */
  Build(
      BuildSchedule<K> owner,
      RebuildOptions<K> options,
      long number,
      long atLeast,
      boolean forced,
      CompletableFuture<Generation> result) {
    this.owner = owner;
    this.options = options;
    this.number = number;
    this.atLeast = atLeast;
    this.forced = forced;
    this.result = result;
    this.random = new SplittableRandom(number);
  }

  CompletableFuture<Generation> result() {
    return result;
  }

  long number() {
    return number;
  }

  boolean forced() {
    return forced;
  }

  /** How many keys the filter did not have yet, of those read. */
  long fresh() {
    return fresh;
  }

  /** Changes as long as the build gets on: the source gives keys, or there is a reason to wait. */
  long progress() {
    return read + beats;
  }

  /** Says that there is a reason to wait, and ends the build if it was abandoned. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // Only this thread writes it.
  void beat() {
    beats++;
    checkWanted();
  }

  /** Asks the build to end without a result. */
  void abandon(String reason) {
    abandoned = reason;
    Thread running = thread;
    if (running != null) {
      running.interrupt();
    }
  }

  /** Ends the build if it was abandoned, or its thread interrupted by somebody else. */
  void checkWanted() {
    String reason = abandoned;
    if (reason == null && Thread.currentThread().isInterrupted()) {
      reason = "its thread was interrupted";
    }
    if (reason != null) {
      throw new RejectedExecutionException("the build was given up: " + reason);
    }
  }

  /** The source gave more keys than the new generation has room for. */
  static final class OutgrownException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final long keys;

    OutgrownException(long capacity, long keys) {
      super(
          String.format(
              Locale.ROOT,
              "the source outgrew the filter: room for %,d keys, %,d read",
              capacity,
              keys));
      this.keys = keys;
    }

    /** How many there were. */
    long keys() {
      return keys;
    }
  }

  /** The source gave too few keys. */
  static final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String reason;

    RefusedException(String reason) {
      super(reason);
      this.reason = reason;
    }

    String reason() {
      return reason;
    }
  }

  @Override
  public void run() {
    thread = Thread.currentThread();
    Generation built = null;
    Throwable failure = null;
    try {
      FlightRecord.BuildRecord record = FlightRecord.beginBuild(options.name(), number);
      try {
        built = owner.generations().build(this);
      } catch (Throwable e) { // A source in Kotlin may throw any.
        failure = e;
      }
      boolean unused = Thread.interrupted(); // Listeners and callbacks come next.
      record.end(built, failure);
    } catch (RuntimeException | Error e) {
      failure = built == null && failure == null ? e : failure;
      Uncaught.report(e);
    } finally {
      owner.finished(this, built, failure);
    }
  }

  /** Reads all keys into the filter; once it is full, only counts them. */
  long scan(GenerationFilter<K> live) throws Exception {
    read = 0;
    fresh = 0;
    known = 0;
    batched = 0;
    try (Stream<? extends K> stream = options.source().open()) {
      stream.sequential().forEach(key -> take(live, key));
    }
    flush(live);
    checkWanted();
    return read;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // Only this thread writes it.
  private void take(GenerationFilter<K> live, K key) {
    long hash = options.keys().hash(key, options.seed());
    long place = read < SAMPLE ? read : random.nextLong(read + 1);
    if (place < SAMPLE) {
      if (live.filter.hashOf(key) != hash) {
        throw new IllegalStateException(OTHER_HASHES);
      }
      live.proven = true;
      sample[(int) place] = hash;
    }
    if (read < SAMPLE) {
      recognize(key);
    }
    read++;
    batch[batched] = hash;
    batched++;
    if (batched == BATCH) {
      flush(live);
      checkWanted();
    }
  }

  /**
   * If nearly all of the first keys are those of an earlier life, the source is the same as then,
   * and no query that went wrong. That is known within a moment, while a build may take minutes.
   */
  private void recognize(K key) {
    known += owner.generations().knew(key) ? 1 : 0;
    if (read == SAMPLE - 1 && known >= RECOGNIZED) {
      owner.recognized();
    }
  }

  private void flush(GenerationFilter<K> live) {
    if (fresh <= live.capacity) {
      fresh += live.filter.putHashes(batch, batched);
    }
    batched = 0;
  }

  /**
   * Checks that the source can be believed, and that the filter holds what was put into it.
   *
   * @param last how many keys the source gave the last time
   */
  void verify(GenerationFilter<K> live, long count, long last) {
    if (atLeast >= 0) {
      if (count < atLeast) {
        throw new RefusedException(
            String.format(
                Locale.ROOT, "the source gave %,d keys, and %,d were asked for", count, atLeast));
      }
    } else if (count == 0 && !options.allowEmpty()) {
      throw new RefusedException(
          "the source gave no key, so that every key would be \"not here\"; if it may really be"
              + " empty, say allowEmpty(), or rebuildNow(0) once");
    } else if (count < options.floor() * last) {
      throw new RefusedException(
          String.format(
              Locale.ROOT,
              "the source gave %,d keys, fewer than %s of the last %,d; if that is right, call"
                  + " rebuildNow(%d) once",
              count,
              options.floor(),
              last,
              count));
    }
    for (int i = 0; i < Math.min(count, SAMPLE); i++) {
      if (!live.filter.mightContainHash(sample[i])) {
        throw new IllegalStateException("the new filter lacks a key that was just put into it");
      }
    }
  }
}
