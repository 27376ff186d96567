package io.woodbird.filter.frozen;

import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.FilterStats;
import io.woodbird.MappedFilter;
import io.woodbird.file.Header;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.Codec;
import io.woodbird.filter.FilterSpec;
import io.woodbird.key.KeyHasher;
import io.woodbird.words.HeapWords;
import java.util.List;

/** Reads frozen filters from files. */
public enum FrozenCodec implements Codec {
  INSTANCE;

  static <K> FilterSpec<K> spec(Header header, KeyHasher<K> keys) {
    return new FilterSpec<>(keys, header.seed(), header.expectedKeys(), header.promisedFpp());
  }

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
  public <K> MappedFilter<K> stored(FilterSpec<K> spec, StoredFile file)
      throws CorruptFilterException {
    FrozenShape shape = shape(file.header());
    return new StoredFrozenFilter<>(spec, file, shape, table(file, shape));
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
    return new HeapFrozenFilter<>(spec, file.header(), shape, words, table);
  }

  private static FrozenShape shape(Header header) throws CorruptFilterException {
    long shardBits = header.parameter(0);
    long width = header.parameter(1);
    Header.require(shardBits >= 0 && shardBits <= ShardPlan.MAX_SHARD_BITS, "shards", shardBits);
    Header.require(width > 0 && width <= FrozenShape.MAX_WIDTH, "width", width);
    long tableBytes = (8L * ShardTable.ENTRY_WORDS) << shardBits;
    Header.require(header.dataBytes() >= tableBytes, "data bytes", header.dataBytes());
    return new FrozenShape(header.layout(), (int) width);
  }

  /** Reads the shard table and checks that the shards fill the data one after another. */
  private static ShardTable table(StoredFile file, FrozenShape shape)
      throws CorruptFilterException {
    int shardBits = (int) file.header().parameter(0);
    int words = ShardTable.ENTRY_WORDS << shardBits;
    file.requireGood(words, "shard table");
    ShardTable table = ShardTable.read(file, shardBits);
    long next = words;
    for (int shard = 0; shard < 1 << shardBits; shard++) {
      int entry = shard * ShardTable.ENTRY_WORDS;
      long size = FrozenShape.shardWords(shape.layout(), shape.width(), table, entry);
      Header.require(table.word(entry, ShardTable.START) == next && size >= 0, "shard", shard);
      next += size;
    }
    Header.require(next * 8 == file.header().dataBytes(), "data bytes", file.header().dataBytes());
    return table;
  }
}
