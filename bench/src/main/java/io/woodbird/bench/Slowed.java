package io.woodbird.bench;

import io.woodbird.bench.rival.Rival;

/** A rival that asks itself everything several times: a regression made on purpose. */
record Slowed<A>(Rival<A> rival, int times) implements Rival<A> {
  @Override
  public void putAll(A keys, int from, int to) {
    rival.putAll(keys, from, to);
  }

  @Override
  public int count(A keys, int from, int to) {
    int count = 0;
    for (int i = 0; i < times; i++) {
      count = rival.count(keys, from, to);
    }
    return count;
  }

  @Override
  public void finish() {
    rival.finish();
  }

  @Override
  public long bits() {
    return rival.bits();
  }

  @Override
  public void close() {
    rival.close();
  }
}
