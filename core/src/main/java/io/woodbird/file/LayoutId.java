package io.woodbird.file;

import io.woodbird.IncompatibleFilterException;

/** The number of a layout in files. It never changes. */
public enum LayoutId {
  /** A blocked Bloom filter: parameters are the number of blocks and the shape. */
  BLOCKED_BLOOM(1),

  /** A classic Bloom filter: parameters are the number of bits and of hashes. */
  CLASSIC_BLOOM(2),

  /** A ribbon filter: parameters are the bits of a shard number and the most columns. */
  RIBBON(3),

  /** A binary fuse filter: parameters are the bits of a shard number and of a slot. */
  FUSE(4),

  /** A quotient filter: parameters are the bits of a shard number, the quotients, the remainder. */
  QUOTIENT(5),

  /** A counting Bloom filter: parameters are the number of blocks and the shape. */
  COUNTING_BLOOM(6),

  /** A growing quotient filter: parameters are the number of shards and the fingerprint's bits. */
  GROWING(7),

  /** A window: parameters are the number of blocks, the shape, and the span in nanoseconds or 0. */
  WINDOW(8),

  /** A ribbon that maps keys to values: parameters as for a ribbon, and the bits of a value. */
  RIBBON_MAP(9),

  /** Two ribbons that are exact over a known world: parameters as for a ribbon. */
  EXACT(10),

  /** What was added to a list and removed from it: parameters are the bytes of two files. */
  DELTA(11),

  /** The bytes in which two files differ: parameters are their lengths and that of the edits. */
  DIFFERENCE(12),

  /** The bits of a well-known scheme: parameters are the number of bits and of hashes. */
  SCHEME(64),

  /** The file of another program as it is: the parameter is the number of its bytes. */
  FOREIGN(65);

  private final int number;

  LayoutId(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  /** Whether such a file says what changed since another one, and is no filter. */
  boolean isDelta() {
    return this == DELTA || this == DIFFERENCE;
  }

  static LayoutId of(int number) {
    for (LayoutId id : values()) {
      if (id.number == number) {
        return id;
      }
    }
    throw new IncompatibleFilterException(
        "the file has layout "
            + number
            + ", which this version of Woodbird does not know: open it with a newer one");
  }
}
