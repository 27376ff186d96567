package io.woodbird.console.shared;

import io.woodbird.key.KeyHasher;

/**
 * A hasher that opens a file of any keys to show what it says, and can hash no key.
 *
 * @param id the id of the key encoding
 * @param <K> the keys that are never hashed
 */
public record IdOnly<K>(String id) implements KeyHasher<K> {
  @Override
  public long hash(K key, long seed) {
    throw new IllegalStateException("this hasher can open a file, but not ask it: " + id);
  }
}
