package io.woodbird.filter;

import io.woodbird.key.KeyHasher;

/**
 * What every filter is told at birth, whatever its layout.
 *
 * @param keys hashes the keys
 * @param seed chooses the hash function
 * @param expectedKeys how many keys the promise holds for
 * @param promisedFpp the promise
 */
public record FilterSpec<K>(KeyHasher<K> keys, long seed, long expectedKeys, double promisedFpp) {}
