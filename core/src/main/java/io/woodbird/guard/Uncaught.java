package io.woodbird.guard;

/** Tells of an exception that the application's own code threw, so that it stops nothing else. */
final class Uncaught {
  private Uncaught() {}

  /** Hands it to the thread's handler of uncaught exceptions. */
  static void report(Throwable e) {
    Thread thread = Thread.currentThread();
    try {
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
    } catch (RuntimeException | Error ignored) {
      // The handler is the application's own too, and nobody is left to be told.
    }
  }

  /** What an exception says, or its name if it fails to say anything. */
  static String textOf(Throwable e) {
    try {
      return e.toString();
    } catch (RuntimeException | Error unspeakable) {
      return e.getClass().getName();
    }
  }
}
