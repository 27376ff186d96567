package io.woodbird.redis;

import io.woodbird.redis.RedisError.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.exceptions.JedisException;

/** A way to a cluster through Jedis: commands are grouped by node and follow slots that move. */
final class JedisClusterLink extends JedisLink {
  private static final Command ASKING = Command.keyless(Command.Name.ASKING);

  private final RedisClusterClient client;
  private final AtomicReferenceArray<@Nullable String> nodes =
      new AtomicReferenceArray<>(Slots.COUNT);

  JedisClusterLink(RedisClusterClient client, Duration timeout) {
    super(timeout);
    this.client = client;
  }

  @Override
  public Replies run(List<Command> commands, List<Command> after) {
    @Nullable Object[] replies = new @Nullable Object[commands.size()];
    List<List<@Nullable Object>> followed =
        new ArrayList<>(Collections.nCopies(after.isEmpty() ? 0 : commands.size(), List.of()));
    List<Integer> left = new ArrayList<>(commands.size());
    for (int i = 0; i < commands.size(); i++) {
      left.add(i);
    }
    long end = System.nanoTime() + deadlines.nanos();
    for (int attempt = 0; ; attempt++) {
      round(commands, left, replies, after, followed);
      left.removeIf(i -> !(replies[i] instanceof RedisError error && worthAnotherTry(error)));
      if (left.isEmpty() || System.nanoTime() - end > 0 || attempt == 100) {
        return new Replies(Arrays.asList(replies), followed);
      }
      followAsk(commands, left, replies, after, followed);
      forget();
      pause(attempt);
    }
  }

  private static boolean worthAnotherTry(RedisError error) {
    return error.redirects() || error.kind() == Kind.UNREACHABLE;
  }

  private void round(
      List<Command> commands,
      List<Integer> which,
      @Nullable Object[] replies,
      List<Command> after,
      List<List<@Nullable Object>> followed) {
    Map<String, List<Integer>> groups = new LinkedHashMap<>();
    for (int i : which) {
      groups.computeIfAbsent(nodeOf(commands.get(i).key()), node -> new ArrayList<>()).add(i);
    }
    List<CompletableFuture<Void>> running = new ArrayList<>();
    int group = 0;
    for (Map.Entry<String, List<Integer>> entry : groups.entrySet()) {
      Runnable task =
          () -> ask(entry.getKey(), commands, entry.getValue(), replies, after, followed);
      if (++group == groups.size()) {
        task.run();
      } else {
        running.add(CompletableFuture.runAsync(task, helpers));
      }
    }
    running.forEach(CompletableFuture::join);
  }

  private void ask(
      String node,
      List<Command> commands,
      List<Integer> which,
      @Nullable Object[] replies,
      List<Command> after,
      List<List<@Nullable Object>> followed) {
    List<Command> mine = new ArrayList<>(which.size() + after.size());
    for (int i : which) {
      mine.add(commands.get(i));
    }
    mine.addAll(after);
    List<@Nullable Object> got = exchange(new NodeSource(node), mine);
    for (int i = 0; i < which.size(); i++) {
      replies[which.get(i)] = got.get(i);
      if (!after.isEmpty()) {
        followed.set(which.get(i), got.subList(which.size(), got.size()));
      }
    }
  }

  /** Answers redirections of the kind "this once, ask there". */
  private void followAsk(
      List<Command> commands,
      List<Integer> left,
      @Nullable Object[] replies,
      List<Command> after,
      List<List<@Nullable Object>> followed) {
    left.removeIf(
        i -> {
          RedisError error = (RedisError) replies[i];
          if (error == null || !error.starts("ASK ")) {
            return false;
          }
          String node = error.message().substring(error.message().lastIndexOf(' ') + 1);
          List<Command> there = new ArrayList<>(List.of(ASKING, commands.get(i)));
          there.addAll(after);
          List<@Nullable Object> got = exchange(new NodeSource(node), there);
          replies[i] = got.get(1);
          if (!after.isEmpty()) {
            followed.set(i, got.subList(2, got.size()));
          }
          return !(got.get(1) instanceof RedisError);
        });
  }

  /** The connections to one node. */
  private final class NodeSource implements Source {
    private final String node;

    NodeSource(String node) {
      this.node = node;
    }

    @Override
    public Connection get() {
      ConnectionPool pool = client.getClusterNodes().get(node);
      if (pool == null) {
        throw new JedisException("no node " + node + " in the cluster, as far as is known");
      }
      return pool.getResource();
    }

    @Override
    public boolean ready() {
      ConnectionPool pool = client.getClusterNodes().get(node);
      return pool == null || pool.getNumIdle() > 0;
    }
  }

  private void forget() {
    for (int slot = 0; slot < Slots.COUNT; slot++) {
      nodes.set(slot, null);
    }
    try {
      client.refreshClusterTopology();
    } catch (RuntimeException e) {
      // No node answers now; the next attempt says so.
    }
  }

  private static void pause(int attempt) {
    try {
      Thread.sleep(Math.min(100, 5L << Math.min(attempt, 5)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public String nodeOf(byte[] key) {
    int slot = Slots.of(key);
    String node = nodes.get(slot);
    if (node == null) {
      try (Connection connection = client.getConnectionFromSlot(slot)) {
        node = connection.getHostAndPort().toString();
        nodes.set(slot, node);
      } catch (RuntimeException e) {
        return "unknown";
      }
    }
    return node;
  }

  @Override
  public @Nullable Object at(byte[] key, Command command) {
    Object reply = null;
    for (int attempt = 0; attempt < 3; attempt++) {
      String node = nodeOf(key);
      reply = exchange(new NodeSource(node), List.of(command)).get(0);
      if (!(reply instanceof RedisError error) || !worthAnotherTry(error)) {
        return reply;
      }
      forget();
    }
    return reply;
  }

  @Override
  public List<@Nullable Object> everywhere(Command command) {
    List<@Nullable Object> replies = new ArrayList<>();
    for (String node : client.getClusterNodes().keySet()) {
      List<@Nullable Object> got =
          exchange(new NodeSource(node), List.of(Command.keyless(Command.Name.ROLE), command));
      boolean master =
          got.get(0) instanceof List<?> role
              && role.get(0) instanceof byte[] name
              && Command.text(name).equals("master");
      if (master) {
        replies.add(got.get(1));
      }
    }
    return replies;
  }

  @Override
  public boolean cluster() {
    return true;
  }
}
