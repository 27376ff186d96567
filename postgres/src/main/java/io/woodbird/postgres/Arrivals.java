package io.woodbird.postgres;

import io.woodbird.MutableFilter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Committed transactions that were read, and whose keys wait until their rows are visible. */
final class Arrivals<K> {
  /*
   * The log tells of a commit before its rows are visible: some microseconds, or as long as a
   * synchronous standby takes. If a key were put so early, a look-up after the put might not find
   * the row, and a filter that remembers what was not found would deny it later; and a build after
   * the put might not read it. So a key is put when a snapshot shows that its transaction has ended.
   * Then every look-up and every build that begins after the put sees the row.
   *
   * Each proof takes such a snapshot: a commit that returned before the question was asked
   * has ended in a snapshot that is taken after it. Transactions that have not ended may wait on.
   *
   * A transaction with very many keys does not wait in memory: there the stream waits until it has
   * ended, see Stream.
   */
  private static final int MOST_WAITING = 1_000_000;

  private final MutableFilter<K> filter;

  /** Held while keys are put, which may be over a network. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition moved = lock.newCondition();
  private final ArrayDeque<Transaction<K>> waiting = new ArrayDeque<>();
  private long keys;
  private long position;

  Arrivals(MutableFilter<K> filter, long position) {
    this.filter = filter;
    this.position = position;
  }

  /** Takes a transaction that is read to its end. */
  void add(Transaction<K> transaction) {
    lock.lock();
    try {
      if (!transaction.keys.isEmpty()) {
        keys += transaction.keys.size();
        if (keys > MOST_WAITING) {
          throw new IllegalStateException(
              keys + " keys were read whose rows are not visible or can't be put");
        }
        waiting.addLast(transaction);
      }
      reached(transaction.end);
    } finally {
      lock.unlock();
    }
  }

  /** Takes note that every commit before a position was read. */
  void reached(long now) {
    lock.lock();
    try {
      if (now > position) {
        position = now;
        moved.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Up to where commits were read. */
  long position() {
    lock.lock();
    try {
      return position;
    } finally {
      lock.unlock();
    }
  }

  /** Every key whose commit is before this position was put. */
  long putUpTo() {
    lock.lock();
    try {
      Transaction<K> first = waiting.peekFirst();
      return first == null ? position : first.commit;
    } finally {
      lock.unlock();
    }
  }

  boolean isEmpty() {
    lock.lock();
    try {
      return waiting.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until every commit before a position was read; false if that takes too long. */
  boolean await(long wanted, long nanos) throws InterruptedException {
    lock.lock();
    try {
      long left = nanos;
      while (position < wanted) {
        if (left <= 0) {
          return false;
        }
        left = moved.awaitNanos(left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Puts the keys of all transactions that have ended. If that fails, they wait on. */
  void put(Snapshot snapshot) {
    lock.lock();
    try {
      List<K> visible = new ArrayList<>();
      for (Transaction<K> one : waiting) {
        if (snapshot.hasEnded(one.id)) {
          visible.addAll(one.keys);
        }
      }
      if (visible.isEmpty()) {
        return;
      }
      filter.putAll(visible);
      waiting.removeIf(one -> snapshot.hasEnded(one.id));
      keys -= visible.size();
    } finally {
      lock.unlock();
    }
  }
}
