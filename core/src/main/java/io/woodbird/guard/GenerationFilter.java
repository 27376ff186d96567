package io.woodbird.guard;

import io.woodbird.MutableFilter;
import org.jspecify.annotations.Nullable;

/**
 * A generation with its filter. What changes belongs to the lock of the {@link RebuildingFilter}.
 */
final class GenerationFilter<K> {
  final MutableFilter<K> filter;
  final long number;
  final long capacity;

  /** How many keys it holds, as far as a filter can count them. */
  long keys;

  /** Why it lacks a key that was put, so that it must never answer; null if it lacks none. */
  @Nullable Throwable broken;

  boolean overfullTold;

  /** Set before it answers. */
  @Nullable Generation generation;

  /** Whether the filter was seen to hash a key as it was planned. */
  volatile boolean proven;

  GenerationFilter(MutableFilter<K> filter, long number, long capacity) {
    this.filter = filter;
    this.number = number;
    this.capacity = capacity;
  }

  int put(long[] hashes, int count) {
    int fresh = filter.putHashes(hashes, count);
    keys += fresh;
    return fresh;
  }

  /** Puts into a generation that does not answer: if it can't take a key, it never will answer. */
  void putOrBreak(long[] hashes, int count) {
    try {
      put(hashes, count);
    } catch (RuntimeException | Error e) {
      broken = e;
    }
  }

  /** Whether it just passed what it was made for; true once. */
  boolean passedCapacity() {
    if (overfullTold || keys <= capacity) {
      return false;
    }
    overfullTold = true;
    return true;
  }
}
