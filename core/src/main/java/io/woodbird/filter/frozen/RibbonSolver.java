package io.woodbird.filter.frozen;

import io.woodbird.layout.Ribbon;
import io.woodbird.layout.RibbonColumns;
import io.woodbird.layout.RibbonShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Solves the equations of one shard of a ribbon filter. Reused for shard after shard. */
final class RibbonSolver implements ShardSolver {
  private static final int LAST = Ribbon.LAYERS - 1;

  private static final long[] NONE = {};

  private final double fpp;
  private final int shardBits;
  private final int valueBits;
  private final List<RibbonLayer> layers = new ArrayList<>();
  private long[] bumped = new long[0];
  private long[] bumpedValues = new long[0];

  RibbonSolver(double fpp, int shardBits) {
    this(fpp, shardBits, 0);
  }

  /** Makes one for maps; an fpp of 1 means that strangers are not recognised. */
  RibbonSolver(double fpp, int shardBits, int valueBits) {
    this.fpp = fpp;
    this.shardBits = shardBits;
    this.valueBits = valueBits;
    for (int layer = 0; layer < Ribbon.LAYERS; layer++) {
      layers.add(new RibbonLayer(layer < LAST, valueBits));
    }
  }

  /** Builds a shard of a map: as {@link #solve}, with a value for each hash. */
  Shard solveMap(long[] sorted, long[] values, int count) {
    RibbonColumns wanted = fpp == 1 ? RibbonColumns.none() : RibbonColumns.forFpp(fpp, count);
    int salt = fill(sorted, values, count, wanted.ternary() ? wanted.share() : 0);
    return write(count, RibbonShape.forFpp(layers, fpp, wanted, valueBits), salt);
  }

  @Override
  public Shard solve(long[] sorted, int count, long wordLimit) {
    boolean limited = wordLimit != Long.MAX_VALUE;
    RibbonColumns wanted =
        limited ? RibbonShape.wantedWithin(wordLimit, count) : RibbonColumns.forFpp(fpp, count);
    int salt = fill(sorted, NONE, count, wanted.ternary() ? wanted.share() : 0);
    RibbonShape shape =
        limited
            ? RibbonShape.within(layers, wordLimit, wanted, count)
            : RibbonShape.forFpp(layers, fpp, wanted, 0);
    return write(count, shape, salt);
  }

  /** Adds the keys to one layer after another and returns the salt of the last layer. */
  private int fill(long[] sorted, long[] sortedValues, int count, double ternaryShare) {
    long[] keys = new long[count];
    for (int i = 0; i < count; i++) {
      keys[i] = Ribbon.inFirstLayer(sorted[i], shardBits);
    }
    long[] values = sortedValues;
    int left = count;
    for (int layer = 0; layer < LAST; layer++) {
      if (layer > 0) {
        toNextLayer(keys, values, left, 0);
      }
      int buckets = Ribbon.buckets(left);
      layers.get(layer).clear(buckets * Ribbon.BUCKET / Ribbon.SEGMENT, ternaryShare);
      if (layer == 0) {
        values = Arrays.copyOf(values, valueBits == 0 ? 0 : count); // Not to sort the caller's.
      }
      if (buckets > 0) {
        if (bumped.length < left) {
          bumped = new long[left];
          bumpedValues = new long[valueBits == 0 ? 0 : left];
        }
        left = layers.get(layer).fill(keys, values, left, bumped, bumpedValues);
        keys = Arrays.copyOf(bumped, left);
        values = Arrays.copyOf(bumpedValues, valueBits == 0 ? 0 : left);
      }
    }
    return fillLast(keys, values, left, ternaryShare);
  }

  /** Moves keys to the next layer and sorts them there. */
  private void toNextLayer(long[] keys, long[] values, int count, int salt) {
    for (int i = 0; i < count; i++) {
      keys[i] = Ribbon.inNextLayer(keys[i], salt);
    }
    if (valueBits == 0) {
      HashSort.sortDistinct(keys, 0, count, 0, new long[count]);
    } else {
      PairSort.sort(keys, values, 0, count, 0, new long[count], new long[count]);
    }
  }

  /** Fills the last layer. If it can't be solved, tries other salts and adds segments. */
  private int fillLast(long[] keys, long[] values, int count, double ternaryShare) {
    RibbonLayer layer = layers.get(LAST);
    if (count == 0) {
      layer.clear(0, 0);
      return 0;
    }
    int least = Ribbon.lastSegments(count);
    for (int salt = 0; salt < 10_000; salt++) {
      long[] salted = Arrays.copyOf(keys, count);
      long[] saltedValues = values.clone();
      toNextLayer(salted, saltedValues, count, salt);
      layer.clear(least + salt / 2, ternaryShare);
      if (layer.fillWithoutBumping(salted, saltedValues, count)) {
        return salt;
      }
    }
    throw new IllegalStateException("a ribbon of " + count + " keys could not be solved");
  }

  private Shard write(int keys, RibbonShape shape, int salt) {
    RibbonColumns columns = shape.columns();
    long[] entry = new long[ShardTable.ENTRY_WORDS];
    entry[ShardTable.SHAPE] = ShardTable.pack(columns.columns(), salt);
    int more = (columns.ternary() ? ShardTable.TERNARY : 0) | (valueBits << ShardTable.VALUE_SHIFT);
    entry[ShardTable.FIRST] = ShardTable.pack(columns.firstColumns(), more);
    entry[ShardTable.KEYS] = keys;
    long[] words = new long[Math.toIntExact(shape.words())];
    int at = 0;
    for (int i = 0; i < Ribbon.LAYERS; i++) {
      RibbonLayer layer = layers.get(i);
      entry[ShardTable.DIMENSIONS + i] = ShardTable.pack(layer.segments(), shape.first(i));
      at = layer.write(shape, i, words, at);
    }
    return new Shard(entry, words, shape.fpp());
  }
}
