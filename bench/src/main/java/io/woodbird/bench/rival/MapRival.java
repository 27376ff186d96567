package io.woodbird.bench.rival;

import io.woodbird.FrozenMap;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.util.Iterator;
import java.util.Map;
import java.util.stream.IntStream;

/** Woodbird's map from longs to small values: collects the keys, then builds on one thread. */
final class MapRival implements Rival<long[]> {
  private final double fpp;
  private final int valueBits;
  private long[] keys;
  private int size;
  private FrozenMap<Long> map;

  /** The sum of all values that were found, so that no look-up is optimised away. */
  private long sum;

  MapRival(long n, double fpp, int valueBits) {
    this.fpp = fpp;
    this.valueBits = valueBits;
    this.keys = new long[Math.toIntExact(n)];
  }

  @Override
  public void putAll(long[] some, int from, int to) {
    System.arraycopy(some, from, keys, size, to - from);
    size += to - from;
  }

  @Override
  public void finish() {
    long[] all = keys;
    long mask = (1L << valueBits) - 1;
    Iterator<Map.Entry<Long, Long>> entries =
        IntStream.range(0, size).mapToObj(i -> Map.entry(all[i], all[i] & mask)).iterator();
    map =
        Woodbird.frozenMap(Keys.longs())
            .fpp(fpp)
            .valueBits(valueBits)
            .threads(1)
            .buildFrom(entries);
    keys = null;
  }

  @Override
  public int count(long[] asked, int from, int to) {
    int count = 0;
    long values = 0;
    for (int i = from; i < to; i++) {
      long value = map.getByHashOrDefault(map.hashOfLong(asked[i]), -1); // Values are below 2^16.
      count += value >= 0 ? 1 : 0;
      values += value;
    }
    sum += values;
    return count;
  }

  @Override
  public long bits() {
    return sum == Long.MIN_VALUE ? 0 : map.stats().bits();
  }
}
