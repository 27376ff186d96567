package io.woodbird.guard;

import java.util.Iterator;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Keys that a filter takes for "maybe here" and that the loader did not find: false positives, and
 * deleted rows. A bounded number of them, compared by {@code equals}.
 *
 * <p>A loader may also find nothing for a key that is there, such as the reviews of a product
 * without any. Once that was proved, the next misses of the key are not remembered.
 */
final class Misses<K> {
  /*
   * A key may arrive while the loader looks for it, and its arrival must not be forgotten because
   * the loader came too early. So a look-up takes a ticket before it begins: the number of arrivals
   * of keys with the same few bits of their hash code. If the number has changed when the look-up
   * ends, nothing is remembered. An arrival first counts and then removes; the count is compared
   * under the lock of the entry that is removed. So either the comparison sees the count, or the
   * removal comes after what was remembered.
   */
  private static final int STRIPES = 1 << 10; // 8 KiB; few look-ups meet a foreign arrival.

  /** After so many misses a key that was present is looked up again: it may have been deleted. */
  private static final int IGNORED = 1_000;

  private final int most;
  private final ConcurrentMap<K, Integer> keys = new ConcurrentHashMap<>(); // misses to ignore
  private final AtomicLongArray arrivals = new AtomicLongArray(STRIPES);

  Misses(int most) {
    this.most = most;
  }

  /** To be taken before a look-up begins. */
  long ticket(K key) {
    return arrivals.get(stripe(key));
  }

  /** Remembers a key that a look-up did not find, if it has not arrived since. */
  void add(K key, long ticket) {
    if (key.getClass().isArray()) {
      return; // Arrays are equal only to themselves.
    }
    if (keys.size() >= most) {
      dropHalf();
    }
    keys.compute(
        key,
        (same, ignore) -> {
          if (ignore != null && ignore > 0) {
            return ignore - 1;
          }
          return ticket(key) == ticket ? Integer.valueOf(0) : ignore;
        });
  }

  /** Makes room. A key that is asked for again costs one more look-up. */
  private void dropHalf() {
    Iterator<K> all = keys.keySet().iterator();
    for (int i = 0; i < most / 2 && all.hasNext(); i++) {
      all.next();
      all.remove();
    }
  }

  boolean contains(K key) {
    return !keys.isEmpty() && Integer.valueOf(0).equals(keys.get(key));
  }

  int size() {
    return (int) keys.values().stream().filter(ignore -> ignore == 0).count();
  }

  /** Forgets a key that is there although the loader found nothing. */
  void present(K key) {
    remove(key);
    if (!key.getClass().isArray()) {
      keys.put(key, IGNORED);
    }
  }

  /** Forgets a key that has arrived. */
  void remove(K key) {
    arrivals.incrementAndGet(stripe(key));
    keys.remove(key);
  }

  /** Forgets all: some keys have arrived, and only their hashes are known. */
  void clear() {
    for (int i = 0; i < STRIPES; i++) {
      arrivals.incrementAndGet(i);
    }
    keys.clear();
  }

  private static int stripe(Object key) {
    int hash = key.hashCode();
    return (hash ^ hash >>> 16) & (STRIPES - 1);
  }
}
