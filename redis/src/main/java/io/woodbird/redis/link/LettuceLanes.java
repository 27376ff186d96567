package io.woodbird.redis.link;

import io.lettuce.core.api.StatefulConnection;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** A pool of connections for puts that wait for replicas or a disk. */
final class LettuceLanes implements AutoCloseable {
  /*
   * A server carries out nothing behind WAIT or WAITAOF on the same connection until it is over. So
   * what ends with one of them takes a connection out of this pool for that time.
   */
  private static final int MOST_LANES = 16;

  private final Supplier<StatefulConnection<byte[], byte[]>> connect;
  private final LettuceBreaks breaks;
  private final Semaphore free = new Semaphore(MOST_LANES);
  private final Deque<StatefulConnection<byte[], byte[]>> idle = new ArrayDeque<>();
  private boolean closed; // Guarded by idle, as a connection that comes back later is ended.

  LettuceLanes(Supplier<StatefulConnection<byte[], byte[]>> connect, LettuceBreaks breaks) {
    this.connect = connect;
    this.breaks = breaks;
  }

  /** Takes a connection, or makes one; it must be {@linkplain #giveBack given back}. */
  StatefulConnection<byte[], byte[]> take(long end) throws TimeoutException {
    try {
      if (!free.tryAcquire(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS)) {
        throw new TimeoutException("too many puts wait to be confirmed");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TimeoutException("interrupted");
    }
    StatefulConnection<byte[], byte[]> lane;
    synchronized (idle) {
      lane = idle.poll();
    }
    if (lane != null) {
      return lane;
    }
    CompletableFuture<StatefulConnection<byte[], byte[]>> made =
        CompletableFuture.supplyAsync(
            this::open, task -> SystemTime.daemon(task, "woodbird-redis-connect").start());
    try {
      return connected(made, end);
    } catch (TimeoutException | RuntimeException e) {
      CompletableFuture<Void> unused =
          made.handle(
              (late, failed) -> {
                if (late != null) {
                  end(late);
                }
                free.release();
                return null;
              });
      throw e;
    }
  }

  private StatefulConnection<byte[], byte[]> open() {
    StatefulConnection<byte[], byte[]> connection = connect.get();
    breaks.watch(connection);
    return connection;
  }

  /** Waits for a connection that is being made. */
  static StatefulConnection<byte[], byte[]> connected(
      CompletableFuture<? extends StatefulConnection<byte[], byte[]>> made, long end)
      throws TimeoutException {
    try {
      return made.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new CompletionException(e.getCause() == null ? e : e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TimeoutException("interrupted");
    }
  }

  /** Gives a connection back; one on which replies may still arrive is closed. */
  void giveBack(StatefulConnection<byte[], byte[]> lane, boolean allAnswered) {
    boolean kept;
    synchronized (idle) {
      kept = allAnswered && !closed;
      if (kept) {
        idle.push(lane);
      }
    }
    if (!kept) {
      end(lane);
    }
    free.release();
  }

  private void end(StatefulConnection<byte[], byte[]> connection) {
    breaks.forget(connection);
    CompletableFuture<Void> unused = connection.closeAsync();
  }

  @Override
  public void close() {
    synchronized (idle) {
      closed = true;
      idle.forEach(this::end);
      idle.clear();
    }
  }
}
