package io.woodbird.jdbc;

import io.woodbird.MutableFilter;
import io.woodbird.guard.Follower.Proof;
import io.woodbird.guard.FollowingFilter;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Finds out which numbers are absent, with as few look-ups as possible. */
final class NumberSearch implements Search<Long> {
  /*
   * A key above the largest one of the table, or below the smallest, is absent, and one row with both
   * says so for any number of keys. Between them a key is looked up. Keys that were added above the
   * largest one are read on the way, a bounded number each time, so that they are in the filter
   * before somebody asks for them.
   */
  /** As many keys as a list takes: so a statement stays as large as one with a full list. */
  private static final long MOST_NEW = 10_000;

  /** All keys of the table were within these two when it was last asked. */
  private long smallest = Long.MAX_VALUE;

  private long largest = Long.MIN_VALUE;

  /** Keys above this one are read into the filter; null before the first statement. */
  private @Nullable Long read;

  private CompletableFuture<Long> lastPut = CompletableFuture.completedFuture(0L);

  /** A proof about some keys, and about all that are not within two bounds. */
  private record Bounded(FoundKeys<Long> keys, long smallest, long largest) implements Proof<Long> {
    @Override
    public boolean isAbsent(Long key) {
      return keys.isAbsent(key) || ((key < smallest || key > largest) && !keys.isPresent(key));
    }

    @Override
    public boolean isPresent(Long key) {
      return keys.isPresent(key);
    }
  }

  @Override
  public Proof<Long> run(LookUp<Long> lookUp, Set<Long> asked, MutableFilter<Long> filter)
      throws SQLException {
    Set<Long> absent = new HashSet<>();
    Set<Long> present = new HashSet<>();
    Set<Long> open = asked;
    do {
      LookUp.Range range = newKeys();
      List<Long> listed = listed(open, range, lookUp.mostKeys());
      LookUp.Rows<Long> found = lookUp.run(listed, range);
      present.addAll(found.keys());
      note(found, range);
      Set<Long> decided = new HashSet<>(listed);
      Set<Long> rest = new HashSet<>();
      for (Long key : open) {
        if (decided.contains(key) || range.contains(key)) {
          if (!found.keys().contains(key)) {
            absent.add(key);
          }
        } else if (key > largest || key < smallest) {
          absent.add(key);
        } else {
          rest.add(key); // The table has grown since the bounds were read, or there are too many.
        }
      }
      open = rest;
    } while (!open.isEmpty() && lookUp.mayGoOn());
    putNew(present, asked, filter);
    return new Bounded(new FoundKeys<>(present, absent), smallest, largest);
  }

  /**
   * Keys that nobody has asked about yet. Without them a later question costs a look-up, and no
   * more. So nobody waits for a store that is slow or away: then the proofs would be late. While it
   * has not taken the last keys, it gets no others.
   */
  private void putNew(Set<Long> present, Set<Long> asked, MutableFilter<Long> filter) {
    List<Long> fresh = present.stream().filter(key -> !asked.contains(key)).toList();
    if (fresh.isEmpty() || !lastPut.isDone()) {
      return;
    }
    try {
      if (filter instanceof FollowingFilter<Long> following) {
        lastPut = following.putAllAsync(fresh);
      } else {
        filter.putAll(fresh);
      }
    } catch (RuntimeException e) {
      // The filter is full, or its store is away.
    }
  }

  private LookUp.Range newKeys() {
    if (read == null) {
      return new LookUp.Range(Long.MAX_VALUE, Long.MAX_VALUE); // Nothing yet, only the bounds.
    }
    long upTo = read > Long.MAX_VALUE - MOST_NEW ? Long.MAX_VALUE : read + MOST_NEW;
    return new LookUp.Range(read, upTo);
  }

  private List<Long> listed(Set<Long> open, LookUp.Range range, int most) {
    List<Long> listed = new ArrayList<>();
    for (Long key : open) {
      if (key >= smallest && key <= largest && !range.contains(key) && listed.size() < most) {
        listed.add(key);
      }
    }
    return listed;
  }

  private void note(LookUp.Rows<Long> found, LookUp.Range range) {
    smallest = found.smallest() == null ? Long.MAX_VALUE : found.smallest();
    largest = found.largest() == null ? Long.MIN_VALUE : found.largest();
    if (read == null) {
      read = found.largest();
    } else {
      read = Math.max(read, Math.min(largest, range.upTo()));
    }
  }
}
