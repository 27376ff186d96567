package io.woodbird.layout;

import io.woodbird.layout.FamilySize.Size;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The sizes of frozen filters, as far as they are known before the keys are. */
public final class FrozenSize {
  /*
   * Up to about four million keys (2^22) there is one shard. The size of a fuse filter of one shard
   * is known to the bit. Several shards have about the same number of keys each, and slots come in
   * whole segments, so only the expected size is known.
   *
   * In a ribbon the keys decide how many of them each bucket bumps. A layer that bumps leaves few
   * slots empty, whatever its columns: 22 at its end and 0.045 % of the others, measured with 1,000
   * to 1,000,000 keys; their number varies by about 20. The plan uses these averages, so the ribbon
   * that is built has a few segments more or fewer. With fewer than 1,000 keys nothing is bumped.
   * Then only a last layer that can't be solved with its first salts takes more than planned.
   */
  private static final double EMPTY_SHARE = 0.00045;
  private static final int EMPTY_AT_END = 22;

  private static final int SHARD_KEYS_LOG = 22;

  /** The words of a shard's entry in the shard table. */
  public static final int ENTRY_WORDS = 8;

  /** The most columns of a ribbon, or bits of a fuse slot: an fpp of 2^-32. */
  public static final int MAX_WIDTH = 32;

  /** The fewest bits per key of a fuse filter: one bit per slot, 1.125 slots per key. */
  public static final double LEAST_FUSE_BITS = 1.13;

  /** The fewest bits per key of a ribbon: its thresholds take 2 bits per 128 slots. */
  public static final double LEAST_RIBBON_BITS = 0.02;

  private FrozenSize() {}

  /** Returns the number of leading bits of a hash that choose its shard. */
  public static int shardBits(long keys) {
    int bits = 0;
    while (keys >>> bits > 1 << SHARD_KEYS_LOG) {
      bits++;
    }
    return bits;
  }

  /** Returns the same for a map, whose shards have half as many keys: each has a value too. */
  public static int mapShardBits(long keys) {
    return shardBits(2 * keys);
  }

  /** Returns the same for an exact filter: a shard of its second level is as large as others. */
  public static int exactShardBits(long keys, long others, double rate) {
    return shardBits(keys + (long) (rate * others));
  }

  /**
   * Returns the share of the others that should pass the first level of an exact filter, 1 if there
   * should be none. Half of the strangers that pass it pass the second level.
   */
  public static double firstLevelRate(long keys, long others, double fpp) {
    double smallest = others == 0 ? 1 : keys / (others * Math.log(2));
    return Math.max(0x1p-32, Math.min(1, Math.min(smallest, 2 * fpp)));
  }

  /** Returns the size of a map, whose strangers pass with probability {@code fpp}, perhaps 1. */
  public static @Nullable Size map(long keys, double fpp, int valueBits) {
    if (fpp < 1 && width(fpp) > MAX_WIDTH) {
      return null;
    }
    int shardBits = mapShardBits(keys);
    RibbonShape shape = ribbonOf(shardKeys(keys, shardBits), fpp, valueBits);
    return new Size(bits(shape.words(), shardBits), fpp == 1 ? 1 : shape.fpp());
  }

  /** Returns the size of an exact filter, and the fpp of strangers. */
  public static Size exact(long keys, long others, double fpp) {
    double rate = firstLevelRate(keys, others, fpp);
    int shardBits = exactShardBits(keys, others, rate);
    RibbonShape first = ribbonOf(rate == 1 ? 0 : shardKeys(keys, shardBits), rate, 0);
    RibbonShape second = ribbonOf(shardKeys((long) (keys + rate * others), shardBits), 1, 1);
    long words = first.words() + second.words() + ENTRY_WORDS;
    return new Size(bits(words, shardBits), rate == 1 ? 0.5 : first.fpp() / 2);
  }

  private static RibbonShape ribbonOf(int keys, double fpp, int valueBits) {
    RibbonColumns wanted = fpp == 1 ? RibbonColumns.none() : RibbonColumns.forFpp(fpp, keys);
    return RibbonShape.forFpp(expectedLayers(keys, wanted), fpp, wanted, valueBits);
  }

  /** Returns the bits that an fpp needs: rounded up, and exact for powers of two. */
  public static int width(double fpp) {
    return Math.max(1, -Math.getExponent(fpp));
  }

  /** Returns the widest slots that fit into {@code words} words, 0 if none do. */
  public static int fuseWidth(long keys, int shardBits, long words) {
    // 0.5 % more, as shards differ in size.
    double perShard = shardBits == 0 ? keys : Math.ceil(keys * 1.005 / (1L << shardBits));
    double slots = (double) Fuse.slots((int) perShard) * (1L << shardBits);
    return (int) Math.min(MAX_WIDTH, Math.floor(words * 64.0 / Math.max(1, slots)));
  }

  static @Nullable Size fuse(long keys, double fpp) {
    int width = width(fpp);
    return width > MAX_WIDTH ? null : fuse(keys, width);
  }

  static @Nullable Size fuseWithin(long keys, long bits) {
    int shardBits = shardBits(keys);
    long words = wordsWithin(bits, shardBits);
    int width = fuseWidth(keys, shardBits, words);
    return width < 1 || words * 64.0 / keys < LEAST_FUSE_BITS ? null : fuse(keys, width);
  }

  private static Size fuse(long keys, int width) {
    int shardBits = shardBits(keys);
    double words;
    if (shardBits == 0) {
      words = (Fuse.slots((int) keys) * (long) width + 63) >>> 6;
    } else {
      words = Fuse.expectedSlots(keys / (double) (1L << shardBits)) * width / 64;
    }
    return new Size(bits(words, shardBits), Math.pow(2, -width));
  }

  static @Nullable Size ribbon(long keys, double fpp) {
    if (width(fpp) > MAX_WIDTH) {
      return null;
    }
    int shardBits = shardBits(keys);
    int shardKeys = shardKeys(keys, shardBits);
    RibbonShape shape = ribbonOf(shardKeys, fpp, 0);
    return new Size(bits(shape.words(), shardBits), shape.fpp());
  }

  static @Nullable Size ribbonWithin(long keys, long bits) {
    int shardBits = shardBits(keys);
    long words = wordsWithin(bits, shardBits);
    if (words * 64.0 / keys < LEAST_RIBBON_BITS) {
      return null;
    }
    int shardKeys = shardKeys(keys, shardBits);
    long wordLimit = words >> shardBits;
    RibbonColumns wanted = RibbonShape.wantedWithin(wordLimit, shardKeys);
    List<Layer> layers = expectedLayers(shardKeys, wanted);
    RibbonShape shape = RibbonShape.within(layers, wordLimit, wanted, shardKeys);
    return shape.words() > wordLimit ? null : new Size(bits(shape.words(), shardBits), shape.fpp());
  }

  private static int shardKeys(long keys, int shardBits) {
    return (int) Math.round(keys / (double) (1L << shardBits));
  }

  /** Returns the words that {@code bits} bits of data leave for the shards. */
  private static long wordsWithin(long bits, int shardBits) {
    return bits / 64 - ((long) ENTRY_WORDS << shardBits);
  }

  private static long bits(double shardWords, int shardBits) {
    return 64 * Math.round((shardWords + ENTRY_WORDS) * (1L << shardBits));
  }

  private static List<Layer> expectedLayers(int keys, RibbonColumns wanted) {
    double ternaryShare = wanted.ternary() ? wanted.share() : 0;
    List<Layer> layers = new ArrayList<>();
    double left = keys;
    for (int i = 0; i < Ribbon.LAYERS - 1; i++) {
      int buckets = Ribbon.buckets((int) left);
      double filled = buckets == 0 ? 0 : buckets * Ribbon.BUCKET * (1 - EMPTY_SHARE) - EMPTY_AT_END;
      layers.add(Layer.of(2 * buckets, ternaryShare, true, filled / left));
      left -= filled;
    }
    layers.add(Layer.of(Ribbon.lastSegments((int) Math.round(left)), ternaryShare, false, 1));
    return layers;
  }

  /** A layer of the expected size. */
  private record Layer(int segments, int ternarySegments, boolean hasThresholds, double stays)
      implements RibbonShape.Layer {
    static Layer of(int segments, double ternaryShare, boolean hasThresholds, double stays) {
      int ternary = Ribbon.ternarySegments(segments, ternaryShare);
      return new Layer(segments, ternary, hasThresholds, stays);
    }

    @Override
    public long stay(int limit) {
      return Math.round(limit * stays);
    }
  }
}
