package io.woodbird.postgres;

import java.util.ArrayList;
import java.util.List;

/** The keys that a committed transaction brings. */
final class Transaction<K> {
  /** More keys than these are put into the filter while the transaction is being read. */
  static final int MOST_KEYS = 100_000;

  final int id;
  final long commit;
  final List<K> keys = new ArrayList<>();
  long end;

  /** Whether its rows are known to be visible. */
  boolean isVisible;

  /**
   * Begins one.
   *
   * @param id its number, without the epoch
   * @param commit the position of its commit in the log
   */
  Transaction(int id, long commit) {
    this.id = id;
    this.commit = commit;
  }
}
