package io.woodbird.filter.frozen;

import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.FilterStats;
import io.woodbird.OpenFilter;
import io.woodbird.file.Header;
import io.woodbird.file.LayoutId;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.Codec;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.StoredForm;
import io.woodbird.words.HeapWords;
import java.util.List;

/** Reads frozen filters from files. */
public enum FrozenCodec implements Codec {
  INSTANCE;

  static FilterStats stats(Header header, FrozenShape shape, List<String> doubts) {
    long bits = header.dataBytes() * 8;
    return new FilterStats(
        shape.describe(header.keyCount(), bits),
        bits,
        header.keyCount(),
        header.keyCount(),
        1,
        header.promisedFpp(),
        header.promisedFpp(),
        doubts);
  }

  @Override
  public StoredForm stored(StoredFile file) throws CorruptFilterException {
    FrozenShape shape = shape(file.header());
    return new StoredFrozenFilter(file, shape, table(file, shape));
  }

  /** Makes the map that answers straight from the file. */
  public static <K> OpenFilter<K> storedMap(FilterSpec<K> spec, StoredFile file)
      throws CorruptFilterException {
    FrozenShape shape = shape(file.header());
    StoredFrozenFilter form = new StoredFrozenFilter(file, shape, table(file, shape));
    return new StoredFrozenMap<>(spec, file, form, shape.valueBits());
  }

  @Override
  public <K> Filter<K> onHeap(FilterSpec<K> spec, StoredFile file) throws CorruptFilterException {
    FrozenShape shape = shape(file.header());
    ShardTable table = table(file, shape);
    long count = file.header().dataBytes() / 8;
    Header.require(count < 1L << 31, "number of words for the heap", count);
    HeapWords words = new HeapWords(count);
    for (long word = 0; word < count; word++) {
      words.set(word, file.get(word));
    }
    return onHeap(spec, file.header(), shape, words, table);
  }

  static <K> Filter<K> onHeap(
      FilterSpec<K> spec, Header header, FrozenShape shape, HeapWords words, ShardTable table) {
    return shape.valueBits() > 0
        ? new HeapFrozenMap<>(spec, header, shape, words, table)
        : new HeapFrozenFilter<>(spec, header, shape, words, table);
  }

  private static FrozenShape shape(Header header) throws CorruptFilterException {
    long shardBits = header.parameter(0);
    long width = header.parameter(1);
    Header.require(shardBits >= 0 && shardBits <= ShardPlan.MAX_SHARD_BITS, "shards", shardBits);
    boolean map = header.layout() == LayoutId.RIBBON_MAP;
    int least = map || header.layout() == LayoutId.EXACT ? 0 : 1;
    Header.require(width >= least && width <= FrozenShape.MAX_WIDTH, "width", width);
    long valueBits = map ? header.parameter(2) : 0;
    Header.require(!map || (valueBits >= 1 && valueBits <= 64), "bits of a value", valueBits);
    FrozenShape shape = new FrozenShape(header.layout(), (int) width, (int) valueBits);
    long tableBytes = (8L * ShardTable.ENTRY_WORDS * shape.entriesPerShard()) << shardBits;
    Header.require(header.dataBytes() >= tableBytes, "data bytes", header.dataBytes());
    return shape;
  }

  /** Reads the shard table and checks that the shards fill the data one after another. */
  private static ShardTable table(StoredFile file, FrozenShape shape)
      throws CorruptFilterException {
    int shardBits = (int) file.header().parameter(0);
    int words = (shape.entriesPerShard() * ShardTable.ENTRY_WORDS) << shardBits;
    file.requireGood(words, "shard table");
    ShardTable table = ShardTable.read(file, shardBits, shape.entriesPerShard());
    long next = words;
    for (int entry = 0; entry < words; entry += ShardTable.ENTRY_WORDS) {
      long size = FrozenShape.shardWords(shape, table, entry);
      Header.require(table.word(entry, ShardTable.START) == next && size >= 0, "shard", entry / 8);
      next += size;
    }
    Header.require(next * 8 == file.header().dataBytes(), "data bytes", file.header().dataBytes());
    return table;
  }
}
