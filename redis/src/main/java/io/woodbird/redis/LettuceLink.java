package io.woodbird.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.woodbird.redis.RedisError.Kind;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A way to Redis through Lettuce: one connection that all threads share, or one per node. */
final class LettuceLink implements Link {
  private static final Map<Command.Name, ProtocolKeyword> NAMES = new EnumMap<>(Command.Name.class);

  static {
    for (Command.Name name : Command.Name.values()) {
      NAMES.put(name, new Keyword(name));
    }
  }

  private static final class Keyword implements ProtocolKeyword {
    private final String text;
    private final byte[] bytes;

    Keyword(Command.Name command) {
      text = command.name();
      bytes = command.bytes();
    }

    @Override
    public byte[] getBytes() {
      return bytes;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  private static final long REFRESH_NANOS = 200_000_000;
  private static final int PROOF_ATTEMPTS = 3;

  private final StatefulConnection<byte[], byte[]> connection;
  private final @Nullable StatefulRedisClusterConnection<byte[], byte[]> clusterConnection;
  private final @Nullable RedisClusterClient clusterClient;
  private final long timeoutNanos;
  private final AbstractRedisClient client;
  private final RedisConnectionStateListener listener;

  private volatile boolean closed;

  /** How many connections have ended or begun. */
  private final AtomicLong breaks = new AtomicLong();

  private final AtomicLong nextRefresh = new AtomicLong(System.nanoTime());

  private LettuceLink(
      AbstractRedisClient client,
      StatefulConnection<byte[], byte[]> connection,
      @Nullable StatefulRedisClusterConnection<byte[], byte[]> clusterConnection,
      @Nullable RedisClusterClient clusterClient,
      Duration timeout) {
    this.connection = connection;
    this.clusterConnection = clusterConnection;
    this.clusterClient = clusterClient;
    this.timeoutNanos = timeout.toNanos();
    this.client = client;
    this.listener =
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
    client.addListener(listener);
  }

  private void count(RedisChannelHandler<?, ?> which) {
    if (which == connection || clusterConnection != null) {
      breaks.incrementAndGet();
    }
  }

  static Link of(AutoCloseable client, Duration timeout) {
    if (client instanceof RedisClient single) {
      return new LettuceLink(single, single.connect(ByteArrayCodec.INSTANCE), null, null, timeout);
    }
    if (client instanceof RedisClusterClient cluster) {
      StatefulRedisClusterConnection<byte[], byte[]> connection =
          cluster.connect(ByteArrayCodec.INSTANCE);
      return new LettuceLink(cluster, connection, connection, cluster, timeout);
    }
    throw new IllegalArgumentException(
        "client must be a RedisClient or a RedisClusterClient of Lettuce: "
            + client.getClass().getName());
  }

  @Override
  public Replies run(List<Command> commands, List<Command> after) {
    try {
      return send(commands, after);
    } catch (RuntimeException e) { // The client was shut down.
      List<@Nullable Object> no = Collections.nCopies(after.size(), errorOf(e));
      int count = commands.size();
      return new Replies(
          Collections.nCopies(count, errorOf(e)),
          after.isEmpty() ? List.of() : Collections.nCopies(count, no));
    }
  }

  private Replies send(List<Command> commands, List<Command> after) {
    long end = System.nanoTime() + timeoutNanos;
    if (after.isEmpty()) {
      List<@Nullable Object> replies = await(send(connection, commands), end);
      followFailover(replies);
      return new Replies(replies, List.of());
    }
    // Lettuce sends what was not answered again on a new connection. What follows commands is about
    // their own connection: on another it says nothing, so all is sent again.
    for (int attempt = 0; attempt < PROOF_ATTEMPTS; attempt++) {
      long before = breaks.get();
      Replies replies =
          clusterConnection != null
              ? followed(clusterConnection, commands, after, end)
              : followed(commands, after, end);
      if (breaks.get() == before) {
        return replies;
      }
    }
    RedisError broke = new RedisError(Kind.UNREACHABLE, "the connection broke again and again");
    List<@Nullable Object> no = Collections.nCopies(after.size(), broke);
    int count = commands.size();
    return new Replies(Collections.nCopies(count, broke), Collections.nCopies(count, no));
  }

  private Replies followed(List<Command> commands, List<Command> after, long end) {
    List<@Nullable Object> replies = await(send(connection, joined(commands, after)), end);
    int count = commands.size();
    return new Replies(
        replies.subList(0, count),
        Collections.nCopies(count, replies.subList(count, replies.size())));
  }

  private static List<Command> joined(List<Command> commands, List<Command> after) {
    List<Command> all = new ArrayList<>(commands);
    all.addAll(after);
    return all;
  }

  /** Runs commands node by node, so that the rest follows them on the same connection. */
  private Replies followed(
      StatefulRedisClusterConnection<byte[], byte[]> cluster,
      List<Command> commands,
      List<Command> after,
      long end) {
    Map<String, List<Integer>> groups = new LinkedHashMap<>();
    for (int i = 0; i < commands.size(); i++) {
      groups.computeIfAbsent(nodeOf(commands.get(i).key()), node -> new ArrayList<>()).add(i);
    }
    @Nullable Object[] replies = new @Nullable Object[commands.size()];
    List<List<@Nullable Object>> followed =
        new ArrayList<>(Collections.nCopies(commands.size(), List.of()));
    Map<List<Integer>, List<AsyncCommand<byte[], byte[], @Nullable Object>>> sent =
        new LinkedHashMap<>();
    for (Map.Entry<String, List<Integer>> group : groups.entrySet()) {
      List<Command> mine = new ArrayList<>();
      group.getValue().forEach(i -> mine.add(commands.get(i)));
      try {
        sent.put(
            group.getValue(), send(cluster.getConnection(group.getKey()), joined(mine, after)));
      } catch (RuntimeException e) {
        RedisError error = new RedisError(Kind.UNREACHABLE, e.toString());
        group.getValue().forEach(i -> replies[i] = error);
        group.getValue().forEach(i -> followed.set(i, Collections.nCopies(after.size(), error)));
      }
    }
    sent.forEach(
        (which, running) -> {
          List<@Nullable Object> got = await(running, end);
          for (int i = 0; i < which.size(); i++) {
            replies[which.get(i)] = got.get(i);
            followed.set(which.get(i), got.subList(which.size(), got.size()));
          }
        });
    followFailover(Arrays.asList(replies));
    return new Replies(Arrays.asList(replies), followed);
  }

  /**
   * Looks for the masters anew when one does not answer; Lettuce does so by itself only if told.
   */
  private void followFailover(List<@Nullable Object> replies) {
    if (clusterClient == null) {
      return;
    }
    for (Object reply : replies) {
      if (reply instanceof RedisError error
          && (error.redirects() || error.kind() != Kind.REFUSED)) {
        long now = System.nanoTime();
        long due = nextRefresh.get();
        if (now - due >= 0 && nextRefresh.compareAndSet(due, now + REFRESH_NANOS)) {
          clusterClient.refreshPartitionsAsync();
        }
        return;
      }
    }
  }

  private static List<AsyncCommand<byte[], byte[], @Nullable Object>> send(
      StatefulConnection<byte[], byte[]> connection, List<Command> commands) {
    List<AsyncCommand<byte[], byte[], @Nullable Object>> sent = new ArrayList<>(commands.size());
    for (Command command : commands) {
      CommandArgs<byte[], byte[]> arguments = new CommandArgs<>(ByteArrayCodec.INSTANCE);
      for (int i = 0; i < command.arguments.length; i++) {
        if (i == command.keyAt) {
          arguments.addKey(command.arguments[i]);
        } else {
          arguments.add(command.arguments[i]);
        }
      }
      sent.add(
          new AsyncCommand<>(
              new io.lettuce.core.protocol.Command<>(
                  NAMES.get(command.name), new AnyReply(), arguments)));
    }
    connection.dispatch(sent);
    return sent;
  }

  private static List<@Nullable Object> await(
      List<AsyncCommand<byte[], byte[], @Nullable Object>> sent, long end) {
    List<@Nullable Object> replies = new ArrayList<>(sent.size());
    for (AsyncCommand<byte[], byte[], @Nullable Object> command : sent) {
      try {
        long left = Math.max(0, end - System.nanoTime());
        command.get(left, TimeUnit.NANOSECONDS);
        replies.add(command.getOutput().get());
      } catch (ExecutionException e) {
        replies.add(errorOf(e.getCause() == null ? e : e.getCause()));
      } catch (TimeoutException e) {
        command.cancel(true);
        replies.add(new RedisError(Kind.TIMEOUT, "no reply within the deadline"));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        command.cancel(true);
        replies.add(new RedisError(Kind.TIMEOUT, "interrupted"));
      } catch (RuntimeException e) {
        replies.add(errorOf(e));
      }
    }
    return replies;
  }

  private static RedisError errorOf(Throwable e) {
    if (e instanceof io.lettuce.core.RedisCommandTimeoutException) {
      return new RedisError(Kind.TIMEOUT, "" + e.getMessage());
    }
    if (e instanceof io.lettuce.core.RedisCommandExecutionException) {
      return RedisError.refused("" + e.getMessage());
    }
    return new RedisError(Kind.UNREACHABLE, "" + e);
  }

  @Override
  public @Nullable Object at(byte[] key, Command command) {
    long end = System.nanoTime() + timeoutNanos;
    try {
      StatefulConnection<byte[], byte[]> node =
          clusterConnection == null ? connection : clusterConnection.getConnection(nodeOf(key));
      return await(send(node, List.of(command)), end).get(0);
    } catch (RuntimeException e) {
      return errorOf(e);
    }
  }

  @Override
  public List<@Nullable Object> everywhere(Command command) {
    if (clusterConnection == null) {
      return run(List.of(command));
    }
    List<@Nullable Object> replies = new ArrayList<>();
    for (RedisClusterNode node : clusterConnection.getPartitions()) {
      if (node.getRole().isUpstream()) {
        long end = System.nanoTime() + timeoutNanos;
        try {
          replies.add(
              await(send(clusterConnection.getConnection(node.getNodeId()), List.of(command)), end)
                  .get(0));
        } catch (RuntimeException e) {
          replies.add(errorOf(e));
        }
      }
    }
    return replies;
  }

  @Override
  public String nodeOf(byte[] key) {
    if (clusterConnection == null) {
      return "the server";
    }
    RedisClusterNode node = clusterConnection.getPartitions().getPartitionBySlot(Slots.of(key));
    return node == null ? "unknown" : node.getNodeId();
  }

  @Override
  public boolean cluster() {
    return clusterConnection != null;
  }

  @Override
  public boolean closed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
    client.removeListener(listener);
    connection.close();
  }

  /** Takes a reply of any kind. */
  private static final class AnyReply extends CommandOutput<byte[], byte[], @Nullable Object> {
    private final Deque<Open> open = new ArrayDeque<>();

    private record Open(List<@Nullable Object> list, int count) {}

    AnyReply() {
      super(ByteArrayCodec.INSTANCE, null);
    }

    private void take(@Nullable Object value) {
      if (open.isEmpty()) {
        output = value;
      } else {
        open.peek().list().add(value);
      }
    }

    @Override
    public void set(ByteBuffer bytes) {
      byte[] copy = null;
      if (bytes != null) {
        copy = new byte[bytes.remaining()];
        bytes.get(copy);
      }
      take(copy);
    }

    @Override
    public void set(long integer) {
      take(integer);
    }

    @Override
    public void set(double number) {
      take(Command.bytes(Double.toString(number)));
    }

    @Override
    public void set(boolean value) {
      take(value ? 1L : 0L);
    }

    @Override
    public void multi(int count) {
      List<@Nullable Object> list = new ArrayList<>(Math.max(count, 0));
      take(list);
      if (count > 0) {
        open.push(new Open(list, count));
      }
    }

    @Override
    public void complete(int depth) {
      while (!open.isEmpty()
          && open.peek().list().size() == open.peek().count()
          && open.size() > depth) {
        open.pop();
      }
    }
  }
}
