package io.woodbird.redis.link;

import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;

/** The clock of this machine, and a daemon thread for each task. */
public final class SystemTime implements Time {
  private final SecureRandom random = new SecureRandom();

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public long wallMillis() {
    return System.currentTimeMillis();
  }

  @Override
  public void pause(long nanos) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(nanos);
  }

  @Override
  public long random() {
    return random.nextLong();
  }

  @Override
  public Task repeat(String name, long firstNanos, Step step) {
    Thread thread =
        daemon(
            () -> {
              try {
                for (long pause = firstNanos; pause >= 0; pause = step.run()) {
                  TimeUnit.NANOSECONDS.sleep(pause);
                }
              } catch (InterruptedException e) {
                // Stopped.
              }
            },
            name);
    thread.start();
    return thread::interrupt;
  }

  /** A thread that keeps no process alive. */
  static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }
}
