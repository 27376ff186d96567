package io.woodbird.filter;

import io.woodbird.key.KeyHasher;

/**
 * The parameters that every filter has, whatever its layout.
 *
 * @param keys hashes the keys
 * @param seed chooses the hash function
 * @param expectedKeys the number of keys up to which promisedFpp holds
 * @param promisedFpp the false positive probability that the builder was asked for
 */
public record FilterSpec<K>(KeyHasher<K> keys, long seed, long expectedKeys, double promisedFpp) {}
