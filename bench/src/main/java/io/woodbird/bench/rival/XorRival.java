package io.woodbird.bench.rival;

import java.util.function.Function;
import org.fastfilter.Filter;

/** A filter of fastfilter that collects the keys, then builds. */
final class XorRival<F extends Filter> implements LongRival {
  private final Function<long[], F> construct;
  private long[] keys;
  private int size;
  private Filter filter;

  XorRival(long n, Function<long[], F> construct) {
    this.construct = construct;
    keys = new long[Math.toIntExact(n)];
  }

  @Override
  public void put(long key) {
    keys[size++] = key;
  }

  @Override
  public void finish() {
    filter = construct.apply(keys);
    keys = null;
  }

  @Override
  public boolean mightContain(long key) {
    return filter.mayContain(key);
  }

  @Override
  public long bits() {
    return filter.getBitCount();
  }
}
