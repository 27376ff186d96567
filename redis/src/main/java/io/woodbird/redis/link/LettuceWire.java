package io.woodbird.redis.link;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.woodbird.redis.link.RedisError.Kind;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Lettuce: one connection that all threads share, and others for puts that must wait. */
public final class LettuceWire implements Wire {
  /*
   * A server that is silent: commands without a reply stay in Lettuce's memory, also when nobody
   * waits for them any more. So after a time-out nothing more is sent to that node but one small
   * question; until it is answered, calls fail at once.
   */
  private static final Command PROBE = Command.keyless(Command.Name.INFO, "replication");

  private static final RedisError SILENT = new RedisError(Kind.TIMEOUT, "the server is silent");

  /** A connection that broke comes back within that time, if the server is there. */
  private static final long RECONNECT_NANOS = 200_000_000;

  /** A refresh connects to each node: callers that find the same node gone share one. */
  private static final long REFRESH_NANOS = 1_000_000_000;

  private record Refresh(CompletableFuture<Boolean> done, long begun) {}

  private final AbstractRedisClient client;
  private final LettuceBreaks breaks;
  private final LettuceLanes lanes;
  private final StatefulConnection<byte[], byte[]> shared;
  private final Set<String> silent = ConcurrentHashMap.newKeySet();
  private final AtomicReference<Refresh> refresh =
      new AtomicReference<>(new Refresh(CompletableFuture.completedFuture(true), 0));

  private LettuceWire(
      AbstractRedisClient client, Supplier<StatefulConnection<byte[], byte[]>> connect) {
    this.client = client;
    this.shared = connect.get();
    this.breaks = new LettuceBreaks(client);
    this.lanes = new LettuceLanes(connect);
  }

  public static Wire of(AutoCloseable client) {
    if (client instanceof RedisClient single) {
      return new LettuceWire(single, () -> single.connect(ByteArrayCodec.INSTANCE));
    }
    if (client instanceof RedisClusterClient cluster) {
      return new LettuceWire(cluster, () -> cluster.connect(ByteArrayCodec.INSTANCE));
    }
    throw new IllegalArgumentException(
        "client must be a RedisClient or a RedisClusterClient of Lettuce: "
            + client.getClass().getName());
  }

  @Override
  public boolean cluster() {
    return shared instanceof StatefulRedisClusterConnection;
  }

  @Override
  public String nodeOf(int slot, long end) {
    RedisClusterNode node =
        shared instanceof StatefulRedisClusterConnection<byte[], byte[]> all
            ? all.getPartitions().getPartitionBySlot(slot)
            : null;
    return node == null ? Link.UNKNOWN : node.getUri().getHost() + ":" + node.getUri().getPort();
  }

  @Override
  public void relearn(long end) {
    if (client instanceof RedisClusterClient all) {
      try {
        refreshed(all).get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
      } catch (ExecutionException | TimeoutException | RuntimeException e) {
        // No node answers now; the next attempt says so.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The refresh that runs, or a new one if none does or if it takes long: a node may be dead. */
  private CompletableFuture<Boolean> refreshed(RedisClusterClient all) {
    Refresh next = new Refresh(new CompletableFuture<>(), System.nanoTime());
    Refresh now =
        refresh.updateAndGet(
            last -> last.done.isDone() || next.begun - last.begun > REFRESH_NANOS ? next : last);
    if (now.equals(next)) {
      CompletableFuture<Boolean> unused =
          CompletableFuture.completedFuture(all)
              .thenCompose(RedisClusterClient::refreshPartitionsAsync)
              .handle((done, failed) -> next.done.complete(true));
    }
    return now.done;
  }

  @Override
  public List<@Nullable Object> exchange(String node, List<Command> commands, long end) {
    return start(node, commands, end).get();
  }

  @Override
  public Supplier<List<@Nullable Object>> start(String node, List<Command> commands, long end) {
    if (waits(commands)) {
      return startAlone(node, commands, end);
    }
    if (silent.contains(node)) {
      return () -> all(commands, SILENT);
    }
    try {
      StatefulConnection<byte[], byte[]> connection = connection(shared, node, end);
      LettuceSent sent = send(connection, commands);
      return () -> answers(sent, connection, node, end);
    } catch (RuntimeException | TimeoutException e) {
      return () -> all(commands, LettuceSent.errorOf(e));
    }
  }

  /** Whether one of the last two waits for replicas or a disk: see Confirmation. */
  private static boolean waits(List<Command> commands) {
    return commands.subList(Math.max(0, commands.size() - 2), commands.size()).stream()
        .anyMatch(c -> c.name == Command.Name.WAIT || c.name == Command.Name.WAITAOF);
  }

  @Override
  public boolean begins() {
    return true;
  }

  /** Only over a connection that is there: another may have to be waited for. */
  @Override
  public @Nullable CompletableFuture<List<@Nullable Object>> begin(
      String node, List<Command> commands, long end) {
    if (waits(commands)) {
      return null;
    }
    if (silent.contains(node)) {
      return CompletableFuture.completedFuture(all(commands, SILENT));
    }
    try {
      CompletableFuture<? extends StatefulConnection<byte[], byte[]>> made =
          connecting(shared, node);
      if (!made.isDone() || !made.join().isOpen()) {
        return null;
      }
      StatefulConnection<byte[], byte[]> connection = made.join();
      LettuceSent sent = sendNow(connection, commands);
      return sent.all()
          .orTimeout(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS)
          .handle((done, failed) -> answers(sent, connection, node, end));
    } catch (RuntimeException e) {
      return CompletableFuture.completedFuture(all(commands, LettuceSent.errorOf(e)));
    }
  }

  /** Over a cluster the caller looks for another node instead of waiting for this one. */
  private LettuceSent send(StatefulConnection<byte[], byte[]> connection, List<Command> commands) {
    return new LettuceSent(connection, commands, breaks, cluster() ? 0 : RECONNECT_NANOS);
  }

  /**
   * Waits for no connection: the caller may be the one thread of the JDK that ends all futures
   * whose time is over.
   */
  private LettuceSent sendNow(
      StatefulConnection<byte[], byte[]> connection, List<Command> commands) {
    return new LettuceSent(connection, commands, breaks, 0);
  }

  private List<@Nullable Object> answers(
      LettuceSent sent, StatefulConnection<byte[], byte[]> connection, String node, long end) {
    List<@Nullable Object> replies = sent.await(end);
    if (sent.timedOut()) {
      probe(node, connection);
    }
    return replies;
  }

  /** Sends commands over a connection that nobody else uses until they are answered. */
  private Supplier<List<@Nullable Object>> startAlone(
      String node, List<Command> commands, long end) {
    StatefulConnection<byte[], byte[]> lane;
    LettuceSent sent;
    try {
      lane = lanes.take(node, end);
    } catch (RuntimeException | TimeoutException e) {
      return () -> all(commands, LettuceSent.errorOf(e));
    }
    try {
      sent = send(connection(lane, node, end), commands);
    } catch (RuntimeException | TimeoutException e) {
      lanes.giveBack(node, lane, false);
      return () -> all(commands, LettuceSent.errorOf(e));
    }
    return () -> {
      List<@Nullable Object> replies = sent.await(end);
      lanes.giveBack(node, lane, !sent.isOpen());
      return replies;
    };
  }

  private static StatefulConnection<byte[], byte[]> connection(
      StatefulConnection<byte[], byte[]> of, String node, long end) throws TimeoutException {
    return LettuceLanes.connected(connecting(of, node), end);
  }

  private static CompletableFuture<? extends StatefulConnection<byte[], byte[]>> connecting(
      StatefulConnection<byte[], byte[]> of, String node) {
    if (!(of instanceof StatefulRedisClusterConnection<byte[], byte[]> all)) {
      return CompletableFuture.completedFuture(of);
    }
    int colon = node.lastIndexOf(':');
    if (colon < 0) {
      throw new IllegalStateException("no node is known for the slot");
    }
    return all.getConnectionAsync(
        node.substring(0, colon), Integer.parseInt(node.substring(colon + 1)));
  }

  /** Calls a node silent until it has answered all that it was sent. */
  private void probe(String node, StatefulConnection<byte[], byte[]> connection) {
    if (silent.add(node)) {
      ask(node, connection);
    }
  }

  private void ask(String node, StatefulConnection<byte[], byte[]> connection) {
    try {
      CompletableFuture<Void> unused =
          sendNow(connection, List.of(PROBE))
              .all()
              .whenComplete(
                  (reply, failed) -> {
                    if (failed != null && LettuceSent.isTimeOut(failed.getCause())) {
                      ask(node, connection); // Lettuce gave the question up; it is silent still.
                    } else {
                      silent.remove(node);
                    }
                  });
    } catch (RuntimeException e) {
      silent.remove(node); // There is no connection: the next call will find that out.
    }
  }

  private static List<@Nullable Object> all(List<Command> commands, RedisError error) {
    return Collections.nCopies(commands.size(), error);
  }

  @Override
  public void close() {
    breaks.close();
    lanes.close();
    shared.close();
  }
}
