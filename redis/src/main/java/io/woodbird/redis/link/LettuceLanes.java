package io.woodbird.redis.link;

import io.lettuce.core.api.StatefulConnection;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
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
   *
   * Each node has lanes of its own: a call to several takes one for each, and would wait for itself
   * if they were too few. Calls take them in one order of the nodes, so that no two wait for each
   * other.
   */
  private static final int MOST_LANES = 16;

  /** What is kept for nodes that are called no more is a bounded waste. */
  private static final int MOST_IDLE = 256;

  private record Lane(String node, StatefulConnection<byte[], byte[]> connection) {}

  private final Supplier<StatefulConnection<byte[], byte[]>> connect;
  private final Map<String, Semaphore> free = new ConcurrentHashMap<>();
  private final Deque<Lane> idle = new ArrayDeque<>();
  private boolean closed; // Guarded by idle, as a connection that comes back later is ended.

  LettuceLanes(Supplier<StatefulConnection<byte[], byte[]>> connect) {
    this.connect = connect;
  }

  private Semaphore free(String node) {
    return free.computeIfAbsent(node, first -> new Semaphore(MOST_LANES));
  }

  /** Takes a connection, or makes one; it must be {@linkplain #giveBack given back}. */
  StatefulConnection<byte[], byte[]> take(String node, long end) throws TimeoutException {
    try {
      if (!free(node).tryAcquire(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS)) {
        throw new TimeoutException("too many puts wait to be confirmed");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TimeoutException("interrupted");
    }
    synchronized (idle) {
      for (Lane lane : idle) {
        if (lane.node.equals(node)) {
          idle.remove(lane);
          return lane.connection;
        }
      }
    }
    CompletableFuture<StatefulConnection<byte[], byte[]>> made =
        CompletableFuture.supplyAsync(
            connect, task -> SystemTime.daemon(task, "woodbird-redis-connect").start());
    try {
      return connected(made, end);
    } catch (TimeoutException | RuntimeException e) {
      CompletableFuture<Void> unused =
          made.handle(
              (late, failed) -> {
                if (late != null) {
                  end(new Lane(node, late));
                }
                free(node).release();
                return null;
              });
      throw e;
    }
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
  void giveBack(String node, StatefulConnection<byte[], byte[]> connection, boolean allAnswered) {
    Lane left = new Lane(node, connection);
    synchronized (idle) {
      if (allAnswered && !closed) {
        idle.push(left);
        left = idle.size() > MOST_IDLE ? idle.removeLast() : null;
      }
    }
    if (left != null) {
      end(left);
    }
    free(node).release();
  }

  private static void end(Lane lane) {
    CompletableFuture<Void> unused = lane.connection.closeAsync();
  }

  @Override
  public void close() {
    synchronized (idle) {
      closed = true;
      idle.forEach(LettuceLanes::end);
      idle.clear();
    }
  }
}
