package io.woodbird.filter;

import io.woodbird.key.KeyHasher;

/**
 * Takes hashes for keys, where keys are already hashed.
 *
 * @param id of the key hasher that hashed them
 */
public record HashesAsKeys(String id) implements KeyHasher<Long> {
  @Override
  public long hash(Long hash, long seed) {
    return hash;
  }

  @Override
  public long hashLong(long hash, long seed) {
    return hash;
  }
}
