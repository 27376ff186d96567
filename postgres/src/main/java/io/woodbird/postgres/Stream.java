package io.woodbird.postgres;

import io.woodbird.MutableFilter;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;

/** The changes of a table since a slot was made, over one connection. */
final class Stream<K> {
  /*
   * Why nothing is missed. The publication is there before the slot is made. Every commit after the
   * slot's first position is sent, in the order of the commits. A commit before that position belongs
   * to a transaction that had begun when the slot was made. When all of these have ended, their rows
   * are visible, and only then the filter is filled from the table. From the start on, which is after
   * the slot was made, the identity must stay the same: nobody has changed the publication, the
   * table's key column or the server since, not even back and forth. A change of the publication
   * counts as soon as it begins (xmax): the stream may obey it before others can see it.
   *
   * The table and the publication are looked at again after the start, because a new slot waits for
   * the very transactions that change them: what was looked at before may have changed by then.
   *
   * A proof. The server is asked for its position and a snapshot. Every commit that had returned
   * before lies below the position and has ended in the snapshot. The slot must be in use by this
   * stream's own process, so the server that was asked is the one that sends. When the stream has
   * passed the position, the keys of all transactions that have ended are put.
   *
   * The stream has passed a position if a transaction came that ends behind it, or if the server says
   * so in a message between two transactions. It says so when it is asked to. It sends nothing that is
   * not on its disk yet, so if that takes long, it is asked to write.
   */
  private static final long PING_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final PostgresServer server;
  private final FollowedTable table;
  private final Slot slot;
  private final Refill refill;
  private final PGReplicationStream in;
  private final int process;
  private final Moment start;
  private final Arrivals<K> arrivals;
  private final PgOutput<K> output;
  private final Thread reader = Thread.currentThread();
  private volatile long wanted;
  private volatile @Nullable RuntimeException lost;

  // The reader's own.
  private long nextTick = System.nanoTime();
  private long pinged = System.nanoTime();
  private final Silence silence = new Silence(System.nanoTime());

  /** What a stream needs to know of its follower. */
  record Plan<K>(
      PostgresServer server,
      FollowedTable table,
      Slot slot,
      boolean isNormalized,
      Function<String, ? extends K> parse,
      Supplier<? extends CompletionStage<?>> refill,
      Counts counts) {

    /** Refuses a table that can't be followed as things are; makes the publication. */
    void prepare() throws SQLException {
      server.run(
          now -> {
            table.prepare(now, slot.lasting(), isNormalized);
            return true;
          });
    }
  }

  /** Begins the stream. A new slot is made if the filter does not hold all that came before it. */
  Stream(Plan<K> plan, Connection connection, MutableFilter<K> filter, @Nullable Held held)
      throws SQLException {
    this.server = plan.server();
    this.table = plan.table();
    this.slot = plan.slot();
    PGConnection postgres = connection.unwrap(PGConnection.class);
    this.process = postgres.getBackendPID();
    boolean kept = held != null && isKept(held);
    if (!kept) {
      slot.create(connection);
    }
    this.in =
        postgres
            .getReplicationAPI()
            .replicationStream()
            .logical()
            .withSlotName(slot.name())
            .withSlotOption("proto_version", 1)
            .withSlotOption("publication_names", table.publication())
            .withStatusInterval(1, TimeUnit.SECONDS)
            .withAutomaticFlush(false)
            .start();
    // A transaction of our own ends, so the snapshot covers all that began before it.
    server.flush();
    this.start = server.run(now -> table.moment(now, slot.name()));
    requireSender(start);
    plan.prepare();
    if (kept && (held == null || !start.identity().equals(held.identity()) || !isKept(held))) {
      throw new LostTrackException("the slot " + slot.name() + " was changed by others");
    }
    this.refill = new Refill(plan.refill(), kept);
    this.arrivals = new Arrivals<>(filter, server.run(slot::from));
    this.output =
        new PgOutput<>(
            start.table(),
            table.column(),
            plan.parse(),
            large -> putEarly(large, filter),
            plan.counts());
  }

  /**
   * Puts keys of a transaction that has too many of them to wait in memory. A build that begins
   * after the put must see their rows.
   */
  private void putEarly(Transaction<K> large, MutableFilter<K> filter) throws SQLException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!large.isVisible) {
      Moment now = server.run(connection -> table.moment(connection, slot.name()));
      check(now);
      large.isVisible = now.snapshot().hasEnded(large.id);
      if (!large.isVisible) {
        if (System.nanoTime() - end > 0) {
          throw new LostTrackException("the rows of a large transaction become visible late");
        }
        LockSupport.parkNanos(this, IDLE_NANOS);
      }
    }
    filter.putAll(large.keys);
  }

  /** Whether the slot sends all that the filter does not hold. */
  private boolean isKept(Held held) throws SQLException {
    return server.run(
        now -> {
          long from = slot.from(now);
          return from >= 0
              && from <= held.position()
              && table.moment(now, slot.name()).identity().equals(held.identity());
        });
  }

  private void requireSender(Moment moment) {
    if (moment.reader() != process) {
      throw new LostTrackException("the server that was asked does not send the changes");
    }
  }

  private void check(Moment moment) {
    requireSender(moment);
    if (!moment.identity().equals(start.identity())) {
      throw new LostTrackException(
          "the table, its key column or the publication was changed, or the server");
    }
  }

  /** Reads until something fails. */
  void read() throws SQLException {
    while (true) {
      RuntimeException failure = lost;
      if (failure != null) {
        throw failure;
      }
      long now = System.nanoTime();
      if (now - nextTick >= 0) {
        tick();
      }
      ByteBuffer message = in.readPending();
      if (message == null) {
        pause();
        continue;
      }
      silence.end(now);
      Transaction<K> whole = output.read(message);
      if (whole != null) {
        arrivals.add(whole);
      }
    }
  }

  /** When there is nothing to read: asks the server how far it is, or rests. */
  private void pause() throws SQLException {
    if (!output.isInTransaction()) {
      arrivals.reached(in.getLastReceiveLSN().asLong());
    }
    long position = arrivals.position();
    long now = System.nanoTime();
    if (wanted <= position) {
      silence.end(now);
      LockSupport.parkNanos(this, IDLE_NANOS);
    } else if (silence.isTooLong(position, now)) {
      throw new LostTrackException("the server has sent nothing for a long time");
    } else if (now - pinged > PING_NANOS) {
      pinged = now;
      in.forceUpdateStatus();
    }
  }

  /** What is done from time to time, also when nobody asks. */
  private void tick() throws SQLException {
    if (!slot.lasting()) {
      acknowledge(arrivals.putUpTo());
    }
    if (refill.isDue() || !arrivals.isEmpty()) {
      Moment now = server.run(connection -> table.moment(connection, slot.name()));
      check(now);
      if (refill.isDue() && now.snapshot().isFreeOf(start.snapshot())) {
        refill.begin();
      }
      try {
        arrivals.put(now.snapshot());
      } catch (LostTrackException e) {
        throw e;
      } catch (RuntimeException e) {
        // The keys wait on, and the next proof meets the same error.
      }
    }
    nextTick = System.nanoTime() + (refill.isDone() ? TICK_NANOS : TICK_NANOS / 20);
  }

  /** Lets the server forget what is before a position. */
  private void acknowledge(long position) {
    LogSequenceNumber end = LogSequenceNumber.valueOf(position);
    in.setAppliedLSN(end);
    in.setFlushedLSN(end);
  }

  /** Returns when the filter has every key whose commit had returned before the call. */
  void confirm() throws SQLException, InterruptedException {
    refill.requireDone();
    try {
      Moment now = server.run(connection -> table.moment(connection, slot.name()));
      check(now);
      await(now.position());
      arrivals.put(now.snapshot());
    } catch (LostTrackException e) {
      lost = e;
      throw e;
    }
  }

  private void await(long position) throws SQLException, InterruptedException {
    wanted = position;
    LockSupport.unpark(reader);
    long end = System.nanoTime() + PATIENCE_NANOS;
    boolean passed = arrivals.await(position, SOON_NANOS);
    while (!passed) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException(
            "the stream of changes is behind by " + behind() + " bytes");
      }
      server.flush();
      passed = arrivals.await(position, TICK_NANOS);
    }
  }

  /** How many bytes of the server's log were to be read when it was last asked. */
  long behind() {
    return Math.max(0, wanted - arrivals.position());
  }

  /** What the filter holds; null before it was filled. */
  @Nullable Held held() {
    return refill.isDone() ? new Held(start.identity(), arrivals.putUpTo()) : null;
  }

  /** Takes note that what a filter held will not be needed again. */
  void saved(Held held) {
    if (!held.identity().equals(start.identity()) || held.position() > arrivals.putUpTo()) {
      throw new IllegalArgumentException("not a position of this stream: " + held);
    }
    acknowledge(held.position());
  }
}
