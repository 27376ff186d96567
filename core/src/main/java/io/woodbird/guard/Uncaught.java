package io.woodbird.guard;

/** What becomes of an exception of the application's own listener, which must not stop anything. */
final class Uncaught {
  private Uncaught() {}

  /** Hands it to whoever reads of exceptions that nobody caught. */
  static void report(RuntimeException e) {
    Thread thread = Thread.currentThread();
    thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
  }
}
