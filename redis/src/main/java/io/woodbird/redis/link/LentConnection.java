package io.woodbird.redis.link;

import java.io.IOException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/** A connection of a pool that is cut if a call does not end in time. */
final class LentConnection {
  /*
   * One task of the timer watches it. A task for each call would have to wake the timer's thread, so
   * the task of an earlier call stays, unless it comes too late for this one: it looks whether a
   * call is at its deadline, and comes again. If there was no call since it came last, the
   * connection is idle.
   */
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  final String node;
  final Connection connection;
  private final Pool<Connection> pool;
  private final ScheduledExecutorService timer;
  private final Consumer<LentConnection> whenIdle;

  private @Nullable ScheduledFuture<?> tick;
  private long tickAt;
  private long end;
  private boolean busy;
  private boolean called; // since the last tick
  private volatile boolean cut;

  /**
   * Takes a connection.
   *
   * @param whenIdle is called if there was no call for a while; one may begin at the same time
   */
  LentConnection(
      String node,
      Connection connection,
      Pool<Connection> pool,
      ScheduledExecutorService timer,
      Consumer<LentConnection> whenIdle) {
    this.node = node;
    this.connection = connection;
    this.pool = pool;
    this.timer = timer;
    this.whenIdle = whenIdle;
  }

  /** Begins a call, and returns what to send it over. */
  synchronized Connection begin(long end) {
    this.end = end;
    busy = true;
    called = true;
    tickUntil(end);
    return connection;
  }

  /** Ends a call; returns false if the connection was cut. */
  synchronized boolean end() {
    busy = false;
    return !cut;
  }

  boolean isCut() {
    return cut;
  }

  /** Lets the connection wait for the next call. */
  synchronized void waitForCalls() {
    tickUntil(System.nanoTime() + TICK_NANOS);
  }

  /** Whether it comes from this pool, which still lends. */
  boolean isOf(Pool<Connection> lending) {
    return pool == lending && !pool.isClosed();
  }

  /** Whether no more than half of what the pool may lend is lent, and nobody waits for more. */
  boolean isSpare() {
    int most = pool.getMaxTotal();
    return (most < 0 || 2 * pool.getNumActive() <= most) && pool.getNumWaiters() == 0;
  }

  /** Gives it back to its pool, which may take long. */
  void giveBack() {
    synchronized (this) {
      if (tick != null) {
        tick.cancel(false);
      }
    }
    giveBack(connection);
  }

  static void giveBack(Connection connection) {
    try {
      connection.close();
    } catch (JedisException e) {
      // The pool replaces a broken connection at once, and fails if it can't. The next call will
      // say.
    }
  }

  /** Lets the next tick come at a time, or before. */
  private synchronized void tickUntil(long at) {
    if (tick != null && tickAt - at <= 0) {
      return;
    }
    if (tick != null) {
      tick.cancel(false);
    }
    tickAt = at;
    long nanos = Math.max(0, at - System.nanoTime());
    tick = timer.schedule(this::tick, nanos, TimeUnit.NANOSECONDS);
  }

  private void tick() {
    synchronized (this) {
      tick = null;
      long now = System.nanoTime();
      if (busy && now - end >= 0) {
        cut = true;
      } else if (busy || called) {
        called = false;
        long next = now + TICK_NANOS;
        tickUntil(busy && next - end > 0 ? end : next);
        return;
      }
    }
    if (!cut) {
      whenIdle.accept(this);
      return;
    }
    try {
      connection.forceDisconnect();
    } catch (IOException e) {
      // It is gone, which is what was wanted.
    }
  }
}
