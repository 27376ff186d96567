package io.woodbird.guard;

import java.time.Instant;

/** A scheduler whose builds run in the thread that asks for them. Time stands still. */
public final class BuildByHand implements Scheduler {
  private Runnable build = () -> {};

  /**
   * Gives it to a filter.
   *
   * @param builder the filter
   */
  public <K> RebuildingFilter<K> build(RebuildingFilterBuilder<K> builder) {
    return builder.scheduler(this).build();
  }

  /**
   * Builds a generation.
   *
   * @param filter the filter
   */
  public void rebuild(RebuildingFilter<?> filter) {
    var done = filter.rebuildNow();
    build.run();
    done.join();
  }

  @Override
  public long nanoTime() {
    return 0;
  }

  @Override
  public Instant now() {
    return Instant.EPOCH;
  }

  @Override
  public void sleep(long nanos) {}

  @Override
  public Ticket after(long nanos, Runnable task) {
    return () -> {};
  }

  @Override
  public Thread start(String name, Runnable task) {
    build = task;
    return Thread.currentThread();
  }

  @Override
  public void close() {}
}
