package io.woodbird.jdbc;

import io.woodbird.MutableFilter;
import io.woodbird.guard.Follower;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Looks keys up in a database, all that were asked for in the same milliseconds at once. */
final class JdbcFollower<K> implements Follower<K> {
  /*
   * Every key that is denied was looked up after the question, by a statement that did not return
   * it. So nothing depends on how rows got into the table, in which order they were committed, or
   * what the filter has seen. The filter only saves statements.
   */
  /** The pace of a FollowingFilter: fewer than 60 statements a second. */
  private static final long PACE_NANOS = TimeUnit.MILLISECONDS.toNanos(17);

  /** About how many statements it takes to look at a server. */
  private static final int DESCRIBING = 4;

  private final Supplier<Connections> source;
  private final String sql;
  private final KeyKind<K> kind;
  private final AtomicReference<Circumstances.@Nullable Place> first;
  private final AtomicReference<@Nullable PreparedStatement> running = new AtomicReference<>();
  private final AtomicBoolean isClosed = new AtomicBoolean();
  private Search<K> search;
  private volatile @Nullable Connections connections;
  private @Nullable MutableFilter<K> filter;
  private @Nullable KeyQuery server;
  private @Nullable Connection described; // the connection that "server" tells of
  private int statements;
  private long began = System.nanoTime();

  JdbcFollower(
      Supplier<Connections> source,
      String sql,
      KeyKind<K> kind,
      AtomicReference<Circumstances.@Nullable Place> first) {
    this.source = source;
    this.sql = sql;
    this.kind = kind;
    this.first = first;
    this.search = kind.search();
  }

  @Override
  public void begin(MutableFilter<K> into) {
    if (filter != null) {
      throw new IllegalStateException("the follower has begun already; make one for each filter");
    }
    filter = into;
    connections = source.get();
  }

  @Override
  public Proof<K> confirm(List<K> asked) throws SQLException, InterruptedException {
    pace();
    return begun(connections).use(connection -> confirm(connection, asked));
  }

  private static <T> T begun(@Nullable T part) {
    return Objects.requireNonNull(part, "not begun");
  }

  /** After a call that needed several statements, the database is left alone for their share. */
  private void pace() throws InterruptedException {
    long early = began + statements * PACE_NANOS - System.nanoTime();
    if (early > 0) {
      TimeUnit.NANOSECONDS.sleep(early);
    }
    began = System.nanoTime();
    statements = 0;
  }

  private Proof<K> confirm(Connection connection, List<K> asked) throws SQLException {
    // A new one may lead to another server, which has other circumstances to be asked.
    KeyQuery before = server;
    boolean isNew = before == null || (begun(connections).keeps() && described != connection);
    KeyQuery about =
        isNew ? KeyQuery.of(connection, sql, kind, first) : Objects.requireNonNull(before);
    if (before == null || before.isTable() != about.isTable()) {
      search = about.isTable() ? kind.search() : new ListSearch<>(kind);
    }
    server = about;
    described = connection;
    Set<K> open =
        asked.stream().filter(key -> kind.canBeAsked(key, about)).collect(Collectors.toSet());
    LookUp<K> lookUp = new LookUp<>(connection, about, kind, running);
    try {
      return search.run(lookUp, open, begun(filter));
    } catch (SQLException e) {
      server = null; // The table may have changed.
      throw e;
    } finally {
      statements = lookUp.statements() + (isNew ? DESCRIBING : 0);
    }
  }

  /** Has the statement that runs cancelled, and gives back what is kept. */
  @Override
  public void close() {
    try {
      PreparedStatement statement = running.get();
      if (statement != null) {
        // A driver connects for this, and may wait for a server that hangs. Nobody waits with it.
        Thread cancelling = new Thread(() -> cancel(statement), "woodbird-cancel");
        cancelling.setDaemon(true);
        cancelling.start();
      }
    } finally {
      if (connections != null && !isClosed.getAndSet(true)) {
        connections.close();
      }
    }
  }

  private static void cancel(PreparedStatement statement) {
    try {
      statement.cancel();
    } catch (SQLException e) {
      // It ends when its time is over.
    }
  }
}
