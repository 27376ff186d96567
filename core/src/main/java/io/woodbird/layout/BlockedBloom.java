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
   *     |
   *     +--- * GOLDEN = pattern: 63.......................................................0
   *
   *   two words   |lo|hi|    unused    | f5 | f4 | f3 | f2 | f1 | f0 |
   *                2  2                 six fields of 6 bits, one per bit to set
   *               word lo of 0..3 gets the bits f0 f1 f2, word 4 + hi of 4..7 the bits f3 f4 f5
   *
   *   four words  |s3|s2|s1|s0| unused | f7 | ... | f1 | f0 |
   *                1  1  1  1           word j + 4 * sj gets the bits f2j and f2j+1
   *
   * The pattern comes from a second multiplication: fields cut from the hash itself would repeat
   * the bits that chose the block (17 % instead of 1 % false positives, measured). Where four words
   * get three bits each, the third bit comes from a third multiplication. A second block, for a low
   * fpp, is found by the same steps from other(hash).
   *
   * Bits anywhere in the block would cost six loads and six compare-and-sets instead of two of
   * each. Two words need 3 % more memory (see BlockShape). Lang, Neumann, Kemper, Boncz call this
   * family "cache-sectorized" (Performance-optimal filtering, VLDB 2019).
   *
   * Breaks at 2^62 blocks; a filter on the heap ends long before, at MAX_BLOCKS.
   */

  /** The words of a block. */
  public static final int WORDS = 8;

  /** The bits of a block. */
  public static final int BITS = 512;

  /** 2^28 - 2 blocks, just under 2^37 bits (16 GiB): the most that one Java array holds. */
  public static final long MAX_BLOCKS = (1L << 28) - 2;

  /** BIT[i] is 1L << i. In cache, a question takes a seventh less time than with shifts. */
  private static final long[] BIT = LongStream.range(0, 64).map(i -> 1L << i).toArray();

  private static final long GOLDEN = 0x9e3779b97f4a7c15L;
  private static final long PRIME = 0xc2b2ae3d27d4eb4fL;

  /** Returns the block of a hash, from 0 to blockCount - 1. */
  public static long block(long hash, long blockCount) {
    return Reduce.toRange(hash, blockCount);
  }

  /** Returns the pattern of a hash, from which the words and bits in its block are cut. */
  public static long pattern(long hash) {
    return hash * GOLDEN;
  }

  /** Returns the hash that finds the second block of a pair. */
  public static long other(long hash) {
    long product = hash * PRIME;
    return product ^ (product >>> 32);
  }

  /** Of two words, the first: 0 to 3. */
  public static int lowWord(long pattern) {
    return (int) (pattern >>> 62);
  }

  /** Of two words, the second: 4 to 7. */
  public static int highWord(long pattern) {
    return 4 + (int) (pattern >>> 60 & 3);
  }

  /** Of two words, the bits in the first. */
  public static long lowMask(long pattern, int bits) {
    return mask(pattern, bits);
  }

  /** Of two words, the bits in the second. */
  public static long highMask(long pattern, int bits) {
    return mask(pattern >>> 18, bits);
  }

  /** Of four words, word {@code j} (0 to 3): j or 4 + j. */
  public static int sectorWord(long pattern, int j) {
    return j + (int) (pattern >>> (58 + j) & 4);
  }

  /** Of four words, the bits in word {@code j}. */
  public static long sectorMask(long hash, long pattern, int j, int bits) {
    long mask = mask(pattern >>> (12 * j), 2);
    return bits > 2 ? mask | BIT[(int) ((hash * PRIME) >>> (12 + 6 * j)) & 63] : mask;
  }

  /** Of two words, the bits of the pattern that are not set in {@code low} and {@code high}. */
  public static long missing(long pattern, int bits, long low, long high) {
    return (lowMask(pattern, bits) & ~low) | (highMask(pattern, bits) & ~high);
  }

  /** Of four words, the bits of the hash that are not set in {@code word0} to {@code word3}. */
  public static long missing(
      long hash, long pattern, int bits, long word0, long word1, long word2, long word3) {
    return (sectorMask(hash, pattern, 0, bits) & ~word0)
        | (sectorMask(hash, pattern, 1, bits) & ~word1)
        | (sectorMask(hash, pattern, 2, bits) & ~word2)
        | (sectorMask(hash, pattern, 3, bits) & ~word3);
  }

  /**
   * Sets the bits that a hash owns in the eight words of its block. For the second block of a pair,
   * pass {@link #other}. For stores that read and write whole blocks.
   */
  public void addTo(long[] block, long hash) {
    long pattern = pattern(hash);
    int bits = shape.bits();
    if (shape.words() == 2) {
      block[lowWord(pattern)] |= lowMask(pattern, bits);
      block[highWord(pattern)] |= highMask(pattern, bits);
      return;
    }
    for (int j = 0; j < 4; j++) {
      block[sectorWord(pattern, j)] |= sectorMask(hash, pattern, j, bits);
    }
  }

  /** Returns one to three bits, each chosen by a field of six bits. */
  private static long mask(long fields, int bits) {
    long mask = BIT[(int) fields & 63];
    if (bits > 1) {
      mask |= BIT[(int) (fields >>> 6) & 63];
    }
    if (bits > 2) {
      mask |= BIT[(int) (fields >>> 12) & 63];
    }
    return mask;
  }

  /** The bits of the whole filter. */
  public long bitCount() {
    return blockCount * BITS;
  }
}
