package io.woodbird.postgres;

import java.util.concurrent.TimeUnit;

/** For how long a server has sent nothing to somebody who waits. Used by one thread. */
final class Silence {
  static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(2);

  private long position;
  private long begun;

  Silence(long now) {
    this.begun = now;
  }

  /**
   * Something came, or nobody waits. The position stands still while a transaction is read, however
   * large it is, so what comes counts too.
   */
  void end(long now) {
    begun = now;
  }

  /** Whether the server should be given up, as neither messages nor new positions come. */
  boolean isTooLong(long reached, long now) {
    if (reached != position) {
      position = reached;
      begun = now;
    }
    return now - begun > MOST_NANOS;
  }
}
