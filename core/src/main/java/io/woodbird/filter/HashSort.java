package io.woodbird.filter;

import java.util.Arrays;

/** Sorts hashes as unsigned numbers and drops repetitions. */
final class HashSort {
  /*
   * Least significant digit first, over the highest 33 bits that differ, three passes of 11 bits; then
   * one insertion sort, which finds nearly all in place, as few of a shard's millions of hashes agree in
   * 33 bits. About 15 ns per hash where Arrays.sort takes 80 (n = 4e6).
   */
  private static final int DIGIT_BITS = 11;

  private static final int DIGITS = 1 << DIGIT_BITS;
  private static final int PASSES = 3;

  private HashSort() {}

  /**
   * Sorts the first {@code count} hashes, which all agree in their first {@code commonBits} bits.
   *
   * @param scratch as long as the hashes
   * @return how many distinct hashes there are; they come first
   */
  static int sortDistinct(long[] hashes, int count, int commonBits, long[] scratch) {
    if (count > 64) {
      radixSort(hashes, count, commonBits, scratch);
    }
    insertionSort(hashes, count);
    int kept = Math.min(count, 1);
    for (int i = 1; i < count; i++) {
      if (hashes[i] != hashes[i - 1]) {
        hashes[kept++] = hashes[i];
      }
    }
    return kept;
  }

  private static void radixSort(long[] hashes, int count, int commonBits, long[] scratch) {
    long[] from = hashes;
    long[] to = scratch;
    int[] starts = new int[DIGITS];
    for (int pass = PASSES - 1; pass >= 0; pass--) {
      int drop = commonBits + pass * DIGIT_BITS;
      Arrays.fill(starts, 0);
      for (int i = 0; i < count; i++) {
        starts[digit(from[i], drop)]++;
      }
      int sum = 0;
      for (int digit = 0; digit < DIGITS; digit++) {
        int size = starts[digit];
        starts[digit] = sum;
        sum += size;
      }
      for (int i = 0; i < count; i++) {
        long hash = from[i];
        to[starts[digit(hash, drop)]++] = hash;
      }
      long[] swap = from;
      from = to;
      to = swap;
    }
    if (from != hashes) {
      System.arraycopy(from, 0, hashes, 0, count);
    }
  }

  private static int digit(long hash, int drop) {
    return (int) (hash << drop >>> (64 - DIGIT_BITS));
  }

  private static void insertionSort(long[] hashes, int count) {
    long moves = 8L * count + 4096;
    for (int i = 1; i < count; i++) {
      long hash = hashes[i];
      int j = i;
      while (j > 0 && Long.compareUnsigned(hashes[j - 1], hash) > 0) {
        hashes[j] = hashes[j - 1];
        j--;
      }
      hashes[j] = hash;
      moves -= i - j;
      if (moves < 0) { // Badly spread hashes: not in millions of years with those of Keys.
        sortAny(hashes, count);
        return;
      }
    }
  }

  private static void sortAny(long[] hashes, int count) {
    for (int i = 0; i < count; i++) {
      hashes[i] ^= Long.MIN_VALUE;
    }
    Arrays.sort(hashes, 0, count);
    for (int i = 0; i < count; i++) {
      hashes[i] ^= Long.MIN_VALUE;
    }
  }
}
