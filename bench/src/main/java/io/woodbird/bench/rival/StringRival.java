package io.woodbird.bench.rival;

/** A set of Strings that is asked one key at a time. */
interface StringRival extends Rival<String[]> {
  void put(String key);

  boolean mightContain(String key);

  @Override
  default void putAll(String[] keys, int from, int to) {
    for (int i = from; i < to; i++) {
      put(keys[i]);
    }
  }

  @Override
  default int count(String[] keys, int from, int to) {
    int count = 0;
    for (int i = from; i < to; i++) {
      count += mightContain(keys[i]) ? 1 : 0;
    }
    return count;
  }
}
