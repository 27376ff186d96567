package io.woodbird.filter.bloom;

import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.FilterStats;
import io.woodbird.file.Header;
import io.woodbird.file.LayoutId;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.Codec;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.StoredForm;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.words.WordSource;
import java.util.List;

/**
 * Writes and reads counting Bloom filters in files. Words are stored inverted: zeros read as
 * counters that are stuck.
 */
public enum CountingCodec implements Codec {
  INSTANCE;

  private static final int BLOCK_WORDS = 4 * BlockedBloom.WORDS;

  static Header header(BlockedBloom layout, FilterSpec<?> spec) {
    long bytes = 8 * BLOCK_WORDS * layout.blockCount();
    return spec.header(LayoutId.COUNTING_BLOOM, 0, bytes, layout.blockCount(), layout.shape().id());
  }

  static FilterStats stats(
      BlockedBloom layout, FilterSpec<?> spec, WordSource counters, List<String> doubts) {
    FilterStats bloom =
        new BloomShape.Blocked(layout).stats(word -> Counters.bitsOf(counters, word), spec, doubts);
    return new FilterStats(
        "counting Bloom, " + layout.shape() + ", counters of 4 bits",
        4 * bloom.bits(),
        bloom.expectedKeys(),
        bloom.estimatedKeys(),
        bloom.fill(),
        bloom.promisedFpp(),
        bloom.currentFpp(),
        doubts);
  }

  private static BlockedBloom layout(Header header) throws CorruptFilterException {
    long blocks = header.parameter(0);
    Header.require(blocks > 0 && blocks <= 1L << 46, "number of blocks", blocks);
    BlockShape shape = BloomCodec.blockShape(header.parameter(1));
    Header.require(header.expectedKeys() > 0, "expected keys", header.expectedKeys());
    Header.require(
        8 * BLOCK_WORDS * blocks == header.dataBytes(), "data bytes", header.dataBytes());
    return new BlockedBloom(blocks, shape);
  }

  @Override
  public StoredForm stored(StoredFile file) throws CorruptFilterException {
    return new StoredCountingBloom(file, layout(file.header()));
  }

  @Override
  public <K> Filter<K> onHeap(FilterSpec<K> spec, StoredFile file) throws CorruptFilterException {
    BlockedBloom layout = layout(file.header());
    Header.require(
        layout.blockCount() <= BlockedBloom.MAX_BLOCKS / 4,
        "size for the heap",
        layout.blockCount());
    CountingBloomFilter<K> filter = new CountingBloomFilter<>(spec, layout);
    filter.words().setInverted(file);
    return filter;
  }
}
