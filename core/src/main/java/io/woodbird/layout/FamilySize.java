package io.woodbird.layout;

import org.jspecify.annotations.Nullable;

/** The size of each family of filters for a number of keys and an fpp. */
public enum FamilySize {
  /** The blocked Bloom filter. */
  BLOOM("bloom") {
    @Override
    public Size forFpp(long keys, double fpp) {
      BlockedBloom layout = BlockedBloomSize.forFpp(keys, fpp);
      return new Size(layout.bitCount(), BlockedBloomSize.fpp(layout, keys));
    }

    @Override
    public @Nullable Size forBits(long keys, long bits) {
      if (bits < BlockedBloom.BITS) {
        return null;
      }
      BlockedBloom layout = BlockedBloomSize.forBits(keys, bits);
      return new Size(layout.bitCount(), BlockedBloomSize.fpp(layout, keys));
    }
  },

  /** The classic Bloom filter. */
  BLOOM_CLASSIC("bloom-classic") {
    @Override
    public Size forFpp(long keys, double fpp) {
      ClassicBloom layout = ClassicBloomSize.forFpp(keys, fpp);
      return new Size(layout.bitCount(), ClassicBloomSize.fpp(layout, keys));
    }

    @Override
    public @Nullable Size forBits(long keys, long bits) {
      if (bits < BlockedBloom.BITS) {
        return null;
      }
      ClassicBloom layout = ClassicBloomSize.forBits(keys, bits);
      return new Size(layout.bitCount(), ClassicBloomSize.fpp(layout, keys));
    }
  },

  /** The bumped ribbon. Its keys decide how many are bumped, so this is the size to expect. */
  RIBBON("ribbon") {
    @Override
    public @Nullable Size forFpp(long keys, double fpp) {
      return FrozenSize.ribbon(keys, fpp);
    }

    @Override
    public @Nullable Size forBits(long keys, long bits) {
      return FrozenSize.ribbonWithin(keys, bits);
    }
  },

  /** The 3-wise binary fuse filter: whole bits per slot, 1.125 slots per key, more for few keys. */
  FUSE("fuse") {
    @Override
    public @Nullable Size forFpp(long keys, double fpp) {
      return FrozenSize.fuse(keys, fpp);
    }

    @Override
    public @Nullable Size forBits(long keys, long bits) {
      return FrozenSize.fuseWithin(keys, bits);
    }
  },

  /** The quotient filter. */
  DELETABLE("deletable") {
    @Override
    public Size forFpp(long keys, double fpp) {
      // Hashes have 64 bits, so no lower fpp is possible.
      Quotient layout = Quotient.forFpp(keys, Math.max(fpp, keys * 0x1p-63));
      return new Size(layout.bitCount(), layout.fpp(keys));
    }
  },

  /** The growing quotient filter with {@code keys} keys, when it may grow to many more. */
  GROWING("growing") {
    @Override
    public Size forFpp(long keys, double fpp) {
      Growing layout = Growing.forFpp(Math.max(keys, Growing.MAX_KEYS), fpp);
      return new Size(layout.bits(keys), layout.fpp(keys));
    }
  },

  /** The blocked Bloom filter with four-bit counters instead of bits. */
  COUNTING("counting") {
    @Override
    public Size forFpp(long keys, double fpp) {
      BlockedBloom layout = BlockedBloomSize.forFpp(keys, fpp);
      return new Size(4 * layout.bitCount(), BlockedBloomSize.fpp(layout, keys));
    }

    @Override
    public @Nullable Size forBits(long keys, long bits) {
      Size bloom = BLOOM.forBits(keys, bits / 4);
      return bloom == null ? null : new Size(4 * bloom.bits(), bloom.fpp());
    }
  },

  /** The window: eight generations, of which seven cover the time span. */
  WINDOW("window") {
    @Override
    public Size forFpp(long keys, double fpp) {
      return size(Generational.forFpp(keys, fpp), keys);
    }

    @Override
    public @Nullable Size forBits(long keys, long bits) {
      return bits < Generational.BLOCK_WORDS * 64 + Generational.STATE_BITS
          ? null
          : size(Generational.forBits(keys, bits - Generational.STATE_BITS), keys);
    }

    private Size size(Generational layout, long keys) {
      return new Size(64 * layout.wordCount() + Generational.STATE_BITS, layout.fpp(keys));
    }
  };

  private final String family;

  FamilySize(String family) {
    this.family = family;
  }

  /** The name of the family. */
  public String family() {
    return family;
  }

  /**
   * Returns the size for which {@code keys} keys give at most {@code fpp}, and the fpp of that
   * size; null if the family can't have so low an fpp.
   */
  public abstract @Nullable Size forFpp(long keys, double fpp);

  /** Returns the size of at most {@code bits} bits with the lowest fpp, or null if none fits. */
  public @Nullable Size forBits(long keys, long bits) {
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

  /** The bits of data, and the fpp that is predicted for them. */
  public record Size(long bits, double fpp) {}
}
