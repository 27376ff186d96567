package io.woodbird.guard;

/** What becomes of an exception of the application's own code, which must not stop anything. */
final class Uncaught {
  private Uncaught() {}

  /** Hands it to whoever reads of exceptions that nobody caught. */
  static void report(Throwable e) {
    Thread thread = Thread.currentThread();
    try {
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
    } catch (RuntimeException | Error ignored) {
      // The handler is the application's own too, and nobody is left to be told.
    }
  }
}
