package io.woodbird.jdbc;

import io.woodbird.MutableFilter;
import io.woodbird.guard.Follower.Proof;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds out which keys are absent by looking each of them up. */
final class ListSearch<K> implements Search<K> {
  /*
   * A collation may ignore case, accents or trailing spaces, so a row of text may belong to any of
   * the keys that were listed. A statement that returns no row is a proof for all its keys. If it
   * returns rows, the keys that equal one of them are here, and the rest is looked up again without
   * them. If no key equals a row, the collation is such a one. Then the keys that look like a row are
   * looked up apart from the others, and halved until each is clear. The same happens if a statement
   * fails because of one of its keys. Keys that are still open after some statements are not proved
   * absent.
   */
  private static final int MOST_BYTES = 1 << 20; // MySQL takes 4 MB and more in a packet.

  private final KeyKind<K> kind;

  ListSearch(KeyKind<K> kind) {
    this.kind = kind;
  }

  @Override
  public Proof<K> run(LookUp<K> lookUp, Set<K> asked, MutableFilter<K> filter) throws SQLException {
    FoundKeys<K> found = new FoundKeys<>(new HashSet<>(), new HashSet<>());
    Deque<List<K>> open = parts(asked, lookUp.mostKeys());
    boolean hasWorked = false;
    while (!open.isEmpty() && lookUp.mayGoOn()) {
      List<K> keys = open.removeFirst();
      if (keys.isEmpty() && hasWorked) {
        continue;
      }
      Set<K> rows;
      try {
        rows = lookUp.run(keys, null).keys();
        hasWorked = true;
      } catch (SQLException e) {
        if (isOfTheServer(e)) {
          throw e;
        }
        halve(keys, open);
        continue;
      }
      if (rows.isEmpty()) {
        found.absent().addAll(keys);
      } else {
        decide(keys, rows, found, open);
      }
    }
    if (!hasWorked) {
      lookUp.run(List.of(), null); // Fails too, unless it was because of the keys.
    }
    return found;
  }

  /** The keys in parts that make statements of a bearable size; one part if there are no keys. */
  private Deque<List<K>> parts(Set<K> asked, int mostKeys) {
    Deque<List<K>> parts = new ArrayDeque<>();
    List<K> part = new ArrayList<>();
    int bytes = 0;
    for (K key : asked) {
      if (part.size() == mostKeys || bytes > MOST_BYTES) {
        parts.add(part);
        part = new ArrayList<>();
        bytes = 0;
      }
      part.add(key);
      bytes += kind.bytes(key);
    }
    parts.add(part);
    return parts;
  }

  /** Some rows came back. */
  private void decide(List<K> keys, Set<K> rows, FoundKeys<K> found, Deque<List<K>> open) {
    found.present().addAll(rows);
    List<K> rest = keys.stream().filter(key -> !rows.contains(key)).toList();
    if (kind.isExact() && rest.size() + rows.size() == keys.size()) { // Each row is one of them.
      found.absent().addAll(rest);
    } else if (rest.size() < keys.size()) {
      open.addFirst(rest);
    } else if (keys.size() == 1) {
      found.present().add(keys.get(0)); // The database calls it equal to a row that differs.
    } else {
      Set<Object> forms = rows.stream().map(kind::form).collect(Collectors.toSet());
      List<K> alike = keys.stream().filter(key -> forms.contains(kind.form(key))).toList();
      List<K> others = keys.stream().filter(key -> !forms.contains(kind.form(key))).toList();
      if (alike.isEmpty() || others.isEmpty()) {
        halve(keys, open);
      } else {
        open.addFirst(others); // Most keys are decided with these.
        open.addLast(alike);
      }
    }
  }

  /** A single key that can't be looked up is not proved absent. */
  private void halve(List<K> keys, Deque<List<K>> open) {
    int half = keys.size() / 2;
    if (half > 0) {
      open.add(keys.subList(0, half));
      open.add(keys.subList(half, keys.size()));
    }
  }

  /** Whether a statement failed for a reason that has nothing to do with its keys. */
  private static boolean isOfTheServer(SQLException e) {
    @Nullable String state = e.getSQLState();
    return e instanceof SQLTransientException
        || e instanceof SQLRecoverableException
        || e instanceof SQLNonTransientConnectionException
        || state == null
        || AllRows.isRefused(e)
        || state.startsWith("08") // connection
        || state.startsWith("40") // rolled back
        || state.startsWith("53") // out of resources
        || state.startsWith("57"); // cancelled, or shutting down
  }
}
