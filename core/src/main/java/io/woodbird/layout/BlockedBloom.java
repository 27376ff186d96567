package io.woodbird.layout;

import java.util.stream.LongStream;

/**
 * The bits one hash owns in a blocked Bloom filter: a block of 512 bits, and a few bits in two or
 * four of its eight words.
 *
 * @param blockCount how many blocks there are
 * @param shape how many bits a key sets, and where
 */
public record BlockedBloom(long blockCount, BlockShape shape) {
  /*
   * A block is one cache line, so a question costs one cache miss, whatever the number of bits.
   *
   *   hash ------ multiply-high by blockCount -----> block
   *
   *   two words    the low 25 bits of the hash
   *                | hi | lo | turn of hi | turn of lo | class |
   *                  2    2       6            6          9
   *                word lo of 0..3 and word 4 + hi of 4..7 get the bits of one class, each turned
   *                by its own number
   *
   *   four words   pattern = hash * GOLDEN
   *                |s3|s2|s1|s0| turn | class | ... | turn | class |
   *                 1  1  1  1    6       9    word 3          word 0
   *                word j + 4 * sj gets the bits of its class, turned
   *
   * The bits of a word are rotate(CLASS[class], turn): distinct bits for one load and one rotation.
   * A class is a mask that is the smallest of its 64 rotations. There are 1, 32 and 651 for one, two
   * and three bits; class number f of 512 is the mask number f * count / 512 in ascending order.
   * Six single bits, as before, took six loads: 8.4 ns for a question in cache instead of 5.9 (JDK 17
   * and 25, decision 2), and 0.9 % more memory at 1 %, as bits could coincide.
   *
   * The low 25 bits are independent of the block up to 2^39 blocks. Four words need 64 bits, so they
   * come from a product of their own; the hash itself would repeat the bits that chose the block. Two
   * words share a class: a class each would be as good, but takes 6 % longer. A second block, for a
   * low fpp, is found by the same steps from other(hash).
   *
   * Bits anywhere in the block would cost six loads and six compare-and-sets instead of two of
   * each. Lang, Neumann, Kemper, Boncz call this family "cache-sectorized" (Performance-optimal
   * filtering, VLDB 2019).
   *
   * Breaks at 2^62 blocks; a filter on the heap ends long before, at MAX_BLOCKS.
   */

  /** The words of a block. */
  public static final int WORDS = 8;

  /** The bits of a block. */
  public static final int BITS = 512;

  /** 2^28 - 2 blocks, just under 2^37 bits (16 GiB): the most that one Java array holds. */
  public static final long MAX_BLOCKS = (1L << 28) - 2;

  /** Classes that a field of nine bits chooses from. */
  static final int CLASSES = 512;

  /** Two bits at the distances 1 to 32. */
  private static final long[] PAIRS = LongStream.range(0, 32).map(d -> 1 | 2L << d).toArray();

  private static final long[] TRIPLES = triples();

  private static final long GOLDEN = 0x9e3779b97f4a7c15L;
  private static final long PRIME = 0xc2b2ae3d27d4eb4fL;

  /** Returns the block of a hash, from 0 to blockCount - 1. */
  public static long block(long hash, long blockCount) {
    return Reduce.toRange(hash, blockCount);
  }

  /** Returns the bits from which the words and masks of four words are cut. */
  public static long pattern(long hash) {
    return hash * GOLDEN;
  }

  /** Returns the bits from which words and masks are cut: the hash, or its pattern. */
  public long fields(long hash) {
    return shape.words() == 2 ? hash : pattern(hash);
  }

  /** Returns the hash that finds the second block of a pair. */
  public static long other(long hash) {
    long product = hash * PRIME;
    return product ^ (product >>> 32);
  }

  /** Of two words, the first: 0 to 3. */
  public static int lowWord(long hash) {
    return (int) (hash >>> 21 & 3);
  }

  /** Of two words, the second: 4 to 7. */
  public static int highWord(long hash) {
    return 4 + (int) (hash >>> 23 & 3);
  }

  /** Of two words, the bits in the first. */
  public static long lowMask(long hash, int bits) {
    return Long.rotateLeft(maskOf((int) hash, bits), (int) (hash >>> 9));
  }

  /** Of two words, the bits in the second. */
  public static long highMask(long hash, int bits) {
    return Long.rotateLeft(maskOf((int) hash, bits), (int) (hash >>> 15));
  }

  /** Of four words, word {@code j} (0 to 3): j or 4 + j. */
  public static int sectorWord(long pattern, int j) {
    return j + (int) (pattern >>> (58 + j) & 4);
  }

  /** Of four words, the bits in word {@code j}. */
  public static long sectorMask(long pattern, int j, int bits) {
    return Long.rotateLeft(
        maskOf((int) (pattern >>> (15 * j)), bits), (int) (pattern >>> (15 * j + 9)));
  }

  /** Of two words, the bits of the hash that are not set in {@code low} and {@code high}. */
  public static long missing(long hash, int bits, long low, long high) {
    long mask = maskOf((int) hash, bits);
    return (Long.rotateLeft(mask, (int) (hash >>> 9)) & ~low)
        | (Long.rotateLeft(mask, (int) (hash >>> 15)) & ~high);
  }

  /** Of four words, the bits of the pattern that are not set in {@code word0} to {@code word3}. */
  public static long missing(
      long pattern, int bits, long word0, long word1, long word2, long word3) {
    return (sectorMask(pattern, 0, bits) & ~word0)
        | (sectorMask(pattern, 1, bits) & ~word1)
        | (sectorMask(pattern, 2, bits) & ~word2)
        | (sectorMask(pattern, 3, bits) & ~word3);
  }

  /** Returns the index in its block of word {@code j} of a hash with these {@link #fields}. */
  public int word(long fields, int j) {
    if (shape.words() == 4) {
      return sectorWord(fields, j);
    }
    return j == 0 ? lowWord(fields) : highWord(fields);
  }

  /** Returns the bits in word {@code j} of a hash with these {@link #fields}. */
  public long mask(long fields, int j) {
    int bits = shape.bits();
    if (shape.words() == 4) {
      return sectorMask(fields, j, bits);
    }
    return j == 0 ? lowMask(fields, bits) : highMask(fields, bits);
  }

  /**
   * Sets the bits that a hash owns in the eight words of its block. For the second block of a pair,
   * pass {@link #other}. For stores that read and write whole blocks.
   */
  public void addTo(long[] block, long hash) {
    long fields = fields(hash);
    for (int j = 0; j < shape.words(); j++) {
      block[word(fields, j)] |= mask(fields, j);
    }
  }

  /** Returns the mask of a class, chosen by the low nine bits of {@code field}. */
  static long maskOf(int field, int bits) {
    if (bits == 3) {
      return TRIPLES[field & 511];
    }
    return bits == 2 ? PAIRS[field >>> 4 & 31] : 1;
  }

  private static long[] triples() {
    long[] smallest = new long[651];
    int count = 0;
    for (int high = 2; high < 64; high++) {
      for (int middle = 1; middle < high; middle++) {
        long mask = 1 | 1L << middle | 1L << high;
        if (isSmallestRotation(mask)) {
          smallest[count++] = mask;
        }
      }
    }
    long[] chosen = new long[CLASSES];
    for (int i = 0; i < CLASSES; i++) {
      chosen[i] = smallest[i * count / CLASSES];
    }
    return chosen;
  }

  private static boolean isSmallestRotation(long mask) {
    for (int turn = 1; turn < 64; turn++) {
      if (Long.compareUnsigned(Long.rotateLeft(mask, turn), mask) < 0) {
        return false;
      }
    }
    return true;
  }

  /** The bits of the whole filter. */
  public long bitCount() {
    return blockCount * BITS;
  }
}
