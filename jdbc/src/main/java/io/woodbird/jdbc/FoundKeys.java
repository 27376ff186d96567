package io.woodbird.jdbc;

import io.woodbird.guard.Follower.Proof;
import java.util.Set;

/** What some statements have found out about single keys. */
record FoundKeys<K>(Set<K> present, Set<K> absent) implements Proof<K> {
  @Override
  public boolean isAbsent(K key) {
    return absent.contains(key);
  }

  @Override
  public boolean isPresent(K key) {
    return present.contains(key);
  }
}
