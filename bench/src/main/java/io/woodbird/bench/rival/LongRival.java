package io.woodbird.bench.rival;

/**
 * A set of longs that is asked one key at a time. Its loops are those of {@link StringRival}, as
 * longs can't be an argument of a type.
 */
interface LongRival extends Rival<long[]> {
  void put(long key);

  boolean mightContain(long key);

  @Override
  default void putAll(long[] keys, int from, int to) {
    for (int i = from; i < to; i++) {
      put(keys[i]);
    }
  }

  @Override
  default int count(long[] keys, int from, int to) {
    int count = 0;
    for (int i = from; i < to; i++) {
      count += mightContain(keys[i]) ? 1 : 0;
    }
    return count;
  }
}
