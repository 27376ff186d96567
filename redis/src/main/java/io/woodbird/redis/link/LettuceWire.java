package io.woodbird.redis.link;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.woodbird.redis.link.RedisError.Kind;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Lettuce: one connection that all threads share, and others for puts that must wait. */
public final class LettuceWire implements Wire {
  /*
   * Three things that a shared connection needs.
   *
   * A server that is silent. Commands without a reply stay in Lettuce's memory, also when nobody
   * waits for them any more. So after a time-out nothing more is sent to that node but one small
   * question; until it is answered, calls fail at once.
   *
   * WAIT. A server carries out nothing behind it on the same connection until it is over. So what
   * ends with WAIT or WAITAOF has a connection of its own for that time, one of at most MOST_LANES.
   *
   * A break. Lettuce keeps what was not answered, and sends it again on a new connection. What follows
   * commands is about their own connection: on another it says nothing. So all replies count as lost
   * as soon as the connection breaks, nothing is sent over one that is down, and the call may be
   * repeated.
   */
  private static final int MOST_LANES = 16;

  /** A connection that broke comes back within that time, if the server is there. */
  private static final long RECONNECT_NANOS = 200_000_000;

  private static final long LOOK_NANOS = 20_000_000;

  private static final Command PROBE = Command.keyless(Command.Name.INFO, "replication");

  private static final RedisError SILENT = new RedisError(Kind.TIMEOUT, "the server is silent");

  private static final Map<Command.Name, ProtocolKeyword> NAMES = new EnumMap<>(Command.Name.class);

  static {
    for (Command.Name name : Command.Name.values()) {
      NAMES.put(name, new Keyword(name.name(), name.bytes()));
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Keyword(String text, byte[] bytes) implements ProtocolKeyword {
    @Override
    public byte[] getBytes() {
      return bytes;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  private final AbstractRedisClient client;
  private final Supplier<StatefulConnection<byte[], byte[]>> connect;
  private final StatefulConnection<byte[], byte[]> shared;
  private final Semaphore lanes = new Semaphore(MOST_LANES);
  private final Deque<StatefulConnection<byte[], byte[]>> idle = new ArrayDeque<>();
  private final Set<String> silent = ConcurrentHashMap.newKeySet();

  /** How often each connection of this link has ended or begun. */
  private final Map<Object, AtomicLong> breaks = new ConcurrentHashMap<>();

  /** The same of all connections of the client: those to the nodes of a cluster can't be told. */
  private final AtomicLong allBreaks = new AtomicLong();

  private final RedisConnectionStateListener listener =
      new RedisConnectionStateListener() {
        @Override
        public void onRedisConnected(RedisChannelHandler<?, ?> which, SocketAddress address) {
          count(which);
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> which) {
          count(which);
        }
      };

  private volatile boolean closed;

  private LettuceWire(
      AbstractRedisClient client, Supplier<StatefulConnection<byte[], byte[]>> connect) {
    this.client = client;
    this.connect = connect;
    this.shared = open();
    client.addListener(listener);
  }

  private StatefulConnection<byte[], byte[]> open() {
    StatefulConnection<byte[], byte[]> connection = connect.get();
    breaks.put(connection, new AtomicLong());
    return connection;
  }

  private void count(Object connection) {
    allBreaks.incrementAndGet();
    AtomicLong own = breaks.get(connection);
    if (own != null) {
      own.incrementAndGet();
    }
  }

  private long breaksOf(Object connection) {
    AtomicLong own = breaks.get(connection);
    return own == null || cluster() ? allBreaks.get() : own.get();
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
  public List<String> nodes() {
    List<String> nodes = new ArrayList<>();
    if (shared instanceof StatefulRedisClusterConnection<byte[], byte[]> all) {
      for (RedisClusterNode node : all.getPartitions()) {
        if (node.getRole().isUpstream()) {
          nodes.add(address(node));
        }
      }
    }
    return nodes;
  }

  private static String address(RedisClusterNode node) {
    return node.getUri().getHost() + ":" + node.getUri().getPort();
  }

  @Override
  public String nodeOf(int slot, long end) {
    RedisClusterNode node =
        shared instanceof StatefulRedisClusterConnection<byte[], byte[]> all
            ? all.getPartitions().getPartitionBySlot(slot)
            : null;
    return node == null ? "unknown" : address(node);
  }

  @Override
  public void relearn(long end) {
    if (client instanceof RedisClusterClient all) {
      try {
        all.refreshPartitionsAsync()
            .toCompletableFuture()
            .get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
      } catch (ExecutionException | TimeoutException | RuntimeException e) {
        // No node answers now; the next attempt says so.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
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
      Sent sent = new Sent(connection, commands);
      return () -> answers(sent, node, end);
    } catch (RuntimeException | TimeoutException e) {
      return () -> all(commands, errorOf(e));
    }
  }

  private static boolean waits(List<Command> commands) {
    return commands.stream()
        .anyMatch(c -> c.name == Command.Name.WAIT || c.name == Command.Name.WAITAOF);
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
      Sent sent = new Sent(connection, commands);
      return CompletableFuture.allOf(sent.commands.toArray(CompletableFuture<?>[]::new))
          .orTimeout(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS)
          .handle((done, failed) -> answers(sent, node, end));
    } catch (RuntimeException e) {
      return CompletableFuture.completedFuture(all(commands, errorOf(e)));
    }
  }

  /** The replies; commands that have none are given up at the end. */
  private List<@Nullable Object> answers(Sent sent, String node, long end) {
    List<@Nullable Object> replies = sent.await(end);
    if (sent.timedOut) {
      probe(node, sent.connection);
    }
    return replies;
  }

  /** Sends commands over a connection that nobody else uses until they are answered. */
  private Supplier<List<@Nullable Object>> startAlone(
      String node, List<Command> commands, long end) {
    StatefulConnection<byte[], byte[]> lane;
    Sent sent;
    try {
      lane = lane(end);
    } catch (RuntimeException | TimeoutException e) {
      return () -> all(commands, errorOf(e));
    }
    try {
      sent = new Sent(connection(lane, node, end), commands);
    } catch (RuntimeException | TimeoutException e) {
      giveBack(lane, false);
      return () -> all(commands, errorOf(e));
    }
    return () -> {
      List<@Nullable Object> replies = sent.await(end);
      giveBack(lane, !sent.timedOut);
      return replies;
    };
  }

  private StatefulConnection<byte[], byte[]> lane(long end) throws TimeoutException {
    try {
      if (!lanes.tryAcquire(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS)) {
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
        CompletableFuture.supplyAsync(this::open, task -> daemon(task).start());
    try {
      return get(made, end);
    } catch (TimeoutException | RuntimeException e) {
      CompletableFuture<Void> unused =
          made.handle(
              (late, failed) -> {
                if (late != null) {
                  end(late);
                }
                lanes.release();
                return null;
              });
      throw e;
    }
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "woodbird-redis-connect");
    thread.setDaemon(true);
    return thread;
  }

  private void giveBack(StatefulConnection<byte[], byte[]> lane, boolean good) {
    boolean keep = good && !closed;
    if (keep) {
      synchronized (idle) {
        idle.push(lane);
      }
    } else {
      end(lane);
    }
    lanes.release();
  }

  private void end(StatefulConnection<byte[], byte[]> connection) {
    breaks.remove(connection);
    CompletableFuture<Void> unused = connection.closeAsync();
  }

  private static StatefulConnection<byte[], byte[]> connection(
      StatefulConnection<byte[], byte[]> of, String node, long end) throws TimeoutException {
    return get(connecting(of, node), end);
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

  private static <T> T get(CompletableFuture<? extends T> future, long end)
      throws TimeoutException {
    try {
      return future.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new CompletionException(e.getCause() == null ? e : e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TimeoutException("interrupted");
    }
  }

  /** Calls a node silent until it has answered all that it was sent. */
  private void probe(String node, StatefulConnection<byte[], byte[]> connection) {
    if (silent.add(node)) {
      try {
        CompletableFuture<@Nullable Object> unused =
            new Sent(connection, List.of(PROBE))
                .commands
                .get(0)
                .whenComplete((reply, failed) -> silent.remove(node));
      } catch (RuntimeException e) {
        silent.remove(node); // The client was shut down.
      }
    }
  }

  private static List<@Nullable Object> all(List<Command> commands, RedisError error) {
    return Collections.nCopies(commands.size(), error);
  }

  /** Commands on their way. */
  private final class Sent {
    final List<AsyncCommand<byte[], byte[], @Nullable Object>> commands;
    private final StatefulConnection<byte[], byte[]> connection;
    private final long breaksBefore;
    boolean timedOut;

    Sent(StatefulConnection<byte[], byte[]> connection, List<Command> all) {
      this.connection = connection;
      long end = System.nanoTime() + (cluster() ? 0 : RECONNECT_NANOS);
      while (!connection.isOpen()) {
        if (System.nanoTime() - end >= 0) {
          throw new IllegalStateException("there is no connection");
        }
        LockSupport.parkNanos(this, LOOK_NANOS / 4);
      }
      breaksBefore = breaksOf(connection);
      commands = new ArrayList<>(all.size());
      for (Command command : all) {
        CommandArgs<byte[], byte[]> arguments = new CommandArgs<>(ByteArrayCodec.INSTANCE);
        for (int i = 0; i < command.arguments.length; i++) {
          if (i == command.keyAt) {
            arguments.addKey(command.arguments[i]);
          } else {
            arguments.add(command.arguments[i]);
          }
        }
        commands.add(
            new AsyncCommand<>(
                new io.lettuce.core.protocol.Command<>(
                    NAMES.get(command.name), new LettuceReply(), arguments)));
      }
      connection.dispatch(commands);
    }

    List<@Nullable Object> await(long end) {
      List<@Nullable Object> replies = new ArrayList<>(commands.size());
      for (AsyncCommand<byte[], byte[], @Nullable Object> command : commands) {
        replies.add(reply(command, end));
      }
      return broke() && !timedOut
          ? Collections.nCopies(
              replies.size(), new RedisError(Kind.UNREACHABLE, "the connection broke"))
          : replies;
    }

    private boolean broke() {
      return breaksOf(connection) != breaksBefore;
    }

    private @Nullable Object reply(
        AsyncCommand<byte[], byte[], @Nullable Object> command, long end) {
      while (true) {
        try {
          long left = Math.max(0, end - System.nanoTime());
          command.get(Math.min(left, LOOK_NANOS), TimeUnit.NANOSECONDS);
          return command.getOutput().get();
        } catch (ExecutionException e) {
          return errorOf(e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
          timedOut = System.nanoTime() - end >= 0;
          if (timedOut || broke()) {
            command.cancel(true);
            return errorOf(e);
          }
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          command.cancel(true);
          return new RedisError(Kind.TIMEOUT, "interrupted");
        } catch (RuntimeException e) {
          return errorOf(e);
        }
      }
    }
  }

  private static RedisError errorOf(Throwable e) {
    if (e instanceof TimeoutException
        || e instanceof io.lettuce.core.RedisCommandTimeoutException) {
      return new RedisError(Kind.TIMEOUT, "no reply within the deadline: " + e.getMessage());
    }
    if (e instanceof io.lettuce.core.RedisCommandExecutionException) {
      return RedisError.refused("" + e.getMessage());
    }
    return new RedisError(Kind.UNREACHABLE, "" + e);
  }

  @Override
  public void close() {
    closed = true;
    client.removeListener(listener);
    synchronized (idle) {
      idle.forEach(this::end);
      idle.clear();
    }
    shared.close();
  }
}
