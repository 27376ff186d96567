package io.woodbird.layout;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The size of each family of filters for a number of keys and an fpp. */
public enum FamilySize {
  /** The blocked Bloom filter. */
  BLOOM,

  /** The classic Bloom filter. */
  BLOOM_CLASSIC,

  /** The bumped ribbon. Its keys decide how many are bumped, so this is the size to expect. */
  RIBBON,

  /** The 3-wise binary fuse filter: whole bits per slot, 1.125 slots per key, more for few keys. */
  FUSE,

  /** The quotient filter. */
  DELETABLE,

  /** The growing quotient filter with {@code keys} keys, when it may grow to many more. */
  GROWING,

  /** The blocked Bloom filter with four-bit counters instead of bits. */
  COUNTING,

  /** The window: eight generations, of which seven cover the time span. */
  WINDOW;

  /** The bits of data, and the fpp that is predicted for them. */
  public record Size(long bits, double fpp) {}

  /** The name of the family. */
  public String family() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Returns the size for which {@code keys} keys give at most {@code fpp}, and the fpp of that
   * size; null if the family can't have so low an fpp.
   */
  public @Nullable Size forFpp(long keys, double fpp) {
    return switch (this) {
      case BLOOM -> size(BlockedBloomSize.forFpp(keys, fpp), keys);
      case BLOOM_CLASSIC -> size(ClassicBloomSize.forFpp(keys, fpp), keys);
      case RIBBON -> FrozenSize.ribbon(keys, fpp);
      case FUSE -> FrozenSize.fuse(keys, fpp);
      case DELETABLE -> {
        // Hashes have 64 bits, so no lower fpp is possible.
        Quotient layout = Quotient.forFpp(keys, Math.max(fpp, keys * 0x1p-63));
        yield new Size(layout.bitCount(), layout.fpp(keys));
      }
      case GROWING -> {
        Growing layout = Growing.forFpp(Math.max(keys, Growing.MAX_KEYS), fpp);
        yield new Size(layout.bits(keys), layout.fpp(keys));
      }
      case COUNTING -> counters(size(BlockedBloomSize.forFpp(keys, fpp), keys));
      case WINDOW -> size(Generational.forFpp(keys, fpp), keys);
    };
  }

  /** Returns the size of at most {@code bits} bits with the lowest fpp, or null if none fits. */
  public @Nullable Size forBits(long keys, long bits) {
    return switch (this) {
      case BLOOM ->
          bits < BlockedBloom.BITS ? null : size(BlockedBloomSize.forBits(keys, bits), keys);
      case BLOOM_CLASSIC ->
          bits < BlockedBloom.BITS ? null : size(ClassicBloomSize.forBits(keys, bits), keys);
      case RIBBON -> FrozenSize.ribbonWithin(keys, bits);
      case FUSE -> FrozenSize.fuseWithin(keys, bits);
      case DELETABLE, GROWING -> search(keys, bits);
      case COUNTING -> {
        Size bloom = BLOOM.forBits(keys, bits / 4);
        yield bloom == null ? null : counters(bloom);
      }
      case WINDOW ->
          bits < Generational.BLOCK_WORDS * 64 + Generational.STATE_BITS
              ? null
              : size(Generational.forBits(keys, bits - Generational.STATE_BITS), keys);
    };
  }

  private static Size size(BlockedBloom layout, long keys) {
    return new Size(layout.bitCount(), BlockedBloomSize.fpp(layout, keys));
  }

  private static Size size(ClassicBloom layout, long keys) {
    return new Size(layout.bitCount(), ClassicBloomSize.fpp(layout, keys));
  }

  private static Size size(Generational layout, long keys) {
    return new Size(64 * layout.wordCount() + Generational.STATE_BITS, layout.fpp(keys));
  }

  private static Size counters(Size bloom) {
    return new Size(4 * bloom.bits(), bloom.fpp());
  }

  /** Finds the lowest fpp that fits: the size for each is known, its reverse is not. */
  private @Nullable Size search(long keys, long bits) {
    double low = 0; // low and high are exponents: fpp = 2^-exponent
    double high = 64;
    Size best = null;
    for (int i = 0; i < 40; i++) {
      double middle = (low + high) / 2;
      Size size = forFpp(keys, Math.min(0.999, Math.pow(2, -middle)));
      if (size != null && size.bits() <= bits) {
        best = size;
        low = middle;
      } else {
        high = middle;
      }
    }
    return best;
  }
}
