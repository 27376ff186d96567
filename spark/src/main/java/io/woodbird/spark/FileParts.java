package io.woodbird.spark;

/** The parts of a build of a file: the first ten bits of a hash, as shards too are first bits. */
final class FileParts implements HashTask.Parts {
  private static final long serialVersionUID = 1L;

  /** The first bits of a hash that choose its part. */
  static final int BITS = 10;

  /** How many parts there are; the number of the part of the counts. */
  static final int COUNT = 1 << BITS;

  @Override
  public int count() {
    return COUNT;
  }

  @Override
  public int of(long hash) {
    return (int) (hash >>> (64 - BITS));
  }

  @Override
  public int place(long hash, long[] places, int at) {
    places[at] = hash;
    return at + 1;
  }
}
