package io.woodbird.filter.frozen;

import java.io.IOException;
import java.util.Arrays;

/** The hashes of a shard, sorted and without duplicates. Reused for the next shard. */
public final class ShardHashes {
  /** A gigabyte of hashes. If a shard has more, duplicates are dropped before its array grows. */
  private static final int MOST_AT_ONCE = 1 << 27;

  private final HashSpill spill;
  private final boolean hasValues;
  private final int shardBits;
  private final int commonBits;
  private int shard;
  private long[] hashes = new long[0];
  private long[] values = new long[0];
  private long[] scratch = new long[0];
  private long[] valueScratch = new long[0];
  private int sorted;
  private int count;
  private long raw;

  /** Prepares to read shards of a filter that has {@code 2^shardBits}. */
  public ShardHashes(HashSpill spill, int shardBits) {
    this.spill = spill;
    this.hasValues = spill.hasValues();
    this.shardBits = shardBits;
    this.commonBits = spill.distributed() ? Math.max(shardBits, HashSpill.PART_BITS) : shardBits;
  }

  private void clear(int newShard, long expected) {
    shard = newShard;
    sorted = 0;
    count = 0;
    raw = 0;
    if (hashes.length < expected && hashes.length < MOST_AT_ONCE) {
      hashes = new long[(int) Math.min(expected, MOST_AT_ONCE)];
      values = new long[hasValues ? hashes.length : 0];
    }
  }

  /** The hashes; the array may be longer than {@link #count}. */
  long[] hashes() {
    return hashes;
  }

  /** The values of the hashes, if there are any. */
  long[] values() {
    return values;
  }

  /** How many there are. */
  public int count() {
    return count;
  }

  /** How many there were, duplicates included. */
  public long raw() {
    return raw;
  }

  /** Reads a shard. Call it when all hashes are added; threads may read different shards. */
  public void read(int newShard) throws IOException {
    int among = spill.distributed() ? Math.max(0, shardBits - HashSpill.PART_BITS) : 0;
    long expected = spill.inParts(newShard, shardBits);
    // If a part has several shards, twice the average share.
    clear(newShard, among == 0 ? expected : expected >>> among << 1);
    spill.scan(newShard, shardBits, this::take, this::endPart);
  }

  private void take(long[] from, int start, int words) {
    int number = hasValues ? words / 2 : words;
    if (hashes.length - count < number) {
      sort();
      if (hashes.length - count < Math.max(number, hashes.length / 2)) {
        hashes = Arrays.copyOf(hashes, Math.addExact(number, Math.multiplyExact(2, count)));
        values = Arrays.copyOf(values, hasValues ? hashes.length : 0);
      }
    }
    if (hasValues) {
      takePairs(from, start, words);
      return;
    }
    // All are of this shard if it is the only one, or if it has whole parts.
    if (shardBits == 0 || (shardBits <= HashSpill.PART_BITS && spill.distributed())) {
      System.arraycopy(from, start, hashes, count, number);
      count += number;
      raw += number;
      return;
    }
    for (int i = start; i < start + number; i++) {
      hashes[count] = from[i];
      int kept = HashSpill.isIn(from[i], shard, shardBits) ? 1 : 0;
      count += kept;
      raw += kept;
    }
  }

  private void takePairs(long[] from, int start, int words) {
    for (int i = start; i < start + words; i += 2) {
      hashes[count] = from[i];
      values[count] = from[i + 1];
      int kept = HashSpill.isIn(from[i], shard, shardBits) ? 1 : 0;
      count += kept;
      raw += kept;
    }
  }

  /** Sorts the hashes of the current part. */
  private void sort() {
    if (scratch.length < count - sorted) {
      scratch = new long[count - sorted];
      valueScratch = new long[hasValues ? count - sorted : 0];
    }
    if (hasValues) {
      PairSort.sort(hashes, values, sorted, count, commonBits, scratch, valueScratch);
      mergeEqual();
    } else {
      count = HashSort.sortDistinct(hashes, sorted, count, commonBits, scratch);
    }
  }

  /** Keeps one of the entries of the current part that have the same hash. */
  private void mergeEqual() {
    int end = Math.min(sorted + 1, count);
    for (int i = sorted + 1; i < count; i++) {
      if (hashes[i] == hashes[end - 1]) {
        values[end - 1] = spill.merge(hashes[i], values[end - 1], values[i]);
      } else {
        hashes[end] = hashes[i];
        values[end++] = values[i];
      }
    }
    count = end;
  }

  private void endPart() {
    sort();
    sorted = count;
  }
}
