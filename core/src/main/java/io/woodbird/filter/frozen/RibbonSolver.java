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

  private final double fpp;
  private final int shardBits;
  private final List<RibbonLayer> layers = new ArrayList<>();
  private long[] bumped = new long[0];

  RibbonSolver(double fpp, int shardBits) {
    this.fpp = fpp;
    this.shardBits = shardBits;
    for (int layer = 0; layer < Ribbon.LAYERS; layer++) {
      layers.add(new RibbonLayer(layer < LAST));
    }
  }

  @Override
  public Shard solve(long[] sorted, int count, long wordLimit) {
    boolean limited = wordLimit != Long.MAX_VALUE;
    RibbonColumns wanted =
        limited ? RibbonShape.wantedWithin(wordLimit, count) : RibbonColumns.forFpp(fpp, count);
    int salt = fill(sorted, count, wanted.ternary() ? wanted.share() : 0);
    RibbonShape shape =
        limited
            ? RibbonShape.within(layers, wordLimit, wanted, count)
            : RibbonShape.forFpp(layers, fpp, wanted);
    return write(count, shape, salt);
  }

  /** Adds the keys to one layer after another and returns the salt of the last layer. */
  private int fill(long[] sorted, int count, double ternaryShare) {
    long[] keys = new long[count];
    for (int i = 0; i < count; i++) {
      keys[i] = Ribbon.inFirstLayer(sorted[i], shardBits);
    }
    int left = count;
    for (int layer = 0; layer < LAST; layer++) {
      if (layer > 0) {
        toNextLayer(keys, left, 0);
      }
      int buckets = Ribbon.buckets(left);
      layers.get(layer).clear(buckets * Ribbon.BUCKET / Ribbon.SEGMENT, ternaryShare);
      if (buckets > 0) {
        if (bumped.length < left) {
          bumped = new long[left];
        }
        left = layers.get(layer).fill(keys, left, bumped);
        keys = Arrays.copyOf(bumped, left);
      }
    }
    return fillLast(keys, left, ternaryShare);
  }

  /** Moves keys to the next layer and sorts them there. */
  private static void toNextLayer(long[] keys, int count, int salt) {
    for (int i = 0; i < count; i++) {
      keys[i] = Ribbon.inNextLayer(keys[i], salt);
    }
    HashSort.sortDistinct(keys, 0, count, 0, new long[count]);
  }

  /** Fills the last layer. If it can't be solved, tries other salts and adds segments. */
  private int fillLast(long[] keys, int count, double ternaryShare) {
    RibbonLayer layer = layers.get(LAST);
    if (count == 0) {
      layer.clear(0, 0);
      return 0;
    }
    int least = Ribbon.lastSegments(count);
    for (int salt = 0; salt < 10_000; salt++) {
      long[] salted = Arrays.copyOf(keys, count);
      toNextLayer(salted, count, salt);
      layer.clear(least + salt / 2, ternaryShare);
      if (layer.fillWithoutBumping(salted, count)) {
        return salt;
      }
    }
    throw new IllegalStateException("a ribbon of " + count + " keys could not be solved");
  }

  private Shard write(int keys, RibbonShape shape, int salt) {
    RibbonColumns columns = shape.columns();
    long[] entry = new long[ShardTable.ENTRY_WORDS];
    entry[ShardTable.SHAPE] = ShardTable.pack(columns.columns(), salt);
    entry[ShardTable.FIRST] = ShardTable.pack(columns.firstColumns(), columns.ternary() ? 1 : 0);
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
