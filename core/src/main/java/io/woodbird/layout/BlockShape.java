package io.woodbird.layout;

/** How many bits a key sets in a blocked Bloom filter, and how they are spread. */
public enum BlockShape {
  /*
   * Bits per key that each shape needs (BlockedBloomSize, large n):
   *
   *             30 %   10 %    3 %    1 %  0.5 %  0.1 %   1e-4   1e-6   1e-8   words  lines
   *   TWO_1     2.52   5.28      -      -      -      -      -      -      -       2      1
   *   TWO_2     2.98   4.91   7.65  10.57      -      -      -      -      -       2      1
   *   TWO_3        -      -   7.68  10.27  12.21  17.40      -      -      -       2      1
   *   FOUR_2       -      -   7.95  10.11  11.64  15.82  23.90      -      -       4      1
   *   PAIR_2       -      -      -      -      -  15.71  20.23  31.64  47.80       8      2
   *   PAIR_3       -      -      -      -      -      -  22.30  32.28  45.12       8      2
   *   any, free choice of bits (classic Bloom)
   *             2.51   4.79   7.30   9.59  11.03  14.38  19.17  28.76  38.34       k      k
   *
   * Fewer words are faster: once the cache line is loaded, a question costs its loads. So a key
   * uses two words as long as they need at most 3 % more memory than four. It uses two blocks (two
   * cache misses) only where one block would need a tenth more memory.
   *
   * The last argument of a shape is the lowest fpp that it is used for.
   */
  TWO_1(1, 1, 2, 1, 0.14),
  TWO_2(2, 1, 2, 2, 0.029),
  TWO_3(3, 1, 2, 3, 0.007),
  FOUR_2(4, 1, 4, 2, 1e-3),
  PAIR_2(5, 2, 4, 2, 3e-7),
  PAIR_3(6, 2, 4, 3, 0);

  private final int id;
  private final int blocks;
  private final int words;
  private final int bits;
  private final double lowestFpp;

  BlockShape(int id, int blocks, int words, int bits, double lowestFpp) {
    this.id = id;
    this.blocks = blocks;
    this.words = words;
    this.bits = bits;
    this.lowestFpp = lowestFpp;
  }

  /** The number that stands for this shape in files. */
  public int id() {
    return id;
  }

  /** Blocks per key: 1 or 2. */
  public int blocks() {
    return blocks;
  }

  /** Words per block in which a key sets bits: 2 or 4 of the 8. */
  public int words() {
    return words;
  }

  /** Bits per word. */
  public int bits() {
    return bits;
  }

  /** Returns the shape to use for a false positive probability. */
  public static BlockShape forFpp(double fpp) {
    for (BlockShape shape : values()) {
      if (fpp >= shape.lowestFpp) {
        return shape;
      }
    }
    throw new AssertionError(fpp);
  }

  @Override
  public String toString() {
    return (blocks == 1 ? "" : blocks + " blocks of ") + words + " words x " + bits + " bits";
  }
}
