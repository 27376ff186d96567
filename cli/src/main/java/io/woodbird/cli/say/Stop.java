package io.woodbird.cli.say;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** Handles Ctrl-C: asks the working thread to stop, and gives it time to clean up. */
public final class Stop {
  /*
   * Most verbs are interrupted like any Java thread, and delete half-written files before they end. An
   * interrupt would close the journal of a durable filter, so 'new' checks requested() after each batch
   * instead. In both cases stdin is closed, because a read of it can't be interrupted.
   */
  private static final long PATIENCE_MILLIS = 5000;

  private static volatile boolean requested;
  private static volatile boolean gentle;
  private static volatile @Nullable Closeable input;

  private Stop() {}

  /** Asks a thread to end and waits for it; runs in a shutdown hook. */
  public static void request(Thread worker) {
    requested = true;
    if (!gentle) {
      worker.interrupt();
    }
    closeInput();
    try {
      worker.join(PATIENCE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void closeInput() {
    Closeable open = input;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        return; // The worker still has the rest of the waiting time.
      }
    }
  }

  /** Names the input that may be waited for. */
  public static void closes(Closeable stdin) {
    input = stdin;
  }

  /** Promises to look at {@link #requested()}, so that no interrupt is needed. */
  public static void willLook() {
    gentle = true;
  }

  /** Whether the work should end. */
  public static boolean requested() {
    return requested;
  }

  /** Ends the work if it should. */
  public static void check() {
    if (requested) {
      throw new CancellationException("interrupted");
    }
  }
}
