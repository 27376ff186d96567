package io.woodbird.layout;

import java.util.List;

/** The dimensions of one ribbon: its layers, its columns, and how many segments are first ones. */
public final class RibbonShape {
  /*
   * A build chooses the shape when the keys are in their layers, a plan chooses it from the
   * expected layers (FrozenSize). Both use this class. So a plan differs from the built filter only
   * by what the keys decide: how many of them each bucket bumps.
   */

  /** Slots per key, with a million keys and more. */
  private static final double SLOTS = 1.0006;

  /** Bits of thresholds per slot. */
  private static final double THRESHOLD_BITS = 2.0 / Ribbon.BUCKET;

  /** A layer with its keys in it. */
  public interface Layer {
    /** How many segments it has. */
    int segments();

    /** How many segments can have ternary slots. */
    int ternarySegments();

    /** Whether it has thresholds. */
    boolean hasThresholds();

    /** How many of the starts below a limit are not bumped. */
    long stay(int limit);

    /** How many slots it has. */
    default int slots() {
      return segments() * Ribbon.SEGMENT;
    }

    /** How many slots an equation can start at. */
    default int starts() {
      return Math.max(0, slots() - Ribbon.SEGMENT + 1);
    }

    /** How many words its thresholds take. */
    default int thresholdWords() {
      return hasThresholds() ? Ribbon.thresholdWords(segments()) : 0;
    }
  }

  private final List<? extends Layer> layers;
  private final int[] first;
  private final int valueBits;
  private RibbonColumns columns;

  private RibbonShape(List<? extends Layer> layers, RibbonColumns columns, int valueBits) {
    this.layers = layers;
    this.columns = columns;
    this.valueBits = valueBits;
    this.first = new int[layers.size()];
  }

  /**
   * Returns the columns to prepare for. Whether there are ternary equations must be known before
   * the layers are.
   */
  public static RibbonColumns wantedWithin(long wordLimit, int keys) {
    return RibbonColumns.forBits(wordLimit * 64.0 / keys / SLOTS - THRESHOLD_BITS, keys);
  }

  /**
   * Returns the smallest shape whose fpp is at most {@code fpp}, with {@code valueBits} more
   * columns.
   */
  public static RibbonShape forFpp(
      List<? extends Layer> layers, double fpp, RibbonColumns wanted, int valueBits) {
    RibbonShape shape = new RibbonShape(layers, wanted, valueBits);
    if (wanted.columns() > 0 && !shape.settle(fpp, Long.MAX_VALUE)) {
      shape.columns = RibbonColumns.forFpp(fpp, 0);
      shape.settle(fpp, Long.MAX_VALUE);
    }
    return shape;
  }

  /** Returns the shape with the lowest fpp in at most {@code wordLimit} words, if there is one. */
  public static RibbonShape within(
      List<? extends Layer> layers, long wordLimit, RibbonColumns wanted, int keys) {
    RibbonShape shape = new RibbonShape(layers, wanted, 0);
    shape.columns = shape.columnsWithin(wordLimit, wanted.ternary() ? keys : 0);
    if (!shape.settle(0, wordLimit)) {
      shape.columns = shape.columnsWithin(wordLimit, 0);
      shape.settle(0, wordLimit);
    }
    return shape;
  }

  /** Returns the columns that fit, now that the number of segments is known. */
  private RibbonColumns columnsWithin(long wordLimit, int keys) {
    long segments = 0;
    long room = wordLimit;
    for (Layer layer : layers) {
      segments += layer.segments();
      room -= layer.thresholdWords();
    }
    return RibbonColumns.forBits(segments == 0 ? 0 : (double) room / segments, keys);
  }

  /**
   * Decides how many segments of each layer are first ones. The later layers get the wanted share,
   * rounded so that the limit holds. Layer 0 gets as many or as few as the limit allows, because
   * buckets bump by chance and a share of the segments is not quite the same share of the
   * questions. Returns false if the limit can't be met.
   */
  private boolean settle(double fpp, long wordLimit) {
    boolean limited = wordLimit != Long.MAX_VALUE;
    boolean asMany = columns.firstAreSmaller() != limited;
    for (int i = 0; i < first.length; i++) {
      double exact = columns.share() * layers.get(i).starts() / Ribbon.SEGMENT;
      double rounded = asMany ? Math.floor(exact) : Math.ceil(exact);
      first[i] = (int) Math.min(most(i), rounded);
    }
    if (columns.share() > 0 && layers.get(0).segments() > 0) {
      int fits = asMany ? 0 : most(0);
      int fails = asMany ? most(0) + 1 : -1;
      while (Math.abs(fails - fits) > 1) {
        int middle = (fits + fails) >> 1;
        first[0] = middle;
        if (limited ? words() <= wordLimit : fpp() <= fpp) {
          fits = middle;
        } else {
          fails = middle;
        }
      }
      first[0] = fits;
    }
    return limited ? words() <= wordLimit : fpp() <= fpp;
  }

  /** How many segments of a layer may be first ones. */
  private int most(int layer) {
    return columns.ternary() ? layers.get(layer).ternarySegments() : layers.get(layer).segments();
  }

  /** The columns of its segments. */
  public RibbonColumns columns() {
    return columns;
  }

  /** Returns how many segments of a layer have the columns of first ones. */
  public int first(int layer) {
    return first[layer];
  }

  /** Returns how many words the segments of a layer before {@code segment} take. */
  public long segmentAt(int layer, int segment) {
    int fewer = columns.columns() - columns.firstColumns();
    return Ribbon.segmentAt(segment, valueBits + columns.columns(), first[layer], fewer);
  }

  /** Returns how many words a segment of a layer has, those of its values included. */
  public int segmentWords(int layer, int segment) {
    return valueBits + (segment < first[layer] ? columns.firstColumns() : columns.columns());
  }

  /** The columns of each segment that hold a value. */
  public int valueBits() {
    return valueBits;
  }

  /** Returns how many words the ternary slots of a layer take. */
  public int ternaryWords(int layer) {
    return columns.ternary() ? Ribbon.ternaryWords(first[layer], layers.get(layer).segments()) : 0;
  }

  /** The words of the ribbon. */
  public long words() {
    long words = 0;
    for (int i = 0; i < first.length; i++) {
      Layer layer = layers.get(i);
      words += layer.thresholdWords() + segmentAt(i, layer.segments()) + ternaryWords(i);
    }
    return words;
  }

  /** The share of foreign keys that pass, summed over the starts of all layers. */
  public double fpp() {
    double passed = 0;
    double reach = 1;
    for (int i = 0; i < first.length; i++) {
      Layer layer = layers.get(i);
      if (layer.segments() > 0) {
        double starts = layer.starts();
        long stay = layer.stay(layer.starts());
        long stayFirst = layer.stay(Math.min(layer.starts(), first[i] * Ribbon.SEGMENT));
        passed +=
            reach
                * (stayFirst * columns.firstPasses() + (stay - stayFirst) * columns.passes())
                / starts;
        reach *= 1 - stay / starts;
      }
    }
    return passed;
  }
}
