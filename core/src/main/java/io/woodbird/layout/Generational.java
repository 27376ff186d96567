package io.woodbird.layout;

/**
 * Eight blocked Bloom filters of one shape, interleaved: the generations of a window.
 *
 * @param bloom each of them
 */
public record Generational(BlockedBloom bloom) {
  /*
   * Word w of block b of generation g is word (8 b + w) 8 + g: the same word of all generations is one
   * cache line, so a question about all of them touches as many lines as a Bloom filter has words.
   */

  /** How many generations there are. Seven cover a window of time, one is being filled. */
  public static final int COUNT = 8;

  /** In a window of keys, one of these youngest generations is enough to hold a key. */
  public static final int YOUNG = COUNT / 2;

  /** The words of a block, of all generations. */
  public static final int BLOCK_WORDS = COUNT * BlockedBloom.WORDS;

  /** What a file says about the generations: the number of the newest, and the age of each. */
  public static final int STATE_BITS = 64 * (1 + COUNT);

  /** Returns the layout of a window of time for so many keys and an fpp over all generations. */
  public static Generational forFpp(long keys, double fpp) {
    return new Generational(BlockedBloomSize.forFpp(generationKeys(keys), fpp / COUNT));
  }

  /** Returns the layout for the last so many distinct keys and an fpp over all generations. */
  public static Generational forLastKeys(long keys, double fpp) {
    return new Generational(BlockedBloomSize.forFpp(lastKeysGeneration(keys), fpp / COUNT));
  }

  /** Returns the layout of a window of time with the lowest fpp of at most so many bits. */
  public static Generational forBits(long keys, long bits) {
    return new Generational(BlockedBloomSize.forBits(generationKeys(keys), bits / COUNT));
  }

  /** Returns how many keys one generation of a window of time is for. */
  public static long generationKeys(long keys) {
    return share(keys, COUNT - 1);
  }

  /** Returns how many keys one generation is for if the last so many distinct keys are wanted. */
  public static long lastKeysGeneration(long keys) {
    return share(keys, YOUNG);
  }

  private static long share(long keys, int parts) {
    return keys / parts + (keys % parts == 0 ? 0 : 1); // The usual sum would overflow.
  }

  /** The number of words. */
  public long wordCount() {
    return bloom.blockCount() * BLOCK_WORDS;
  }

  /** Returns the fpp to expect of a window of time with so many keys. */
  public double fpp(long keys) {
    return fppOfGenerations(generationKeys(keys));
  }

  /** Returns the fpp to expect with so many keys in each generation. */
  public double fppOfGenerations(long keys) {
    double one = BlockedBloomSize.fpp(bloom, keys);
    return -Math.expm1(COUNT * Math.log1p(-one));
  }

  /** Returns the first word of the block of a hash. */
  public long base(long hash) {
    return BlockedBloom.block(hash, bloom.blockCount()) * BLOCK_WORDS;
  }

  /** Whether a key has two blocks. */
  public boolean isPair() {
    return bloom.shape().blocks() == 2;
  }

  /** Returns which word of its block is word {@code j} of a hash. */
  public int word(long pattern, int j) {
    if (bloom.shape().words() == 4) {
      return BlockedBloom.sectorWord(pattern, j);
    }
    return j == 0 ? BlockedBloom.lowWord(pattern) : BlockedBloom.highWord(pattern);
  }

  /** Returns the bits of a hash in its word {@code j}. */
  public long mask(long hash, long pattern, int j) {
    int bits = bloom.shape().bits();
    if (bloom.shape().words() == 4) {
      return BlockedBloom.sectorMask(hash, pattern, j, bits);
    }
    return j == 0 ? BlockedBloom.lowMask(pattern, bits) : BlockedBloom.highMask(pattern, bits);
  }
}
