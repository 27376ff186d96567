package io.woodbird.guard;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A simulated table that many write. A commit is first in the log, then its rows are visible, then
 * it returns. Time passes in between, so rows may become visible in another order than the log's.
 */
final class ModelDatabase {
  static final long NEVER = Long.MAX_VALUE;

  /** One row, and when it reaches each stage of its life. */
  static final class Row {
    final long key;
    long logged = NEVER;
    long visible = NEVER;
    long returned = NEVER;
    long deleted = NEVER;

    Row(long key) {
      this.key = key;
    }

    boolean isVisible(long now) {
      return visible <= now && now < deleted;
    }
  }

  private final VirtualTime time;
  private final Map<Long, List<Row>> rows = new LinkedHashMap<>();

  /** In the order of the log; those at the end are to be logged later. */
  private final List<Row> log = new ArrayList<>();

  private long brokenUntil;
  private long slowUntil;
  private long slowBy;

  ModelDatabase(VirtualTime time) {
    this.time = time;
  }

  Row insert(long key) {
    Row row = new Row(key);
    rows.computeIfAbsent(key, same -> new ArrayList<>()).add(row);
    return row;
  }

  /** The keys that were ever inserted, in the order of their first insertion. */
  List<Long> keys() {
    return List.copyOf(rows.keySet());
  }

  List<Row> rows(long key) {
    return rows.getOrDefault(key, List.of());
  }

  /** Commits rows in stages, each some time after the one before. */
  void commit(List<Row> all, long untilLogged, long untilVisible, long untilReturned) {
    for (Row row : all) {
      row.logged = time.nanos() + untilLogged;
      row.visible = row.logged + untilVisible;
      row.returned = row.visible + untilReturned;
      int place = log.size();
      while (place > 0 && log.get(place - 1).logged > row.logged) {
        place--;
      }
      log.add(place, row);
    }
  }

  void delete(long key) {
    rows(key).stream()
        .filter(row -> row.isVisible(time.nanos()))
        .forEach(row -> row.deleted = time.nanos());
  }

  boolean has(long key) {
    return had(key, 0);
  }

  /** Whether a key was visible some time ago. */
  boolean had(long key, long nanosAgo) {
    for (Row row : rows(key)) {
      if (row.isVisible(time.nanos() - nanosAgo)) {
        return true;
      }
    }
    return false;
  }

  List<Long> visibleKeys() {
    return rows.keySet().stream().filter(this::has).toList();
  }

  /** How many rows are in the log. */
  int logged() {
    int end = log.size();
    while (end > 0 && log.get(end - 1).logged > time.nanos()) {
      end--;
    }
    return end;
  }

  Row logged(int position) {
    return log.get(position);
  }

  /** Rows that are in the log and that nobody sees yet. */
  List<Row> arriving() {
    return log.subList(0, logged()).stream().filter(row -> row.visible > time.nanos()).toList();
  }

  void breakFor(long nanos) {
    brokenUntil = Math.max(brokenUntil, time.nanos() + nanos);
  }

  void slowDown(long nanos, long by) {
    slowUntil = time.nanos() + nanos;
    slowBy = by;
  }

  boolean isSlow() {
    return time.nanos() < slowUntil;
  }

  void calm() {
    brokenUntil = 0;
    slowUntil = 0;
  }

  /** The way of a request or of a reply, for a task that can wait. */
  void travel() {
    long slow = isSlow() ? slowBy : 0;
    if (slow > 0 || time.random().nextInt(3) == 0) {
      time.pause(slow + time.random().nextLong(8_000_000));
    }
    check();
  }

  void check() {
    if (time.nanos() < brokenUntil) {
      throw new IllegalStateException("the database does not answer");
    }
  }

  /** When the log or what is visible changes next; at the latest after some time. */
  long untilChange(long most) {
    long next = time.nanos() + most;
    for (int i = log.size() - 1; i >= 0; i--) {
      Row row = log.get(i);
      next = row.logged > time.nanos() ? Math.min(next, row.logged) : next;
      next = row.visible > time.nanos() ? Math.min(next, row.visible) : next;
    }
    return next - time.nanos();
  }
}
