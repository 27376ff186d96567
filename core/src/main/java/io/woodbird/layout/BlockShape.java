package io.woodbird.layout;

/** How many bits a key sets in a blocked Bloom filter, and how they are spread. */
public enum BlockShape {
  /*
   * Bits per key that each shape needs (BlockedBloomSize, large n):
   *
   *                30 %   10 %    3 %    1 %  0.5 %  0.2 %  0.1 %   1e-4   1e-6   1e-8   words  lines
   *   TWO_1        2.52   5.28      -      -      -      -      -      -      -      -       2      1
   *   TWO_2        2.99   4.90   7.60  10.89      -      -      -      -      -      -       2      1
   *   TWO_3           -      -   7.66  10.19  12.06      -      -      -      -      -       2      1
   *   FOUR_2          -      -   7.96  10.10  11.61  13.84  15.73  23.62      -      -       4      1
   *   PAIR_TWO_3      -      -      -      -      -  13.70  15.09  20.37  35.10      -       4      2
   *   PAIR_2          -      -      -      -      -      -  15.72  20.20  31.46  47.24       8      2
   *   PAIR_3          -      -      -      -      -      -      -  22.37  32.25  44.81       8      2
   *   any, free choice of bits (classic Bloom)
   *                2.51   4.79   7.30   9.59  11.03  12.93  14.38  19.17  28.76  38.34       k      k
   *
   * Fewer words are faster: once the cache line is loaded, a question costs its loads. So a key
   * uses two words of a block as long as they need at most 3 % more memory than four. It uses two
   * blocks (two cache misses) only where one block would need more memory.
   *
   * The last argument of a shape is the lowest fpp that it is used for.
   */
  TWO_1(1, 1, 2, 1, 0.14),
  TWO_2(2, 1, 2, 2, 0.031),
  TWO_3(3, 1, 2, 3, 0.007),
  FOUR_2(4, 1, 4, 2, 0.002),
  PAIR_TWO_3(5, 2, 2, 3, 5e-5),
  PAIR_2(6, 2, 4, 2, 3e-7),
  PAIR_3(7, 2, 4, 3, 0);

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
