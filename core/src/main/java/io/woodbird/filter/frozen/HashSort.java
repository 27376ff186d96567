package io.woodbird.filter.frozen;

import java.util.Arrays;

/** Sorts hashes as unsigned numbers and drops duplicates. */
public final class HashSort {
  /*
   * A radix sort, least significant digit first, over the highest bits that can differ: 22 bits or,
   * for many hashes, 33 bits, in passes of 11. Then an insertion sort, which moves little, as few
   * hashes agree in all these bits.
   */
  private static final int DIGIT_BITS = 11;

  private static final int DIGITS = 1 << DIGIT_BITS;

  /** With more hashes, two digits are not enough: one hash in eight would agree with another. */
  private static final int MANY = 1 << 19;

  private HashSort() {}

  /**
   * Sorts the hashes of a range, which all agree in their first {@code commonBits} bits, and drops
   * duplicates; returns where the rest ends. The scratch is at least as long as the range.
   */
  public static int sortDistinct(long[] hashes, int from, int to, int commonBits, long[] scratch) {
    if (to - from > 64) {
      radixSort(hashes, from, to, commonBits, scratch);
    }
    insertionSort(hashes, from, to);
    int end = Math.min(from + 1, to);
    for (int i = from + 1; i < to; i++) {
      if (hashes[i] != hashes[end - 1]) {
        hashes[end++] = hashes[i];
      }
    }
    return end;
  }

  private static void radixSort(long[] hashes, int from, int to, int commonBits, long[] scratch) {
    int count = to - from;
    int passes = count > MANY ? 3 : 2;
    int[] starts = new int[DIGITS];
    for (int pass = passes - 1; pass >= 0; pass--) {
      // Passes go from the range to the scratch and back. After three passes the scratch is copied.
      boolean forth = (passes - 1 - pass) % 2 == 0;
      long[] source = forth ? hashes : scratch;
      int sourceAt = forth ? from : 0;
      int drop = commonBits + pass * DIGIT_BITS;
      Arrays.fill(starts, 0);
      for (int i = sourceAt; i < sourceAt + count; i++) {
        starts[digit(source[i], drop)]++;
      }
      int sum = forth ? 0 : from;
      for (int digit = 0; digit < DIGITS; digit++) {
        int size = starts[digit];
        starts[digit] = sum;
        sum += size;
      }
      long[] target = forth ? scratch : hashes;
      for (int i = sourceAt; i < sourceAt + count; i++) {
        long hash = source[i];
        target[starts[digit(hash, drop)]++] = hash;
      }
    }
    if (passes % 2 != 0) {
      System.arraycopy(scratch, 0, hashes, from, count);
    }
  }

  private static int digit(long hash, int drop) {
    return (int) (hash << drop >>> (64 - DIGIT_BITS));
  }

  private static void insertionSort(long[] hashes, int from, int to) {
    long moves = 8L * (to - from) + 4096;
    for (int i = from + 1; i < to; i++) {
      long hash = hashes[i];
      int j = i;
      while (j > from && Long.compareUnsigned(hashes[j - 1], hash) > 0) {
        hashes[j] = hashes[j - 1];
        j--;
      }
      hashes[j] = hash;
      moves -= i - j;
      if (moves < 0) { // Badly spread hashes: with the hashers of Keys not in millions of years.
        sortAny(hashes, from, to);
        return;
      }
    }
  }

  private static void sortAny(long[] hashes, int from, int to) {
    for (int i = from; i < to; i++) {
      hashes[i] ^= Long.MIN_VALUE;
    }
    Arrays.sort(hashes, from, to);
    for (int i = from; i < to; i++) {
      hashes[i] ^= Long.MIN_VALUE;
    }
  }
}
