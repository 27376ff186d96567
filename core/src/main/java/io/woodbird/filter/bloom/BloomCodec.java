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
import io.woodbird.layout.ClassicBloom;
import io.woodbird.words.HeapWords;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes and reads Bloom filters in files. */
public enum BloomCodec implements Codec {
  INSTANCE;

  /*
   * Bits are stored inverted: 0 means set. A page that reads as zeros, because the file was cut or
   * wiped under a mapping, then says "maybe here" for every key, and never "not here".
   */

  /** A multiple of a page's size. */
  private static final int COPIED_BYTES = 1 << 16;

  static Header header(BloomShape shape, FilterSpec<?> spec) {
    long bytes = shape.wordCount() * 8;
    if (shape instanceof BloomShape.Blocked blocked) {
      BlockedBloom layout = blocked.layout();
      return spec.header(
          LayoutId.BLOCKED_BLOOM, 0, bytes, layout.blockCount(), layout.shape().id());
    }
    ClassicBloom layout = ((BloomShape.Classic) shape).layout();
    return spec.header(LayoutId.CLASSIC_BLOOM, 0, bytes, layout.bitCount(), layout.hashCount());
  }

  /** Reads the shape from a header, and makes sure that the data fits it. */
  static BloomShape shape(Header header) throws CorruptFilterException {
    long size = header.parameter(0);
    long kind = header.parameter(1);
    BloomShape shape;
    if (header.layout() == LayoutId.BLOCKED_BLOOM) {
      Header.require(size > 0 && size <= 1L << 48, "number of blocks", size);
      shape = new BloomShape.Blocked(new BlockedBloom(size, blockShape(kind)));
    } else {
      Header.require(size > 0 && size <= 1L << 57 && size % 64 == 0, "number of bits", size);
      Header.require(kind > 0 && kind <= 64, "number of hashes", kind);
      shape = new BloomShape.Classic(new ClassicBloom(size, (int) kind));
    }
    Header.require(header.expectedKeys() > 0, "expected keys", header.expectedKeys());
    Header.require(shape.wordCount() * 8 == header.dataBytes(), "data bytes", header.dataBytes());
    return shape;
  }

  public static BlockShape blockShape(long id) throws CorruptFilterException {
    for (BlockShape shape : BlockShape.values()) {
      if (shape.id() == id) {
        return shape;
      }
    }
    throw new CorruptFilterException("the header has an impossible block shape: " + id);
  }

  @Override
  public StoredForm stored(StoredFile file) throws CorruptFilterException {
    BloomShape shape = shape(file.header());
    if (shape instanceof BloomShape.Blocked blocked) {
      return new StoredBlockedBloom(file, blocked.layout());
    }
    return new StoredClassicBloom(file, ((BloomShape.Classic) shape).layout());
  }

  @Override
  public <K> Filter<K> onHeap(FilterSpec<K> spec, StoredFile file) throws CorruptFilterException {
    HeapBloomFilter<K> filter = emptyFor(spec, file, null);
    filter.words().setInverted(file);
    return filter;
  }

  /**
   * Reads a filter from a file of which no page was checked, and keeps one copy of it in memory.
   */
  static <K> HeapBloomFilter<K> copy(
      FilterSpec<K> spec, StoredFile file, @Nullable Consumer<FilterStats> overfull)
      throws CorruptFilterException {
    HeapBloomFilter<K> filter = emptyFor(spec, file, overfull);
    HeapWords words = filter.words();
    ByteBuffer part = ByteBuffer.allocate(COPIED_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    long word = 0;
    while (word < words.count()) {
      part.clear().limit((int) Math.min(COPIED_BYTES, 8 * (words.count() - word)));
      file.copyData(8 * word, part);
      part.flip();
      while (part.hasRemaining()) {
        words.set(word++, ~part.getLong());
      }
    }
    return filter;
  }

  private static <K> HeapBloomFilter<K> emptyFor(
      FilterSpec<K> spec, StoredFile file, @Nullable Consumer<FilterStats> overfull)
      throws CorruptFilterException {
    BloomShape shape = shape(file.header());
    if (shape.wordCount() * 64 > ClassicBloom.MAX_BITS) {
      throw new CorruptFilterException(
          String.format(
              Locale.ROOT,
              "%,d bits are more than fit the heap; open the file instead",
              shape.wordCount() * 64));
    }
    return BloomFilters.onHeap(spec, shape, overfull);
  }
}
