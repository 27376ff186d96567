package io.woodbird.redis.link;

/**
 * The clock, waiting, background work and random numbers of this library: all that a simulation
 * must replace, beside {@link Link}, to run clients in one thread under virtual time.
 *
 * <p>The links to Jedis and Lettuce have deadlines of their own and do not use it.
 */
public interface Time {
  /** The clock of this machine, and threads. */
  Time SYSTEM = new SystemTime();

  /** Nanoseconds of a clock that never jumps. */
  long nanoTime();

  /**
   * Milliseconds of a clock that may be set, but goes on while this machine is suspended, as the
   * other one may not.
   */
  long wallMillis();

  /** Lets so much time pass. */
  void pause(long nanos) throws InterruptedException;

  /** A random number that nobody can guess. */
  long random();

  /**
   * Runs a step in the background, again and again, one at a time.
   *
   * @param name of the thread
   * @param firstNanos how long to wait before the first run
   */
  Task repeat(String name, long firstNanos, Step step);

  /** A step of background work. */
  interface Step {
    /** Works; returns the nanoseconds until the next run, or a negative number to end. */
    long run();
  }

  /** Background work that goes on. */
  interface Task {
    /** Lets no further step begin; one that runs is interrupted, and not waited for. */
    void stop();
  }
}
