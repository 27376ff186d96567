package io.woodbird.postgres;

import java.util.HashSet;
import java.util.Set;

/**
 * Which transactions had ended at some moment.
 *
 * @param oldest all transactions before it had ended
 * @param next it and all later ones had not, but some of them may have begun
 * @param running those in between that had not ended, without their epoch
 */
record Snapshot(long oldest, long next, Set<Integer> running) {
  /** Reads what {@code txid_current_snapshot()} gives, such as {@code 10:20:10,14}. */
  static Snapshot parse(String text) {
    String[] parts = text.split(":", -1);
    Set<Integer> running = new HashSet<>();
    if (!parts[2].isEmpty()) {
      for (String one : parts[2].split(",", -1)) {
        running.add((int) Long.parseLong(one));
      }
    }
    return new Snapshot(Long.parseLong(parts[0]), Long.parseLong(parts[1]), running);
  }

  /** Whether a transaction had ended: if it had committed, its rows were visible. */
  boolean hasEnded(int transaction) {
    // Transaction ids wrap around; those alive at one time are less than 2^31 apart.
    return transaction - (int) next < 0 && !running.contains(transaction);
  }

  /**
   * Whether all transactions had ended that had begun before some other one, which had ended in an
   * earlier snapshot.
   */
  boolean isFreeOf(Snapshot earlier) {
    return oldest >= earlier.next;
  }
}
