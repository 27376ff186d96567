package io.woodbird.cli.say;

import java.util.concurrent.CancellationException;

/** Ctrl-C: the working thread is asked to end, and gets the time to leave nothing half done. */
public final class Stop {
  /*
   * Most verbs are interrupted like any Java thread: what is half written is removed on the way out.
   * A durable filter must not be interrupted, as that closes its journal; it looks at requested() after
   * each batch instead.
   */
  private static final long PATIENCE_MILLIS = 5000;

  private static volatile boolean requested;
  private static volatile boolean gentle;

  private Stop() {}

  /** Asks a thread to end and waits for it; runs in a shutdown hook. */
  public static void request(Thread worker) {
    requested = true;
    if (!gentle) {
      worker.interrupt();
    }
    try {
      worker.join(gentle ? PATIENCE_MILLIS / 5 : PATIENCE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
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
