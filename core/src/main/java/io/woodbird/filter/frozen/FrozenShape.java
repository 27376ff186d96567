package io.woodbird.filter.frozen;

import io.woodbird.file.Header;
import io.woodbird.file.LayoutId;
import io.woodbird.layout.FrozenSize;
import io.woodbird.layout.Ribbon;
import io.woodbird.words.HeapWords;
import io.woodbird.words.WordSource;
import java.util.Locale;

/**
 * The kind of a frozen filter, and its bits per key or slot.
 *
 * @param layout ribbon, fuse, map or exact
 * @param width the most columns of a ribbon, or the bits of a fuse slot; 0 if a map does not
 *     recognise strangers
 * @param valueBits the bits of a map's values, otherwise 0
 */
record FrozenShape(LayoutId layout, int width, int valueBits) {
  FrozenShape(LayoutId layout, int width) {
    this(layout, width, 0);
  }

  /** Reads the shape of a filter that was just built. */
  static FrozenShape of(Header header) {
    return new FrozenShape(header.layout(), (int) header.parameter(1), (int) header.parameter(2));
  }

  /** The largest width: an fpp of 2^-32. */
  static final int MAX_WIDTH = FrozenSize.MAX_WIDTH;

  /** Returns a kernel that reads words of a file. */
  WordsKernel kernel(WordSource words, ShardTable table) {
    return switch (layout) {
      case FUSE -> new FuseKernel(words, table, width);
      case EXACT -> new ExactKernel(words, table, width > 0);
      default -> new RibbonKernel(words, table);
    };
  }

  /** Returns a kernel for words on the heap; it may copy them into another form. */
  FrozenKernel heapKernel(HeapWords words, ShardTable table) {
    return switch (layout) {
      case RIBBON, RIBBON_MAP -> RowRibbonKernel.of(words, table);
      case FUSE -> ByteFuseKernel.of(words, table, width);
      default -> kernel(words, table);
    };
  }

  /** How many entries of the shard table a shard has. */
  int entriesPerShard() {
    return layout == LayoutId.EXACT ? 2 : 1;
  }

  String describe(long keys, long bits) {
    double perKey = keys == 0 ? 0 : (double) bits / keys;
    return switch (layout) {
      case FUSE -> "binary fuse, " + width + " bits a slot";
      case RIBBON_MAP ->
          String.format(
              Locale.ROOT, "ribbon map, values of %d bits, %.2f bits a key", valueBits, perKey);
      case EXACT ->
          String.format(Locale.ROOT, "two ribbons, exact over its world, %.2f bits a key", perKey);
      default -> String.format(Locale.ROOT, "ribbon, %.2f bits a key", perKey);
    };
  }

  /** Returns the words of a shard with these dimensions, or -1 if they are impossible. */
  static long shardWords(FrozenShape shape, ShardTable table, int entry) {
    if (shape.layout == LayoutId.FUSE) {
      return fuseWords(shape.width, table, entry);
    }
    boolean second = shape.layout == LayoutId.EXACT && entry / ShardTable.ENTRY_WORDS % 2 == 1;
    int valueBits = second ? 1 : shape.valueBits;
    int width = second ? 0 : shape.width;
    int more = table.high(entry, ShardTable.FIRST) & ~ShardTable.TERNARY;
    if (more != valueBits << ShardTable.VALUE_SHIFT) {
      return -1;
    }
    return ribbonWords(width, table, entry);
  }

  private static long fuseWords(int width, ShardTable table, int entry) {
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

  private static long ribbonWords(int width, ShardTable table, int entry) {
    int columns = table.low(entry, ShardTable.SHAPE);
    int firstColumns = table.low(entry, ShardTable.FIRST);
    if (columns < Math.min(1, width)
        || columns > width
        || firstColumns < 0
        || firstColumns > columns) {
      return -1;
    }
    int valueBits = table.valueBits(entry);
    long words = 0;
    for (int layer = 0; layer < Ribbon.LAYERS; layer++) {
      int segments = table.low(entry, ShardTable.DIMENSIONS + layer);
      int first = table.high(entry, ShardTable.DIMENSIONS + layer);
      if (segments < 0 || segments > 1 << 24 || first < 0 || first > segments) {
        return -1;
      }
      words += layer == Ribbon.LAYERS - 1 ? 0 : Ribbon.thresholdWords(segments);
      words += Ribbon.segmentAt(segments, valueBits + columns, first, columns - firstColumns);
      words += table.isTernary(entry) ? Ribbon.ternaryWords(first, segments) : 0;
    }
    return words;
  }
}
