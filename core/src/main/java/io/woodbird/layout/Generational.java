package io.woodbird.layout;

/** Eight interleaved blocked Bloom filters of one layout: the generations of a window. */
public record Generational(BlockedBloom bloom) {
  /*
   * Word w of block b of generation g is word (8 b + w) 8 + g. So the same word of all generations
   * is one cache line, and a question touches one line for each word that a key sets bits in.
   */

  /** The number of generations. Seven cover a window of time, one is being filled. */
  public static final int COUNT = 8;

  /** In a window of keys, a put skips a key that one of the four newest generations has. */
  public static final int YOUNG = COUNT / 2;

  /** The words of a block in all generations. */
  public static final int BLOCK_WORDS = COUNT * BlockedBloom.WORDS;

  /** The bits of the state in a file: the number of the newest generation, and the age of each. */
  public static final int STATE_BITS = 64 * (1 + COUNT + 1);

  /** Returns the layout of a window of time; {@code fpp} is that of all generations together. */
  public static Generational forFpp(long keys, double fpp) {
    return new Generational(BlockedBloomSize.forFpp(generationKeys(keys), fpp / COUNT));
  }

  /** Returns the layout of a window of the last {@code keys} distinct keys. */
  public static Generational forLastKeys(long keys, double fpp) {
    return new Generational(BlockedBloomSize.forFpp(lastKeysGeneration(keys), fpp / COUNT));
  }

  /** Returns the layout of a window of time with the lowest fpp in at most {@code bits} bits. */
  public static Generational forBits(long keys, long bits) {
    return new Generational(BlockedBloomSize.forBits(generationKeys(keys), bits / COUNT));
  }

  /** Returns how many keys one generation of a window of time is sized for. */
  public static long generationKeys(long keys) {
    return share(keys, COUNT - 1);
  }

  /** Returns how many keys one generation of a window of keys is sized for. */
  public static long lastKeysGeneration(long keys) {
    return share(keys, YOUNG);
  }

  private static long share(long keys, int parts) {
    return keys / parts + (keys % parts == 0 ? 0 : 1); // (keys + parts - 1) could overflow.
  }

  /** The number of words. */
  public long wordCount() {
    return bloom.blockCount() * BLOCK_WORDS;
  }

  /** Returns the expected fpp of a window of time with {@code keys} keys. */
  public double fpp(long keys) {
    return fppOfGenerations(generationKeys(keys));
  }

  /** Returns the expected fpp with {@code keys} keys in each generation. */
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
}
