package io.woodbird.filter.frozen;

import java.util.Arrays;

/** Sorts hashes as unsigned numbers, each with its value. Equal hashes keep their order. */
final class PairSort {
  /*
   * As HashSort: a radix sort over the highest bits that can differ, and then an insertion sort,
   * which moves little. Here all three digits are always used.
   */
  private static final int DIGIT_BITS = 11;

  private PairSort() {}

  /**
   * Sorts a range of hashes that all agree in their first {@code commonBits} bits. Both scratches
   * are at least as long.
   */
  static void sort(
      long[] hashes,
      long[] values,
      int from,
      int to,
      int commonBits,
      long[] scratch,
      long[] valueScratch) {
    if (to - from > 64) {
      int count = to - from;
      pass(hashes, values, from, count, scratch, valueScratch, 0, commonBits + 2 * DIGIT_BITS);
      pass(scratch, valueScratch, 0, count, hashes, values, from, commonBits + DIGIT_BITS);
      pass(hashes, values, from, count, scratch, valueScratch, 0, commonBits);
      System.arraycopy(scratch, 0, hashes, from, count);
      System.arraycopy(valueScratch, 0, values, from, count);
    }
    insertionSort(hashes, values, from, to);
  }

  private static void pass(
      long[] source,
      long[] sourceValues,
      int from,
      int count,
      long[] target,
      long[] targetValues,
      int to,
      int drop) {
    int[] next = new int[1 << DIGIT_BITS];
    for (int i = from; i < from + count; i++) {
      next[digit(source[i], drop)]++;
    }
    int sum = to;
    for (int digit = 0; digit < next.length; digit++) {
      int size = next[digit];
      next[digit] = sum;
      sum += size;
    }
    for (int i = from; i < from + count; i++) {
      int at = next[digit(source[i], drop)]++;
      target[at] = source[i];
      targetValues[at] = sourceValues[i];
    }
  }

  private static int digit(long hash, int drop) {
    return (int) (hash << drop >>> (64 - DIGIT_BITS));
  }

  private static void insertionSort(long[] hashes, long[] values, int from, int to) {
    long moves = 8L * (to - from) + 4096;
    for (int i = from + 1; i < to; i++) {
      long hash = hashes[i];
      long value = values[i];
      int j = i;
      while (j > from && Long.compareUnsigned(hashes[j - 1], hash) > 0) {
        hashes[j] = hashes[j - 1];
        values[j] = values[j - 1];
        j--;
      }
      hashes[j] = hash;
      values[j] = value;
      moves -= i - j;
      if (moves < 0) { // Badly spread hashes: with the hashers of Keys not in millions of years.
        sortAny(hashes, values, from, to);
        return;
      }
    }
  }

  private static void sortAny(long[] hashes, long[] values, int from, int to) {
    Integer[] order = new Integer[to - from];
    Arrays.setAll(order, i -> from + i);
    Arrays.sort(order, (a, b) -> Long.compareUnsigned(hashes[a], hashes[b]));
    long[] sortedHashes = new long[order.length];
    long[] sortedValues = new long[order.length];
    for (int i = 0; i < order.length; i++) {
      sortedHashes[i] = hashes[order[i]];
      sortedValues[i] = values[order[i]];
    }
    System.arraycopy(sortedHashes, 0, hashes, from, order.length);
    System.arraycopy(sortedValues, 0, values, from, order.length);
  }
}
