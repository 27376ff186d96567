package io.woodbird.redis.link;

import io.woodbird.redis.link.RedisError.Kind;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.KeyValue;
import redis.clients.jedis.util.Pool;

/** Jedis 8: connections of the client's own pools. */
public final class JedisWire implements Wire {
  /*
   * Commands go straight to a connection of the client's pool, written one after another and then
   * read one after another. Jedis' own Pipeline makes three more objects per command, and hides the
   * connection, which is needed to send WAIT after the writes and to cut it at the deadline: a
   * socket's time-out starts again with each byte, so a server that sends a byte now and then keeps a
   * reader for ever.
   *
   * A pool makes connections in the thread that borrows, and takes as long as the server likes,
   * also when some are idle: another may take them, or the pool is testing them. So another thread
   * borrows, and the caller waits for it until its deadline; the number of such threads is bounded,
   * for each node by itself. A connection that comes too late goes back to the pool. As that other
   * thread costs a single question a quarter of its time, one connection of each node is kept from
   * call to call, and given back when there was no call for 50 to 100 ms.
   *
   * A connection that was cut makes a new socket when it is to send again, without a password and to
   * database 0. So the words of a command refuse to be sent after the deadline.
   */
  private static final int MOST_WAITING = 64;

  /** What a server says in a transaction: it has done nothing. No value that is read is that. */
  private static final byte[] QUEUED = Command.bytes("QUEUED");

  private final @Nullable RedisClusterClient cluster;
  private final Function<String, Pool<Connection>> pools;
  private final Map<String, Semaphore> waiting = new ConcurrentHashMap<>();

  /** A connection that waits for the next call to a node; who takes it out has it alone. */
  final Map<String, LentConnection> kept = new ConcurrentHashMap<>();

  private volatile boolean closed;

  /** Cuts connections at their deadlines. Its thread ends when there are none. */
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(
          1, task -> SystemTime.daemon(task, "woodbird-redis-deadline"));

  /** Threads for what may take long, or must go on at the same time. */
  private final ExecutorService helpers =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          task -> SystemTime.daemon(task, "woodbird-redis"),
          // After the end a connection must be given back, and a call still has its deadline.
          (task, pool) -> SystemTime.daemon(task, "woodbird-redis").start());

  JedisWire(@Nullable RedisClusterClient cluster, Function<String, Pool<Connection>> pools) {
    this.cluster = cluster;
    this.pools = pools;
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(10, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
  }

  public static Wire of(AutoCloseable client) {
    if (client instanceof RedisClusterClient cluster) {
      new Connection().getHostAndPort(); // Jedis 7 hides it: that must not show in the first call.
      return new JedisWire(cluster, node -> poolOf(cluster, node));
    }
    if (client instanceof RedisClient single) {
      return new JedisWire(null, node -> single.getPool());
    }
    if (client instanceof RedisSentinelClient sentinel) {
      return new JedisWire(
          null, node -> sentinel.getPrimaryNodesConnectionMap().values().iterator().next());
    }
    throw new IllegalArgumentException(
        "client must be a RedisClient, RedisSentinelClient or RedisClusterClient of Jedis: "
            + client.getClass().getName());
  }

  private static Pool<Connection> poolOf(RedisClusterClient cluster, String node) {
    ConnectionPool pool = cluster.getClusterNodes().get(node);
    if (pool == null) {
      throw new JedisException("no node " + node + " in the cluster, as far as is known");
    }
    return pool;
  }

  @Override
  public boolean cluster() {
    return cluster != null;
  }

  @Override
  public String nodeOf(int slot, long end) {
    RedisClusterClient all = Objects.requireNonNull(cluster);
    try {
      return within(
          Link.UNKNOWN,
          end,
          () -> {
            try (Connection connection = all.getConnectionFromSlot(slot)) {
              return connection.getHostAndPort().toString();
            }
          },
          node -> {});
    } catch (RuntimeException | TimeoutException e) {
      return Link.UNKNOWN;
    }
  }

  @Override
  public void relearn(long end) {
    RedisClusterClient all = Objects.requireNonNull(cluster);
    try {
      within(
          Link.UNKNOWN,
          end,
          () -> {
            all.refreshClusterTopology();
            return true;
          },
          done -> {});
    } catch (RuntimeException | TimeoutException e) {
      // No node answers now; the next attempt says so.
    }
  }

  @Override
  public Supplier<List<@Nullable Object>> start(String node, List<Command> commands, long end) {
    return CompletableFuture.supplyAsync(() -> exchange(node, commands, end), helpers)::join;
  }

  @Override
  public List<@Nullable Object> exchange(String node, List<Command> commands, long end) {
    List<@Nullable Object> replies = new ArrayList<>(commands.size());
    RedisError error = exchange(node, commands, end, replies);
    while (replies.size() < commands.size()) {
      replies.add(error);
    }
    return replies;
  }

  private @Nullable RedisError exchange(
      String node, List<Command> commands, long end, List<@Nullable Object> replies) {
    LentConnection lent;
    try {
      lent = take(node, end);
    } catch (RuntimeException e) {
      return errorOf(e, false);
    } catch (TimeoutException e) {
      return new RedisError(Kind.TIMEOUT, "no connection within the deadline");
    }
    boolean whole = false;
    try {
      Connection connection = lent.begin(end);
      JedisWords words = new JedisWords(lent::isCut);
      for (Command command : commands) {
        connection.sendCommand(words.of(command));
      }
      for (Object reply : connection.getMany(commands.size())) {
        if (reply instanceof byte[] word && Arrays.equals(word, QUEUED)) {
          throw new IllegalStateException("a connection of the pool was left in a transaction");
        }
        replies.add(plain(reply));
      }
      whole = true;
      return null;
    } catch (RuntimeException e) {
      return errorOf(e, lent.isCut());
    } catch (OutOfMemoryError e) { // The length of a damaged reply may be any number.
      return new RedisError(Kind.UNREACHABLE, "a reply is too large: " + e.getMessage());
    } finally {
      finish(lent, whole);
    }
  }

  private void finish(LentConnection lent, boolean whole) {
    // Whatever stopped it, an Error too: the next caller would read the rest of these replies.
    if (!lent.end() || !whole) {
      lent.connection.setBroken();
    }
    if (lent.connection.isBroken()) {
      helpers.execute(lent::giveBack); // The pool makes another one at once.
    } else if (!keep(lent)) {
      lent.giveBack();
    }
  }

  private LentConnection take(String node, long end) throws TimeoutException {
    if (closed) {
      throw new JedisException("closed");
    }
    Pool<Connection> pool = pools.apply(node);
    LentConnection last = kept.remove(node);
    if (last != null) {
      if (last.isOf(pool)) {
        return last;
      }
      helpers.execute(last::giveBack); // Sentinel or the cluster named another server.
    }
    Connection connection = within(node, end, () -> borrowNow(pool, end), LentConnection::giveBack);
    return new LentConnection(node, connection, pool, timer, this::release);
  }

  /** Keeps a connection for the next call, if none is kept and the pool has others to lend. */
  private boolean keep(LentConnection lent) {
    if (!lent.isSpare() || kept.putIfAbsent(lent.node, lent) != null) {
      return false;
    }
    lent.waitForCalls(); // Behind it: what is idle before it is kept would never be given back.
    if (closed) {
      release(lent);
    }
    return true;
  }

  private void release(LentConnection idle) {
    if (kept.remove(idle.node, idle)) {
      helpers.execute(idle::giveBack);
    }
  }

  private static Connection borrowNow(Pool<Connection> pool, long end) {
    try {
      Duration left = Duration.ofNanos(Math.max(1_000_000, end - System.nanoTime()));
      Connection connection = pool.borrowObject(left);
      if (pool instanceof ConnectionPool owner) {
        connection.setHandlingPool(owner);
      }
      return connection;
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new JedisException("no connection", e);
    }
  }

  /** Does something in another thread; what comes after the end is thrown away. */
  private <T> T within(String node, long end, Callable<T> task, Consumer<T> away)
      throws TimeoutException {
    Semaphore waits = waiting.computeIfAbsent(node, first -> new Semaphore(MOST_WAITING));
    try {
      if (!waits.tryAcquire(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS)) {
        throw new TimeoutException("too many calls wait for a connection");
      }
      CompletableFuture<T> made = new CompletableFuture<>();
      try {
        helpers.execute(
            () -> {
              try {
                made.complete(task.call());
              } catch (Throwable e) {
                made.completeExceptionally(e);
              } finally {
                waits.release();
              }
            });
      } catch (RuntimeException | Error e) { // No thread could be made: nothing has begun.
        waits.release();
        throw e;
      }
      try {
        return made.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
      } catch (TimeoutException | InterruptedException e) {
        CompletableFuture<Void> unused = made.thenAccept(away);
        throw e;
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof JedisException cause ? cause : new JedisException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TimeoutException("interrupted");
    }
  }

  /** A reply as {@link Link} has it: under RESP3 Jedis makes pairs of maps. */
  private static @Nullable Object plain(@Nullable Object reply) {
    if (reply instanceof JedisDataException e) {
      return RedisError.refused("" + e.getMessage());
    }
    if (reply instanceof Boolean yes) {
      return yes ? 1L : 0L;
    }
    if (!(reply instanceof List<?> list) || list.isEmpty() || list.get(0) instanceof Long) {
      return reply; // The numbers of a BITFIELD are left as they are.
    }
    List<@Nullable Object> flat = new ArrayList<>(list.size());
    for (Object part : list) {
      if (part instanceof KeyValue<?, ?> pair) {
        flat.add(plain(pair.getKey()));
        flat.add(plain(pair.getValue()));
      } else {
        flat.add(plain(part));
      }
    }
    return flat;
  }

  private static RedisError errorOf(RuntimeException e, boolean late) {
    boolean timeout = late;
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      timeout |=
          cause instanceof SocketTimeoutException
              || cause instanceof java.util.NoSuchElementException; // The pool's word for it.
    }
    if (e instanceof JedisDataException) {
      return RedisError.refused("" + e.getMessage());
    }
    return new RedisError(
        timeout ? Kind.TIMEOUT : Kind.UNREACHABLE,
        e instanceof JedisException ? "" + e.getMessage() : e.toString());
  }

  @Override
  public void close() {
    closed = true; // The deadlines of the calls that run stay.
    kept.values().forEach(this::release);
    helpers.shutdown();
  }
}
