package io.woodbird.postgres;

import io.woodbird.MutableFilter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Committed transactions that were read, and whose keys wait until their rows are visible. */
final class Arrivals<K> {
  /*
   * The log tells of a commit before its rows are visible: some microseconds, or as long as a
   * synchronous standby takes. If a key were put so early, a look-up after the put might not find
   * the row, and a filter that remembers what was not found would deny it later; and a build after
   * the put might not read it. So a key is put when a snapshot shows that its transaction has ended.
   * Then every look-up and every build that begins after the put sees the row.
   *
   * Whoever needs a proof has such a snapshot: a commit that returned before the question was asked
   * has ended in a snapshot that is taken after it. Transactions that have not ended may wait on.
   *
   * A transaction with very many keys does not wait in memory. Its keys are put at once, and when it
   * has ended, all that was not found is forgotten. A build could still miss it if it stayed
   * invisible for longer than builds reach back, so if that takes long, all is built anew.
   */
  private static final int MOST_WAITING = 1_000_000;
  private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final MutableFilter<K> filter;
  private final ArrayDeque<Transaction<K>> waiting = new ArrayDeque<>();
  private long keys;
  private long position;

  Arrivals(MutableFilter<K> filter, long position) {
    this.filter = filter;
    this.position = position;
  }

  /** Takes a transaction that is read to its end. */
  synchronized void add(Transaction<K> transaction) {
    if (!transaction.keys.isEmpty()) {
      keys += transaction.keys.size();
      if (keys > MOST_WAITING) {
        throw new IllegalStateException(
            keys + " keys were read whose rows are not visible or can't be put");
      }
      waiting.addLast(transaction);
    }
    reached(transaction.end);
  }

  /** Takes note that every commit before a position was read. */
  synchronized void reached(long now) {
    if (now > position) {
      position = now;
      notifyAll();
    }
  }

  /** Up to where commits were read. */
  synchronized long position() {
    return position;
  }

  /** Every key whose commit is before this position was put. */
  synchronized long putUpTo() {
    Transaction<K> first = waiting.peekFirst();
    return first == null ? position : first.commit;
  }

  synchronized boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Waits until every commit before a position was read; false if that takes too long. */
  synchronized boolean await(long wanted, long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    while (position < wanted) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return true;
  }

  /** Puts the keys of all transactions that have ended. If that fails, they wait on. */
  synchronized void put(Snapshot snapshot) {
    List<K> visible = new ArrayList<>();
    Transaction<K> large = null;
    for (Transaction<K> one : waiting) {
      if (snapshot.hasEnded(one.id)) {
        visible.addAll(one.keys);
        large = one.putEarly ? one : large;
        if (one.putEarly && System.nanoTime() - one.readNanos > LONG_NANOS) {
          throw new LostTrackException("the rows of a large transaction became visible late");
        }
      }
    }
    if (visible.isEmpty()) {
      return;
    }
    filter.putAll(visible);
    if (large != null) {
      // A put by its hash lets the filter forget all keys that were not found.
      filter.putHash(filter.hashOf(large.keys.get(0)));
    }
    waiting.removeIf(one -> snapshot.hasEnded(one.id));
    keys -= visible.size();
  }
}
