package io.woodbird.jdbc;

import java.sql.SQLException;
import java.util.IdentityHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A connection of a pool that all followers of this pool share, and keep. */
final class KeptConnection implements Connections {
  /*
   * Callers may hold a connection while they wait for a proof: in a transaction that only reads. If
   * they hold all connections of the pool, and the proof needs one, everybody waits until somebody
   * gives up. So the followers take one when they start, before there are callers, and keep it.
   *
   * It goes back after a failure, so that the pool may throw it away, and when it is old, so that the
   * pool may replace it as it does with others.
   *
   * A statement that takes long, without an index say, must not hold up the other followers: all their
   * questions would wait in vain. So a follower whose turn does not come soon takes a connection of
   * the pool for this time.
   */
  private static final IdentityHashMap<DataSource, KeptConnection> ALL = new IdentityHashMap<>();
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(30); // As HikariCP has it.
  private static final long UNSURE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int VALID_SECONDS = 2;
  private static final long TURN_MILLIS = 200; // A fifth of what a question usually waits.

  private final DataSource pool;
  private final AtomicInteger followers = new AtomicInteger();
  private final ReentrantLock lock = new ReentrantLock();

  // Under the lock.
  private @Nullable Borrowed borrowed;
  private long taken;
  private long used;

  private KeptConnection(DataSource pool) {
    this.pool = pool;
  }

  /** The one of a pool. Each caller must close it once. */
  static KeptConnection of(DataSource pool) {
    synchronized (ALL) {
      KeptConnection kept = ALL.computeIfAbsent(pool, KeptConnection::new);
      kept.followers.incrementAndGet();
      return kept;
    }
  }

  @Override
  public boolean keeps() {
    return true;
  }

  @Override
  public <T> T use(Work<T> work) throws SQLException {
    if (!isMyTurn()) {
      return Connections.each(pool).use(work);
    }
    try {
      T result = work.with(take().connection());
      used = System.nanoTime();
      return result;
    } catch (SQLException | RuntimeException | Error e) {
      giveBack();
      throw e;
    } finally {
      lock.unlock();
      giveBackUnused();
    }
  }

  /** Waits for the lock, but not for long. */
  private boolean isMyTurn() throws SQLException {
    try {
      return lock.tryLock(TURN_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("interrupted while another follower used the connection", e);
    }
  }

  private Borrowed take() throws SQLException {
    long now = System.nanoTime();
    Borrowed kept = borrowed;
    if (kept != null) {
      boolean mayBeDead = now - used > UNSURE_NANOS;
      if (mayBeDead && !kept.connection().isValid(VALID_SECONDS)) {
        borrowed = null;
        kept.connection().close(); // A pool would report each setting that can't be restored.
        kept = null;
      } else if (now - taken > LONGEST_NANOS) {
        giveBack();
        kept = null;
      }
    }
    if (kept == null) {
      kept = Borrowed.from(pool);
      borrowed = kept;
      taken = System.nanoTime();
    }
    return kept;
  }

  private void giveBack() {
    Borrowed kept = borrowed;
    borrowed = null;
    try {
      if (kept != null) {
        kept.close();
      }
    } catch (SQLException e) {
      // It is broken, which the pool will find out.
    }
  }

  /** If another thread uses the connection, that thread does this when it is done. */
  private void giveBackUnused() {
    if (followers.get() == 0 && lock.tryLock()) {
      try {
        giveBack();
      } finally {
        lock.unlock();
      }
    }
  }

  @Override
  public void close() {
    synchronized (ALL) {
      if (followers.decrementAndGet() == 0) {
        ALL.remove(pool);
      }
    }
    giveBackUnused();
  }
}
