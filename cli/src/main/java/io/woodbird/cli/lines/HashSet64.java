package io.woodbird.cli.lines;

import java.util.Arrays;

/** A set of hashes of bounded size, in one array. */
public final class HashSet64 {
  private final long[] slots;
  private final long[] inOrder;
  private final int mask;
  private boolean hasZero;
  private int size;

  /** Makes an empty one that will hold at most {@code capacity}. */
  public HashSet64(int capacity) {
    int length = Integer.highestOneBit(Math.max(8, capacity)) << 2;
    this.slots = new long[length];
    this.inOrder = new long[capacity];
    this.mask = length - 1;
  }

  /** Adds a hash; true if it was not there. */
  public boolean add(long hash) {
    if (hash == 0) {
      boolean fresh = !hasZero;
      hasZero = true;
      return fresh && append(hash);
    }
    int at = (int) hash & mask;
    while (slots[at] != 0) {
      if (slots[at] == hash) {
        return false;
      }
      at = at + 1 & mask;
    }
    slots[at] = hash;
    return append(hash);
  }

  private boolean append(long hash) {
    inOrder[size++] = hash;
    return true;
  }

  /** The hashes in the order they came; those past {@link #size} mean nothing. */
  public long[] hashes() {
    return inOrder;
  }

  public int size() {
    return size;
  }

  public void clear() {
    if (size > 0) {
      Arrays.fill(slots, 0);
      hasZero = false;
      size = 0;
    }
  }
}
