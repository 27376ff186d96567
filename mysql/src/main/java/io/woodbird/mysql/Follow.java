package io.woodbird.mysql;

import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.network.ServerException;
import io.woodbird.MutableFilter;
import java.io.IOException;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Keeps a stream of changes flowing into a filter, and begins again after a gap. */
final class Follow<K> implements AutoCloseable, BinlogStream.Listener {
  /** The error of a server that no longer has the log from a position on. */
  private static final int LOG_IS_GONE = 1236;

  private static final long RECONNECT_MILLIS = 200;
  private static final long BUILD_AGAIN_MILLIS = 5_000;
  private static final long LONGEST_PAUSE_MILLIS = 60_000;
  private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long CALM_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** What is followed. */
  record Settings<K>(
      DataSource source,
      Address address,
      String schema,
      String table,
      String column,
      ColumnType<K> keys,
      @Nullable UnaryOperator<K> normalize,
      Supplier<? extends CompletableFuture<?>> rebuild) {}

  final LongAdder deleted = new LongAdder();
  final LongAdder gaps = new LongAdder();

  /** What the stream has brought, without signs of life. */
  final LongAdder events = new LongAdder();

  final StreamProgress progress = new StreamProgress();

  private final Settings<K> settings;
  private final MutableFilter<K> filter;
  private final MySqlServer server;
  private final Thread thread;
  private volatile boolean closed;
  private volatile @Nullable BinlogStream stream;

  /** Why there is a gap that the thread does not know of yet. */
  private volatile @Nullable String lost;

  /** Null while there is no position to read from. The thread's own, after {@link #begin}. */
  private @Nullable Changes<K> changes;

  /** Whether the position was taken from the server a moment ago. */
  private boolean isNew;

  private long lastGap = System.nanoTime() - CALM_NANOS;
  private long gapPauseMillis = RECONNECT_MILLIS;

  Follow(Settings<K> settings, MutableFilter<K> filter) {
    this.settings = settings;
    this.filter = filter;
    this.server = new MySqlServer(settings.source());
    this.thread = new Thread(this::run, "woodbird-binlog-" + settings.table());
    thread.setDaemon(true);
  }

  /**
   * Checks the server, takes a position and begins to read.
   *
   * @param saved where to begin; null for the present
   */
  void begin(@Nullable Position saved) throws SQLException, InterruptedException {
    server.check();
    if (saved == null || !continues(saved)) {
      restart();
    }
    server.forget();
    thread.start();
    String failure = progress.awaitFlow(FIRST_NANOS);
    if (failure != null) {
      close();
      throw new IllegalStateException("the binary log can't be read: " + failure);
    }
  }

  /**
   * Rows since then that were logged before the column changed can't be read with what it is now.
   */
  private boolean continues(Position saved) throws SQLException {
    Changes<K> now = changes();
    if (!now.column().layout().equals(saved.layout())) {
      gaps.increment();
      return false;
    }
    changes = now;
    progress.begin(saved, null);
    return true;
  }

  private Changes<K> changes() throws SQLException {
    UnaryOperator<K> normalize = settings.normalize();
    Column column = column();
    settings.keys().check(column, normalize != null);
    UnaryOperator<K> form = normalize == null ? UnaryOperator.identity() : normalize;
    return new Changes<>(settings.keys(), form, column, this::columnNow, filter, progress, deleted);
  }

  private Column column() throws SQLException {
    return server.column(settings.schema(), settings.table(), settings.column());
  }

  private Column columnNow() throws IOException {
    try {
      return column();
    } catch (IllegalStateException e) {
      throw new GapException("" + e.getMessage());
    } catch (SQLException e) {
      throw new IOException(e);
    } finally {
      server.forget();
    }
  }

  /** Takes the present position, then asks for a build. */
  private void restart() throws SQLException {
    lost = null;
    server.check(); // Before a build that would be of no use.
    Position position = server.position();
    Changes<K> now = changes(); // Read later: if the table changes now, the stream tells.
    changes = now;
    long epoch =
        progress.begin(
            position.of(now.column()), "no build has ended that began after the position");
    isNew = true;
    build(epoch);
  }

  private void build(long epoch) {
    CompletableFuture<?> built;
    try {
      built = settings.rebuild().get();
    } catch (RuntimeException e) {
      built = CompletableFuture.failedFuture(e);
    }
    CompletableFuture<?> unused =
        built.whenComplete(
            (done, failure) -> {
              if (failure == null) {
                progress.trust(epoch);
              } else if (!closed && progress.isCurrent(epoch)) {
                progress.explain(epoch, "the build after a gap failed: " + failure);
                CompletableFuture.delayedExecutor(BUILD_AGAIN_MILLIS, TimeUnit.MILLISECONDS)
                    .execute(() -> buildAgain(epoch));
              }
            });
  }

  private void buildAgain(long epoch) {
    if (!closed && progress.isCurrent(epoch)) {
      build(epoch);
    }
  }

  private void run() {
    while (!closed) {
      long pause = RECONNECT_MILLIS;
      try {
        if (changes == null) {
          restart();
          server.forget();
        }
        read();
      } catch (GapException e) {
        pause = gap("" + e.getMessage());
      } catch (ServerException e) {
        if (e.getErrorCode() == LOG_IS_GONE) {
          pause = gap("the binary log is gone: " + e.getMessage());
        } else {
          progress.streamFailure(e.getErrorCode() + " " + e.getMessage());
        }
      } catch (Throwable e) { // An Error too must not end the thread.
        progress.streamFailure(e.toString());
      }
      String reason = lost;
      if (reason != null) {
        lost = null;
        pause = gap(reason);
      }
      sleep(pause);
    }
  }

  private void read() throws Exception {
    Position from = progress.position();
    Changes<K> current = changes;
    if (current == null) {
      return;
    }
    if (from.last().isEmpty() && !isNew) {
      throw new GapException("no transaction was read that could show that the log is the same");
    }
    BinlogStream next = new BinlogStream(settings.address(), from, this);
    next.setEventDeserializer(current.connect(from.last()));
    stream = next;
    try {
      if (!closed) {
        next.read();
      }
    } finally {
      progress.flows(false);
    }
  }

  @Override
  public void connected(long started, boolean isSynced) throws IOException {
    try {
      // The stream holds the server's present run, and the settings are those of this run.
      server.check();
      server.forget();
    } catch (SQLException e) {
      throw new IOException(e);
    }
    progress.runs(started, isSynced);
  }

  @Override
  public void apply(Event event) throws IOException {
    Changes<K> current = changes;
    if (current == null || closed || lost != null) {
      throw new IOException("this connection is not wanted any more");
    }
    if (isNew) { // The server has accepted the position.
      isNew = false;
      progress.flows(true);
    }
    if (event.getHeader().getEventType() != EventType.HEARTBEAT) {
      events.increment();
    }
    current.apply(event);
  }

  /**
   * Nothing can be denied until a new build.
   *
   * @return how long to wait before that, in milliseconds
   */
  private long gap(String reason) {
    progress.distrust("there is a gap: " + reason);
    gaps.increment();
    changes = null;
    boolean isCalm = System.nanoTime() - lastGap > CALM_NANOS;
    gapPauseMillis = isCalm ? RECONNECT_MILLIS : Math.min(2 * gapPauseMillis, LONGEST_PAUSE_MILLIS);
    lastGap = System.nanoTime();
    return gapPauseMillis;
  }

  private void sleep(long millis) {
    try {
      if (!closed) {
        Thread.sleep(millis);
      }
    } catch (InterruptedException e) {
      // Only close() interrupts, and it is looked at next.
    }
  }

  /**
   * Waits until the stream has passed all transactions that a server had.
   *
   * @throws TimeoutException if it does not get there in time. The server may count transactions
   *     that its log does not have, as after SET GLOBAL gtid_purged: then a new connection tells
   */
  void await(long epoch, MySqlServer.Now now, long nanos)
      throws InterruptedException, TimeoutException {
    long before = events.sum();
    try {
      progress.await(epoch, now.executed(), nanos);
    } catch (TimeoutException e) {
      // Not while a large transaction is being read: it would begin anew.
      boolean isIdle = progress.flows() && events.sum() == before;
      if (isIdle || progress.hasPassed(now.known())) {
        reconnect();
      }
      throw e;
    }
  }

  /** Another thread has found that changes may have been missed. */
  void lose(String reason) {
    progress.distrust("there is a gap: " + reason);
    lost = reason;
    reconnect();
  }

  /** Drops the connection. The next one is checked again. */
  void reconnect() {
    BinlogStream current = stream;
    if (current != null) {
      current.end();
    }
  }

  @Override
  public void close() {
    closed = true;
    progress.distrust("the follower is closed");
    server.close();
    // The stream may be putting keys into a store that hangs, and its connection ends after that.
    Thread ending = new Thread(this::end, "woodbird-binlog-end");
    ending.setDaemon(true);
    ending.start();
  }

  private void end() {
    reconnect();
    thread.interrupt();
  }
}
