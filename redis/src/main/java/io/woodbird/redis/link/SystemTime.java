package io.woodbird.redis.link;

import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The clock of this machine, and a daemon thread for each task. */
public final class SystemTime implements Time {
  private final SecureRandom random = new SecureRandom();

  @Override
  public long nanoTime() {
    return System.nanoTime();
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
    Loop loop = new Loop(firstNanos, step);
    Thread thread = new Thread(loop, name);
    thread.setDaemon(true);
    loop.thread = thread;
    thread.start();
    return loop;
  }

  private static final class Loop implements Runnable, Task {
    private final Step step;
    private volatile Thread thread = Thread.currentThread();
    private volatile boolean stopped;
    private volatile boolean woken;
    private long pauseNanos;

    Loop(long firstNanos, Step step) {
      this.pauseNanos = firstNanos;
      this.step = step;
    }

    @Override
    public void run() {
      while (!stopped && pauseNanos >= 0) {
        long end = System.nanoTime() + pauseNanos;
        for (long left = pauseNanos; left > 0 && !woken; left = end - System.nanoTime()) {
          LockSupport.parkNanos(this, left);
        }
        woken = false;
        if (!stopped) {
          pauseNanos = step.run();
        }
      }
    }

    @Override
    public void wake() {
      woken = true;
      LockSupport.unpark(thread);
    }

    @Override
    public void stop() {
      stopped = true;
      wake();
    }
  }
}
