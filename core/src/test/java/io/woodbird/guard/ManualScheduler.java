package io.woodbird.guard;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Time that stands still until it is wound, and real threads for the builds. */
final class ManualScheduler implements Scheduler {
  private record Entry(long due, Runnable task) {}

  private final List<Entry> entries = new ArrayList<>();
  private final List<Thread> started = new ArrayList<>();
  private long nanos = Long.MAX_VALUE - 5_000; // Soon to wrap around, as nanoTime may.
  private Instant now = Instant.parse("2026-03-29T00:59:59Z");
  private boolean closed;

  @Override
  public synchronized long nanoTime() {
    return nanos;
  }

  @Override
  public synchronized Instant now() {
    return now;
  }

  synchronized void setWall(Instant value) {
    now = value;
  }

  /** Somebody else winds the clock meanwhile. */
  @Override
  public void sleep(long delay) throws InterruptedException {
    Thread.sleep(1);
  }

  @Override
  public synchronized Ticket after(long delay, Runnable task) {
    if (closed) {
      throw new IllegalStateException("scheduled after close");
    }
    Entry entry = new Entry(nanos + delay, task);
    entries.add(entry);
    return () -> {
      synchronized (this) {
        entries.remove(entry);
      }
    };
  }

  @Override
  public Thread start(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    synchronized (this) {
      started.add(thread);
    }
    thread.start();
    return thread;
  }

  @Override
  public synchronized void close() {
    closed = true;
    entries.clear();
  }

  synchronized int waiting() {
    return entries.size();
  }

  synchronized int builds() {
    return started.size();
  }

  synchronized Thread build(int number) {
    return started.get(number - 1);
  }

  /** Lets time pass, and runs what becomes due, in order. */
  void pass(java.time.Duration duration) {
    long end;
    synchronized (this) {
      end = nanos + duration.toNanos();
    }
    for (Entry due = next(end); due != null; due = next(end)) {
      due.task.run();
    }
    synchronized (this) {
      nanos = end;
    }
  }

  private synchronized Entry next(long end) {
    Entry due =
        entries.stream()
            .filter(entry -> entry.due - end <= 0)
            .min(Comparator.comparingLong(entry -> entry.due - end))
            .orElse(null);
    if (due != null) {
      entries.remove(due);
      nanos = due.due;
    }
    return due;
  }
}
