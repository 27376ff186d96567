package io.woodbird.filter.frozen;

import io.woodbird.file.LayoutId;
import io.woodbird.layout.FrozenSize;
import io.woodbird.layout.Ribbon;
import io.woodbird.words.HeapWords;
import io.woodbird.words.WordSource;
import java.util.Locale;

/**
 * The kind of a frozen filter, and its bits per key or slot.
 *
 * @param layout ribbon or fuse
 * @param width the most columns of a ribbon, or the bits of a fuse slot
 */
record FrozenShape(LayoutId layout, int width) {
  /** The largest width: an fpp of 2^-32. */
  static final int MAX_WIDTH = FrozenSize.MAX_WIDTH;

  /** Returns a kernel that reads words of a file. */
  WordsKernel kernel(WordSource words, ShardTable table) {
    return layout == LayoutId.RIBBON
        ? new RibbonKernel(words, table)
        : new FuseKernel(words, table, width);
  }

  /** Returns a kernel for words on the heap; it may copy them into another form. */
  FrozenKernel heapKernel(HeapWords words, ShardTable table) {
    return layout == LayoutId.RIBBON
        ? RowRibbonKernel.of(words, table)
        : ByteFuseKernel.of(words, table, width);
  }

  String describe(long keys, long bits) {
    return layout == LayoutId.RIBBON
        ? String.format(
            Locale.ROOT, "ribbon, %.2f bits a key", keys == 0 ? 0 : (double) bits / keys)
        : "binary fuse, " + width + " bits a slot";
  }

  /** Returns the words of a shard with these dimensions, or -1 if they are impossible. */
  static long shardWords(LayoutId layout, int width, ShardTable table, int entry) {
    if (layout == LayoutId.FUSE) {
      int segment = table.low(entry, ShardTable.DIMENSIONS);
      int firstSlots = table.high(entry, ShardTable.DIMENSIONS);
      boolean possible =
          firstSlots >= 0
              && segment > 0
              && segment <= 1 << 18
              && Integer.bitCount(segment) == 1
              && firstSlots % segment == 0
              && table.low(entry, ShardTable.SHAPE) == width;
      long slots = firstSlots == 0 ? 0 : firstSlots + 2L * segment;
      return possible && slots < Integer.MAX_VALUE ? (slots * width + 63) >>> 6 : -1;
    }
    int columns = table.low(entry, ShardTable.SHAPE);
    int firstColumns = table.low(entry, ShardTable.FIRST);
    int ternary = table.high(entry, ShardTable.FIRST);
    if (columns < 1 || columns > width || firstColumns < 0 || firstColumns > columns) {
      return -1;
    }
    if (ternary < 0 || ternary > 1) {
      return -1;
    }
    long words = 0;
    for (int layer = 0; layer < Ribbon.LAYERS; layer++) {
      int segments = table.low(entry, ShardTable.DIMENSIONS + layer);
      int first = table.high(entry, ShardTable.DIMENSIONS + layer);
      if (segments < 0 || segments > 1 << 24 || first < 0 || first > segments) {
        return -1;
      }
      words += layer == Ribbon.LAYERS - 1 ? 0 : Ribbon.thresholdWords(segments);
      words += Ribbon.segmentAt(segments, columns, first, columns - firstColumns);
      words += ternary == 0 ? 0 : Ribbon.ternaryWords(first, segments);
    }
    return words;
  }
}
