package io.woodbird.postgres;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Lets the owner of a filter fill it from the table, until that has succeeded once. */
final class Refill {
  private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LAST_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Supplier<? extends CompletionStage<?>> fill;
  private volatile boolean done;
  private volatile boolean running;
  private volatile @Nullable Throwable failure;
  private volatile long againNanos = System.nanoTime();
  private long pauseNanos = FIRST_PAUSE_NANOS;

  Refill(Supplier<? extends CompletionStage<?>> fill, boolean done) {
    this.fill = fill;
    this.done = done;
  }

  boolean isDone() {
    return done;
  }

  /** Whether it should begin. */
  boolean isDue() {
    return !done && !running && System.nanoTime() - againNanos >= 0;
  }

  /** Begins it. Called by one thread. */
  void begin() {
    running = true;
    againNanos = System.nanoTime() + pauseNanos;
    pauseNanos = Math.min(2 * pauseNanos, LAST_PAUSE_NANOS);
    try {
      fill.get().whenComplete((result, error) -> end(error));
    } catch (RuntimeException e) {
      end(e);
    }
  }

  private void end(@Nullable Throwable error) {
    failure = error;
    done = error == null;
    running = false;
  }

  void requireDone() {
    if (!done) {
      Throwable reason = failure;
      throw new IllegalStateException(
          running
              ? "the filter is being filled from the table"
              : reason != null
                  ? "the filter could not be filled from the table: " + reason
                  : "transactions that ran when the slot was made have not ended yet");
    }
  }
}
