package io.woodbird.filter;

import io.woodbird.layout.Ribbon;
import io.woodbird.words.WordSource;

/** Asks a ribbon filter. */
final class RibbonKernel extends FrozenKernel {
  private static final int LAST = Ribbon.LAYERS - 1;

  private final ShardTable table;

  RibbonKernel(WordSource words, ShardTable table) {
    super(words, table);
    this.table = table;
  }

  @Override
  boolean lacks(long hash) {
    int entry = table.entryOf(hash);
    int columns = table.low(entry, ShardTable.SHAPE);
    long at = table.word(entry, ShardTable.START);
    long inLayer = Ribbon.inFirstLayer(hash, table.shardBits());
    for (int layer = 0; layer < LAST; layer++) {
      int segments = table.low(entry, ShardTable.DIMENSIONS + layer);
      if (segments != 0) {
        int narrow = table.high(entry, ShardTable.DIMENSIONS + layer);
        int start = Ribbon.start(inLayer, segments * Ribbon.SEGMENT);
        long slots = at + Ribbon.thresholdWords(segments);
        if (!bumped(at, start)) {
          return differs(slots, columns, narrow, start, Ribbon.bits(inLayer));
        }
        at = slots + Ribbon.segmentAt(segments, columns, narrow);
      }
      inLayer = next(inLayer, entry, layer);
    }
    int segments = table.low(entry, ShardTable.DIMENSIONS + LAST);
    if (segments == 0) {
      return true; // No key was left for the last layer.
    }
    int narrow = table.high(entry, ShardTable.DIMENSIONS + LAST);
    int start = Ribbon.start(inLayer, segments * Ribbon.SEGMENT);
    return differs(at, columns, narrow, start, Ribbon.bits(inLayer));
  }

  private long next(long inLayer, int entry, int layer) {
    int salt = layer + 1 == LAST ? table.high(entry, ShardTable.SHAPE) : 0;
    return Ribbon.inNextLayer(inLayer, salt);
  }

  private boolean bumped(long thresholds, int start) {
    int bucket = start / Ribbon.BUCKET;
    int code = (int) (get(thresholds + (bucket >>> 5)) >>> (2 * bucket)) & 3;
    return start % Ribbon.BUCKET < Ribbon.threshold(code);
  }

  /** Whether the slots from a start on do not give the result of a key, in any of the columns. */
  private boolean differs(long slots, int columns, int narrow, int start, long bits) {
    int segment = start >>> 6;
    int shift = start & 63;
    long here = slots + Ribbon.segmentAt(segment, columns, narrow);
    // A band that begins with its segment ends with it; the next one may not exist.
    long there = shift == 0 ? here : slots + Ribbon.segmentAt(segment + 1, columns, narrow);
    int count = segment < narrow ? columns - 1 : columns;
    long coefficients = Ribbon.coefficients(bits);
    int result = Ribbon.result(bits);
    for (int column = 0; column < count; column++) {
      // The second shift is done in two steps, as one by 64 would be none.
      long band = (get(here + column) >>> shift) | (get(there + column) << 1 << (63 - shift));
      if (((Long.bitCount(band & coefficients) ^ (result >>> column)) & 1) != 0) {
        return true;
      }
    }
    return false;
  }

  @Override
  void visit(long hash, WordVisitor visitor) {
    int entry = table.entryOf(hash);
    int columns = table.low(entry, ShardTable.SHAPE);
    long at = table.word(entry, ShardTable.START);
    long inLayer = Ribbon.inFirstLayer(hash, table.shardBits());
    for (int layer = 0; layer <= LAST; layer++) {
      int segments = table.low(entry, ShardTable.DIMENSIONS + layer);
      if (segments != 0) {
        int narrow = table.high(entry, ShardTable.DIMENSIONS + layer);
        int start = Ribbon.start(inLayer, segments * Ribbon.SEGMENT);
        boolean bumps = layer < LAST;
        long slots = bumps ? at + Ribbon.thresholdWords(segments) : at;
        if (bumps && !visitor.visit(at + ((start / Ribbon.BUCKET) >>> 5))) {
          return;
        }
        if (!bumps || !bumped(at, start)) {
          int segment = start >>> 6;
          long first = slots + Ribbon.segmentAt(segment, columns, narrow);
          long end = slots + Ribbon.segmentAt(Math.min(segment + 2, segments), columns, narrow);
          for (long word = first; word < end; word++) {
            if (!visitor.visit(word)) {
              return;
            }
          }
          return;
        }
        at = slots + Ribbon.segmentAt(segments, columns, narrow);
      }
      inLayer = next(inLayer, entry, layer);
    }
  }

  @Override
  long touch(long hash) {
    int entry = table.entryOf(hash);
    int segments = table.low(entry, ShardTable.DIMENSIONS);
    if (segments == 0) {
      return 0;
    }
    int narrow = table.high(entry, ShardTable.DIMENSIONS);
    int start =
        Ribbon.start(Ribbon.inFirstLayer(hash, table.shardBits()), segments * Ribbon.SEGMENT);
    long slots = table.word(entry, ShardTable.START) + Ribbon.thresholdWords(segments);
    return get(slots + Ribbon.segmentAt(start >>> 6, table.low(entry, ShardTable.SHAPE), narrow));
  }
}
