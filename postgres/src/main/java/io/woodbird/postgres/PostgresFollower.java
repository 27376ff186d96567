package io.woodbird.postgres;

import io.woodbird.MutableFilter;
import io.woodbird.guard.Follower;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Follows the key column of one table by PostgreSQL's logical replication: inserts, {@code COPY},
 * updates of the key, long transactions, by whomever.
 *
 * <pre>{@code
 * PostgresFollower<Long> follower =
 *     PostgresFollower.of(url, Long::valueOf)
 *         .login("app", "secret")
 *         .table("public", "product")
 *         .column("id")
 *         .refill(ids::rebuildNow) // ids is a RebuildingFilter over all rows of the table
 *         .build();
 * FollowingFilter<Long> following = FollowingFilter.over(ids, follower).start();
 * }</pre>
 *
 * <p><b>What the server needs.</b> {@code wal_level = logical}; a user with the attribute {@code
 * replication} who may select from the table; one free replication slot and sender for each
 * follower; a table that is neither partitioned nor inherited from, with a primary key or another
 * replica identity. The publication is made if the user owns the table. Otherwise {@link #begin}
 * fails, and the error says which statement its owner must run. PostgreSQL 13 or newer.
 *
 * <p><b>What is refused.</b> A table whose access method is not {@code heap}, a database with the
 * extension Citus, and a publication with {@code publish_via_partition_root}: the server may not
 * send their rows, or send them as another table's. Also a server whose {@code
 * synchronous_standby_names} has {@code *} or the follower's name (the driver's property {@code
 * ApplicationName}, or {@code woodbird}): commits would wait for the follower as for a standby.
 *
 * <p><b>What it costs the server.</b> For each proof one small statement, and a second one if the
 * log was not written to disk within 10 ms, as with {@code synchronous_commit = off}.
 *
 * <p><b>Rows that are there already</b> are not in the stream. So whenever the follower has made a
 * slot, it lets {@linkplain PostgresFollowerBuilder#refill the owner} fill the filter from the
 * table. Until that is done nothing is denied. A slot is made at the beginning, and again when the
 * old one is lost: with its connection, with the server, or because somebody changed the
 * publication or the key column.
 *
 * <p>A slot keeps the server's log on its disk until it was read. A temporary slot, the default,
 * vanishes with its connection. For {@linkplain PostgresFollowerBuilder#lastingSlot a lasting one}
 * the server must have a bound.
 *
 * <p><b>Keys</b> are compared as the server writes them. So the column must be a whole number, a
 * UUID, or text in which the server takes no two texts for equal; others need {@linkplain
 * PostgresFollowerBuilder#normalize normalized keys}, or can't be followed: enumerations, dates,
 * floats. Let the keys be of the column's type: a question for {@code "05"} finds no number, and
 * one for a UUID in capitals finds no UUID.
 *
 * <p><b>Limits.</b> An old primary that still runs after a failover, and that the follower still
 * reaches, has its own truth: fence it.
 *
 * @param <K> the type of the keys
 */
public final class PostgresFollower<K> implements Follower<K> {
  private static final long FIRST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LAST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final String IN_USE = "55006";
  private static final int MOST_ATTEMPTS = 100;

  private final PostgresServer server;
  private final FollowedTable table;
  private final Slot slot;
  private final Supplier<PostgresServer> another;
  private final Stream.Plan<K> plan;
  private final Counts counts = new Counts(new LongAdder(), new LongAdder());
  private final LongAdder begun = new LongAdder();
  private final AtomicBoolean hasBegun = new AtomicBoolean();
  private volatile @Nullable Held held;
  private volatile @Nullable Thread thread;
  private volatile @Nullable Connection connection;
  private volatile @Nullable Stream<K> stream;
  private volatile Throwable trouble = new IllegalStateException("has not begun yet");
  private volatile boolean closed;

  PostgresFollower(PostgresFollowerBuilder<K> from) {
    String schema = Objects.requireNonNull(from.schema, "table");
    String name = Objects.requireNonNull(from.table, "table");
    String column = Objects.requireNonNull(from.column, "column");
    String publication = from.publication;
    if (publication == null) {
      publication = defaultName(schema, name);
    }
    this.table = new FollowedTable(schema, name, column, publication);
    String lasting = from.slot;
    this.slot =
        lasting != null
            ? new Slot(lasting, true)
            : new Slot("woodbird_" + UUID.randomUUID().toString().replace('-', '_'), false);
    this.held = from.held;
    UnaryOperator<K> form = from.normalize;
    Function<String, ? extends K> parse =
        form == null ? from.parse : text -> form.apply(from.parse.apply(text));
    Properties login = new Properties();
    login.putAll(from.login);
    this.another = () -> new PostgresServer(from.url, login);
    this.server = another.get();
    this.plan =
        new Stream.Plan<>(
            server,
            table,
            slot,
            form != null,
            parse,
            Objects.requireNonNull(from.refill, "refill"),
            counts);
  }

  /** Readable, and another one for every table. */
  private static String defaultName(String schema, String table) {
    CRC32 sum = new CRC32();
    sum.update((schema + "\0" + table).getBytes(StandardCharsets.UTF_8));
    String plain = table.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_]", "_");
    String most = plain.substring(0, Math.min(40, plain.length()));
    return String.format(Locale.ROOT, "woodbird_%s_%08x", most, sum.getValue());
  }

  /**
   * Begins a follower.
   *
   * @param <K> the type of the keys
   * @param url as for JDBC: {@code jdbc:postgresql://host/database}
   * @param parse makes a key of the column's value as text, such as {@code Long::valueOf}, {@code
   *     UUID::fromString} or {@code Function.identity()}
   * @return a builder
   */
  public static <K> PostgresFollowerBuilder<K> of(String url, Function<String, ? extends K> parse) {
    return new PostgresFollowerBuilder<>(url, parse);
  }

  /**
   * Looks at the table and starts to follow it, in a thread of its own. A server that does not
   * answer is tried again and again.
   *
   * @throws IllegalStateException if a setting, a right or the table must be changed first, or if
   *     the follower has begun already: each filter needs one of its own
   * @throws SQLException if the server refuses something else, such as the password
   */
  @Override
  public void begin(MutableFilter<K> filter) throws SQLException {
    if (hasBegun.getAndSet(true)) {
      throw new IllegalStateException("the follower has begun already; make one for each filter");
    }
    try {
      plan.prepare();
    } catch (SQLException e) {
      String state = String.valueOf(e.getSQLState());
      if (!state.startsWith("08") && !state.startsWith("57P") && !state.startsWith("53")) {
        server.close();
        throw e;
      }
      trouble = e;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
    Thread follow = new Thread(() -> follow(filter), "woodbird-postgres-" + table.table());
    follow.setDaemon(true);
    thread = follow;
    follow.start();
  }

  private void follow(MutableFilter<K> filter) {
    long pause = FIRST_RETRY_NANOS;
    while (!closed) {
      long streams = begun.sum();
      try {
        plan.prepare();
        Connection opened = server.openStream();
        connection = opened;
        if (!closed) {
          read(opened, filter);
        }
      } catch (Throwable e) {
        trouble = e;
      } finally {
        PostgresServer.abort(connection);
      }
      if (!closed) {
        boolean hasRead = begun.sum() > streams;
        pause = hasRead ? FIRST_RETRY_NANOS : Math.min(LAST_RETRY_NANOS, 2 * pause);
        LockSupport.parkNanos(this, pause);
      }
    }
  }

  private void read(Connection opened, MutableFilter<K> filter) throws SQLException {
    Held before = slot.lasting() ? held : null;
    held = null;
    Stream<K> now = null;
    try {
      now = new Stream<>(plan, opened, filter, before);
      begun.increment();
      stream = now;
      now.read();
    } catch (SQLException e) {
      held = now == null ? before : held;
      throw e;
    } finally {
      stream = null;
      if (now != null) {
        held = later(before, now.held());
      }
    }
  }

  /** Gives up a slot that fails before anything was read: it might do so for ever. */
  private static @Nullable Held later(@Nullable Held before, @Nullable Held now) {
    return before == null || now == null || now.position() > before.position() ? now : null;
  }

  @Override
  public boolean readsChanges() {
    return true;
  }

  /** Proves that the filter has every key whose commit had returned before. */
  @Override
  public Proof<K> confirm(List<K> asked) throws SQLException, InterruptedException {
    Stream<K> now = stream;
    if (now == null) {
      throw new IllegalStateException("the table is not followed: " + trouble, trouble);
    }
    now.confirm();
    return Proof.complete();
  }

  /**
   * What the filter holds now, to be stored with a file into which the filter is saved afterwards.
   *
   * @return for {@link #saved}, and for {@link PostgresFollowerBuilder#resume} when the process
   *     starts again
   * @throws IllegalStateException if the filter is not filled, or the table is not followed
   */
  public String position() {
    Stream<K> now = stream;
    Held holds = now == null ? null : now.held();
    if (holds == null) {
      throw new IllegalStateException("the table is not followed: " + trouble, trouble);
    }
    return holds.toString();
  }

  /**
   * Lets the server forget its log up to a position: the filter is safe in a file, together with
   * the position. A follower with a temporary slot needs no such call.
   *
   * @param position what {@link #position} said before the file was written
   * @throws IllegalArgumentException if the position is another stream's
   */
  public void saved(String position) {
    Stream<K> now = stream;
    if (now != null) {
      now.saved(Held.parse(position));
    }
  }

  /**
   * How many rows were deleted, or got another key, since the follower began. The filter still has
   * their keys until it is rebuilt.
   *
   * @return the number
   */
  public long deleted() {
    return counts.deleted().sum();
  }

  /**
   * How often the table was truncated since the follower began.
   *
   * @return the number
   */
  public long truncated() {
    return counts.truncated().sum();
  }

  /**
   * How many streams were begun. All but the first say that one was lost.
   *
   * @return the number
   */
  public long streams() {
    return begun.sum();
  }

  /**
   * How much of the server's log was still to be read, of what was there when the last proof began.
   *
   * @return in bytes
   */
  public long behind() {
    Stream<K> now = stream;
    return now == null ? 0 : now.behind();
  }

  /**
   * The name of the slot.
   *
   * @return the name
   */
  public String slot() {
    return slot.name();
  }

  /**
   * The name of the publication.
   *
   * @return the name
   */
  public String publication() {
    return table.publication();
  }

  /** Ends the connections. A temporary slot vanishes with them; a lasting one stays. */
  @Override
  public void close() {
    closed = true;
    server.close();
    PostgresServer.abort(connection);
    LockSupport.unpark(thread);
  }

  /**
   * Closes the follower and drops its slot, so that the server keeps no log for it.
   *
   * @throws SQLException if the server can't do it
   * @throws InterruptedException if the thread is interrupted meanwhile
   */
  public void drop() throws SQLException, InterruptedException {
    close();
    Thread follow = thread;
    if (follow != null) {
      follow.join();
    }
    for (int attempt = 1; ; attempt++) {
      try (PostgresServer other = another.get()) {
        other.run(
            now -> {
              slot.drop(now);
              return true;
            });
        return;
      } catch (SQLException e) {
        if (!IN_USE.equals(e.getSQLState()) || attempt == MOST_ATTEMPTS) {
          throw e;
        }
        Thread.sleep(100); // The server has not yet noticed that the connection is closed.
      }
    }
  }
}
