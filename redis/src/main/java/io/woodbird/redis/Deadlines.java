package io.woodbird.redis;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Ends what takes too long. */
final class Deadlines implements AutoCloseable {
  /*
   * A socket's time-out starts anew with each byte, so a server that drips keeps a reader for ever.
   * One thread cuts the connection when the time of the whole call is over.
   */
  private final ScheduledThreadPoolExecutor timer;
  private final long nanos;

  Deadlines(Duration timeout) {
    nanos = timeout.toNanos();
    timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "woodbird-redis-deadline");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
  }

  long nanos() {
    return nanos;
  }

  /** Runs {@code cut} when the time is over, unless the result is cancelled before. */
  ScheduledFuture<?> start(Runnable cut) {
    return timer.schedule(cut, nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
