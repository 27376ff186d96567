package io.woodbird.redis;

import io.woodbird.redis.RedisError.Kind;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.args.Rawable;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.KeyValue;

/** A way to Redis through Jedis 8. */
abstract class JedisLink implements Link {
  /*
   * Commands go straight to a connection of the client's pool, written one after another and then
   * read one after another. Jedis' own Pipeline makes three more objects per command, and hides the
   * connection, which is needed to send WAIT after the writes and to cut it at the deadline.
   */
  private static final Map<Command.Name, byte[]> NAMES = new EnumMap<>(Command.Name.class);

  static {
    for (Command.Name name : Command.Name.values()) {
      NAMES.put(name, name.bytes());
    }
  }

  /**
   * The words of one command after another, as Jedis takes them. It writes them out at once, so one
   * object serves all (making lists of them took a third of the client's time).
   */
  private static final class Words extends CommandArguments {
    private final Walk walk = new Walk();
    private byte[][] words = {};
    private byte[] name = {};
    private int next;

    Words() {
      super(Protocol.Command.PING);
    }

    Words of(Command command) {
      name = Objects.requireNonNull(NAMES.get(command.name));
      words = command.arguments;
      return this;
    }

    @Override
    public int size() {
      return words.length + 1;
    }

    @Override
    public Rawable get(int index) {
      next = index + 1;
      return walk;
    }

    @Override
    public Iterator<Rawable> iterator() {
      next = 0;
      return walk;
    }

    /** The way over the words, and the word that was asked for last. */
    private final class Walk implements Iterator<Rawable>, Rawable {
      @Override
      public boolean hasNext() {
        return next <= words.length;
      }

      @Override
      public Rawable next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        next++;
        return this;
      }

      @Override
      public byte[] getRaw() {
        return next == 1 ? name : words[next - 2];
      }
    }
  }

  final Deadlines deadlines;

  /** Threads for what may take long, or must go on at the same time. */
  final ExecutorService helpers =
      new ThreadPoolExecutor(
          0,
          64,
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          task -> {
            Thread thread = new Thread(task, "woodbird-redis");
            thread.setDaemon(true);
            return thread;
          },
          (task, pool) -> task.run()); // Also after the end: a connection must be given back.

  private volatile boolean closed;

  JedisLink(Duration timeout) {
    deadlines = new Deadlines(timeout);
  }

  static Link of(AutoCloseable client, Duration timeout) {
    if (client instanceof RedisClusterClient cluster) {
      return new JedisClusterLink(cluster, timeout);
    }
    if (client instanceof RedisClient single) {
      return new JedisServerLink(new ServerSource(single), timeout);
    }
    throw new IllegalArgumentException(
        "client must be a RedisClient or a RedisClusterClient of Jedis: "
            + client.getClass().getName());
  }

  /** Gives connections of the client's pool; closing one gives it back. */
  interface Source {
    Connection get();

    /** Whether a connection is there, so that none has to be made. */
    boolean ready();
  }

  private record ServerSource(RedisClient client) implements Source {
    @Override
    public Connection get() {
      return client.getPool().getResource();
    }

    @Override
    public boolean ready() {
      return client.getPool().getNumIdle() > 0;
    }
  }

  /** Commands, and others after them. */
  static List<Command> followed(List<Command> commands, List<Command> after) {
    return new AbstractList<>() {
      @Override
      public Command get(int index) {
        int count = commands.size();
        return index < count ? commands.get(index) : after.get(index - count);
      }

      @Override
      public int size() {
        return commands.size() + after.size();
      }
    };
  }

  /** Sends commands over one connection, a second time over a new one if it turns out broken. */
  List<@Nullable Object> exchange(Source source, List<Command> commands) {
    List<@Nullable Object> replies = new ArrayList<>(commands.size());
    RedisError error = once(source, commands, replies);
    if (error != null && error.kind() == Kind.UNREACHABLE) {
      // An idle connection of the pool may have died with its server, unnoticed until now.
      replies.clear();
      error = once(source, commands, replies);
    }
    while (replies.size() < commands.size()) {
      replies.add(error);
    }
    return replies;
  }

  private @Nullable RedisError once(
      Source source, List<Command> commands, List<@Nullable Object> replies) {
    if (closed) {
      return new RedisError(Kind.UNREACHABLE, "closed");
    }
    Connection connection;
    try {
      connection = source.ready() ? source.get() : connect(source);
    } catch (RuntimeException e) {
      return errorOf(e, false);
    } catch (TimeoutException e) {
      return new RedisError(Kind.TIMEOUT, "no connection within the deadline");
    }
    AtomicBoolean late = new AtomicBoolean();
    ScheduledFuture<?> deadline;
    try {
      deadline = deadlines.start(() -> cut(connection, late));
    } catch (RejectedExecutionException e) {
      giveBack(connection); // Closed just now.
      return new RedisError(Kind.UNREACHABLE, "closed");
    }
    try {
      Words words = new Words();
      for (Command command : commands) {
        connection.sendCommand(words.of(command));
      }
      for (Object reply : connection.getMany(commands.size())) {
        replies.add(plain(reply));
      }
      return null;
    } catch (RuntimeException e) {
      connection.setBroken();
      return errorOf(e, late.get());
    } finally {
      if (!deadline.cancel(false)) {
        connection.setBroken();
      }
      if (connection.isBroken()) {
        helpers.execute(() -> giveBack(connection)); // The pool makes another one at once.
      } else {
        giveBack(connection);
      }
    }
  }

  /**
   * Makes a connection in another thread: the first words with a server take as long as it likes.
   * One that comes too late goes to the pool.
   */
  private Connection connect(Source source) throws TimeoutException {
    CompletableFuture<Connection> made = CompletableFuture.supplyAsync(source::get, helpers);
    try {
      return made.get(deadlines.nanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      CompletableFuture<Void> unused = made.thenAccept(JedisLink::giveBack);
      throw e;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof JedisException cause ? cause : new JedisException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      CompletableFuture<Void> unused = made.thenAccept(JedisLink::giveBack);
      throw new TimeoutException("interrupted");
    }
  }

  private static void giveBack(Connection connection) {
    try {
      connection.close();
    } catch (JedisException e) {
      // The pool replaces a broken connection at once, and fails if it can't. The next call will
      // say.
    }
  }

  /** A reply as {@link Link} has it: under RESP3 Jedis makes pairs of maps. */
  private static @Nullable Object plain(@Nullable Object reply) {
    if (reply instanceof JedisDataException e) {
      return refusal(e);
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

  private static void cut(Connection connection, AtomicBoolean late) {
    late.set(true);
    try {
      connection.forceDisconnect();
    } catch (IOException e) {
      // It is gone, which is what was wanted.
    }
  }

  private static RedisError refusal(JedisDataException e) {
    return RedisError.refused("" + e.getMessage());
  }

  static RedisError errorOf(RuntimeException e, boolean late) {
    boolean timeout = late;
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      timeout |= cause instanceof SocketTimeoutException;
    }
    if (e instanceof JedisDataException data) {
      return refusal(data);
    }
    if (!(e instanceof JedisException) && !timeout) {
      return new RedisError(Kind.UNREACHABLE, e.toString());
    }
    return new RedisError(timeout ? Kind.TIMEOUT : Kind.UNREACHABLE, "" + e.getMessage());
  }

  @Override
  public boolean closed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
    deadlines.close();
    helpers.shutdown();
  }
}
