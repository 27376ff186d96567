package io.woodbird.filter.window;

import java.util.concurrent.atomic.AtomicLong;

/** How many blocks were cleared for one generation. Each put clears a few. */
final class Sweep {
  /*
   * A thread claims blocks, clears them, and counts them as done. If an Error stops it in between, its
   * blocks are never counted, and the window would never turn again. So the thread sets a flag, and the
   * thread that turns the window then clears all blocks itself.
   */
  private final long blocks;
  private final AtomicLong claimed;
  private final AtomicLong done;

  /** Whether an Error stopped a thread before it had cleared what it had claimed. */
  volatile boolean brokenOff;

  private Sweep(long blocks, long cleared) {
    this.blocks = blocks;
    this.claimed = new AtomicLong(cleared);
    this.done = new AtomicLong(cleared);
  }

  /** A sweep of {@code blocks} blocks, none of which is cleared yet. */
  static Sweep of(long blocks) {
    return new Sweep(blocks, 0);
  }

  /** A sweep of {@code blocks} blocks, all of which are cleared. */
  static Sweep finished(long blocks) {
    return new Sweep(blocks, blocks);
  }

  /** A new sweep of as many blocks, for the next generation. */
  Sweep next() {
    return of(blocks);
  }

  boolean isClaimed() {
    return claimed.get() >= blocks;
  }

  /** Returns the first of {@code count} blocks that the caller now must clear. */
  long claim(int count) {
    return claimed.getAndAdd(count);
  }

  void done(long count) {
    done.addAndGet(count);
  }

  boolean isDone() {
    return done.get() == blocks;
  }
}
