package io.woodbird.filter.quotient;

import org.jspecify.annotations.Nullable;

/** Runs a task where the stack has little room left. */
final class DeepStack {
  private static final long STACK_BYTES = 1 << 18;

  private DeepStack() {}

  /**
   * Runs a task in a thread of its own, so many frames of a small method before its stack ends.
   *
   * @return what the task threw, or null
   */
  static @Nullable Throwable run(int frames, Runnable task) throws InterruptedException {
    Throwable[] thrown = {null};
    Thread thread = new Thread(null, () -> dive(frames, task, thrown), "deep", STACK_BYTES);
    thread.start();
    thread.join();
    return thrown[0];
  }

  /** Returns how many frames were above this one when the stack ended. */
  private static int dive(int frames, Runnable task, @Nullable Throwable[] thrown) {
    int above;
    try {
      above = dive(frames, task, thrown) + 1;
    } catch (StackOverflowError e) {
      above = 0;
    }
    if (above == frames) {
      try {
        task.run();
      } catch (Throwable e) {
        thrown[0] = e;
      }
    }
    return above;
  }
}
