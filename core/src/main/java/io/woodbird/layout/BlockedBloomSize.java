package io.woodbird.layout;

/** The size that a blocked Bloom filter needs, and the fpp that a size gives. */
public final class BlockedBloomSize {
  /*
   * Blocks do not fill evenly: the number i of keys in a block is binomial. A fuller block adds
   * more false positives than an emptier block saves. The classic formula ignores that and misses
   * the request (1.17 % instead of 1 %, 2.9e-4 instead of 1e-4). Here the exact mixture is summed:
   *
   *   fpp = sum over i of P(i keys in the block) * F(i)
   *   F(i) = ( sum over j of Binomial(i, z/8)(j) * A(j) )^z       z words are touched per block
   *   A(j) = P(the c bits of a question are all set after j keys set c bits each)
   *        = sum over the subsets S of the c bits of (-1)^|S| P(a key sets no bit of S)^j
   *
   * with the probabilities of the classes that BlockedBloom has (WordCover). Words of a key share a
   * class in shapes of two words, so they are not quite independent: that adds 0.04 % to the fpp at
   * 1 % and 0.06 % at 0.7 % (the same sum over both words at once). SHARED covers it. Two blocks per
   * key square the fpp at twice the load. Two keys with the same 64-bit hash add n / 2^64.
   *
   * A single filter differs from the mean by chance. So the size is chosen such that the mean plus
   * a few standard deviations meets the request. The deviation, over filters with the same number
   * of keys, has two parts: uneven blocks, (Var F - Cov(F, i)^2 / Var i) / blocks, and bits that
   * coincide, from the variance m (e^-a - (1 + a) e^-2a) of the number of bits set by a * m throws
   * into m. The deviation matters for few keys only. There memory is cheap, so it is 4 deviations
   * below 1e5 keys and 2.5 from there on.
   */
  private static final double GUARD_SMALL = 4;

  private static final double GUARD_LARGE = 2.5;
  private static final long LARGE = 100_000;

  /** How much a shared class may add to the fpp. */
  private static final double SHARED = 1.0006;

  private BlockedBloomSize() {}

  /**
   * Returns the smallest layout for which {@code keys} keys give at most {@code fpp}, or one of
   * more than 2^50 blocks if there is none. The heap holds {@link BlockedBloom#MAX_BLOCKS}.
   */
  public static BlockedBloom forFpp(long keys, double fpp) {
    return forFpp(keys, fpp, BlockShape.forFpp(fpp));
  }

  /** Returns the smallest layout of a shape; see {@link #forFpp(long, double)}. */
  public static BlockedBloom forFpp(long keys, double fpp, BlockShape shape) {
    // No filter is smaller than the information limit. A shape needs at most four times as much,
    // except for tiny filters.
    long low = (long) (keys * -Math.log(fpp) / Math.log(2) / BlockedBloom.BITS);
    long high = low + 1;
    BlockFpp f = new BlockFpp(shape);
    while (guarded(new BlockedBloom(high, shape), keys, f) > fpp) {
      low = high;
      high = high + high / 2 + 1;
      if (high > 1L << 50) {
        return new BlockedBloom(high, shape);
      }
    }
    while (high - low > 1) {
      long middle = low + (high - low) / 2;
      if (guarded(new BlockedBloom(middle, shape), keys, f) > fpp) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return new BlockedBloom(high, shape);
  }

  /** Returns the layout with the lowest fpp among those of at most {@code bits} bits. */
  public static BlockedBloom forBits(long keys, long bits) {
    long blocks = Math.max(1, bits / BlockedBloom.BITS);
    BlockedBloom best = new BlockedBloom(blocks, BlockShape.TWO_1);
    for (BlockShape shape : BlockShape.values()) {
      BlockedBloom layout = new BlockedBloom(blocks, shape);
      // A later shape costs more time, so it must be better by a tenth.
      if (fpp(layout, keys) < 0.9 * fpp(best, keys)) {
        best = layout;
      }
    }
    return best;
  }

  /** Returns the fpp to expect after {@code keys} distinct keys. */
  public static double fpp(BlockedBloom layout, double keys) {
    BlockFpp f = new BlockFpp(layout.shape());
    return moments(layout, keys, f).fpp(0, layout.shape().blocks(), keys);
  }

  private static double guarded(BlockedBloom layout, long keys, BlockFpp f) {
    double guard = keys < LARGE ? GUARD_SMALL : GUARD_LARGE;
    return moments(layout, keys, f).fpp(guard, layout.shape().blocks(), keys);
  }

  /** Returns the share of bits to expect set after {@code keys} distinct keys. */
  public static double fill(BlockedBloom layout, double keys) {
    BlockShape shape = layout.shape();
    double perWord = keys * shape.blocks() * shape.words() / (8.0 * layout.blockCount());
    return -Math.expm1(perWord * wordLog(shape));
  }

  /** Estimates the number of keys from the share {@code fill} of bits that are set. */
  public static double keysAt(BlockedBloom layout, double fill) {
    BlockShape shape = layout.shape();
    double perWord = Math.log1p(-Math.min(fill, 1 - 1e-12)) / wordLog(shape);
    return perWord * 8.0 * layout.blockCount() / (shape.blocks() * shape.words());
  }

  /** A bit of a word that Poisson(x) keys touch is clear with probability exp(x * wordLog). */
  private static double wordLog(BlockShape shape) {
    return -shape.bits() / 64.0;
  }

  /** The exact mean of the fpp of one block, and its standard deviation over filters. */
  private record Moments(double mean, double deviation) {
    double fpp(double guard, int blocks, double keys) {
      double single = Math.min(1, mean + guard * deviation);
      return Math.min(1, Math.pow(single, blocks) + keys * 0x1p-64);
    }
  }

  private static Moments moments(BlockedBloom layout, double keys, BlockFpp known) {
    if (keys <= 0) {
      return new Moments(0, 0);
    }
    BlockShape shape = layout.shape();
    double throwsTotal = keys * shape.blocks();
    double blocks = layout.blockCount();
    double load = throwsTotal / blocks;
    if (load > 4000) {
      return new Moments(1, 0); // All bits are set; the sum below would underflow.
    }
    int last = (int) Math.min(throwsTotal, Math.ceil(load + 12 * Math.sqrt(load) + 30));
    double[] f = known.upTo(last);
    if (blocks == 1) {
      return new Moments(f[last], f[last] * relativeBitDeviation(layout, keys));
    }
    // Sums over i up to 12 deviations above the mean. Weights are relative to the most likely i, so
    // that nothing underflows for large loads.
    int mode = (int) Math.min(last, Math.floor(load));
    double odds = 1 / (blocks - 1);
    double sum = 0;
    double mean = 0;
    double square = 0;
    double mixed = 0;
    double occupied = 0;
    double weight = 1;
    for (int i = mode; i <= last; i++) {
      sum += weight;
      mean += weight * f[i];
      square += weight * f[i] * f[i];
      mixed += weight * f[i] * (i - load);
      occupied += weight * (i - load) * (i - load);
      weight *= (throwsTotal - i) / (i + 1) * odds;
    }
    weight = 1;
    for (int i = mode; i > 0; i--) {
      weight *= i / (throwsTotal - i + 1) / odds;
      sum += weight;
      mean += weight * f[i - 1];
      square += weight * f[i - 1] * f[i - 1];
      mixed += weight * f[i - 1] * (i - 1 - load);
      occupied += weight * (i - 1 - load) * (i - 1 - load);
    }
    mean /= sum;
    double variance = square / sum - mean * mean;
    if (occupied > 0) {
      variance -= mixed * mixed / sum / occupied;
    }
    double bits = mean * relativeBitDeviation(layout, keys);
    return new Moments(mean, Math.sqrt(Math.max(0, variance) / blocks + bits * bits));
  }

  /** Returns the part of the deviation that comes from bits that coincide, relative to the fpp. */
  private static double relativeBitDeviation(BlockedBloom layout, double keys) {
    BlockShape shape = layout.shape();
    double bitCount = layout.bitCount();
    double load = keys * shape.blocks() * shape.words() * shape.bits() / bitCount;
    double clear = Math.exp(-load);
    double variance = Math.max(0, clear - (1 + load) * clear * clear) / bitCount;
    return shape.words() * shape.bits() * Math.sqrt(variance) / (1 - clear);
  }

  /** F(i), as far as it was needed: a search asks for it again and again, first for the most. */
  private static final class BlockFpp {
    private final BlockShape shape;
    private double[] f = {};

    BlockFpp(BlockShape shape) {
      this.shape = shape;
    }

    /** Returns F(i) for i from 0 to last, or further. */
    double[] upTo(int last) {
      if (f.length <= last) {
        f = blockFpp(shape, last);
      }
      return f;
    }
  }

  /** Returns F(i) for i from 0 to last. */
  private static double[] blockFpp(BlockShape shape, int last) {
    double[] f = WordCover.of(shape.bits(), shape.words() / 8.0, last);
    double shared = shape.words() == 2 && shape.bits() > 1 ? SHARED : 1;
    for (int i = 0; i <= last; i++) {
      f[i] = Math.min(1, shared * Math.pow(f[i], shape.words()));
    }
    return f;
  }
}
