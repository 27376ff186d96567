package io.woodbird.file;

import io.woodbird.BloomFilter;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.bloom.BloomFilters;
import io.woodbird.filter.bloom.BloomShape;
import io.woodbird.key.Keys;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.ClassicBloom;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A filter to be damaged: its bytes as a file has them, and the hashes that are in it.
 *
 * @param name of the layout
 * @param shape of the filter
 * @param bytes of the file
 * @param hashes that were put
 */
record Sample(String name, BloomShape shape, byte[] bytes, long[] hashes) {
  static final long SEED = 42;

  /** Small files of every layout, the largest of two pages. */
  static List<Sample> small() {
    return GoldenFiles.LAYOUTS.stream()
        .map(layout -> of(layout.name(), layout.shape(), layout.expectedKeys()))
        .toList();
  }

  /** Files of every layout with about so many bytes. */
  static List<Sample> ofBytes(long bytes) {
    List<Sample> samples = new ArrayList<>();
    for (BlockShape shape : BlockShape.values()) {
      samples.add(ofBytes(bytes, shape));
    }
    ClassicBloom classic = new ClassicBloom(bytes / 8 * 64, 7);
    samples.add(of("CLASSIC", new BloomShape.Classic(classic), bytes * 8 / 10));
    return samples;
  }

  /** A file of one layout with about so many bytes. */
  static Sample ofBytes(long bytes, BlockShape shape) {
    BlockedBloom layout = new BlockedBloom(bytes / 64, shape);
    long bitsPerKey = 2L * shape.blocks() * shape.words() * shape.bits();
    return of(shape.name(), new BloomShape.Blocked(layout), bytes * 8 / bitsPerKey);
  }

  static Sample of(String name, BloomShape shape, long keys) {
    return of(name, shape, keys, SEED);
  }

  /** A filter of longs; the seed also chooses the keys. */
  static Sample of(String name, BloomShape shape, long keys, long seed) {
    BloomFilter<Long> filter =
        BloomFilters.empty(new FilterSpec<>(Keys.longs(), SEED, keys, 0.01), shape, null);
    long[] hashes =
        new SplittableRandom(seed).longs(keys).map(key -> Keys.longs().hash(key, SEED)).toArray();
    for (long hash : hashes) {
      filter.putHash(hash);
    }
    return new Sample(name, shape, GoldenFiles.bytes(filter), hashes);
  }

  int dataBytes() {
    return (int) (shape.wordCount() * 8);
  }

  int pages() {
    return (int) PageChecksums.pages(dataBytes());
  }

  /** For each run of so many bytes of data, the hashes that own a bit in it; 64 make a block. */
  List<long[]> hashesBy(int bytes) {
    List<List<Long>> runs = new ArrayList<>();
    for (int from = 0; from < dataBytes(); from += bytes) {
      runs.add(new ArrayList<>());
    }
    for (long hash : hashes) {
      for (long bit : firstBits(hash)) {
        List<Long> run = runs.get((int) (bit / 8 / bytes));
        if (run.isEmpty() || run.get(run.size() - 1) != hash) {
          run.add(hash);
        }
      }
    }
    return runs.stream().map(run -> run.stream().mapToLong(Long::longValue).toArray()).toList();
  }

  /** One bit in every block, or every position, of a hash: enough to know its pages. */
  private long[] firstBits(long hash) {
    if (shape instanceof BloomShape.Blocked blocked) {
      long count = blocked.layout().blockCount();
      long first = BlockedBloom.block(hash, count) * BlockedBloom.BITS;
      return blocked.layout().shape().blocks() == 1
          ? new long[] {first}
          : new long[] {
            first, BlockedBloom.block(BlockedBloom.other(hash), count) * BlockedBloom.BITS
          };
    }
    ClassicBloom layout = ((BloomShape.Classic) shape).layout();
    long[] bits = new long[layout.hashCount()];
    long state = ClassicBloom.first(hash);
    for (int i = 0; i < bits.length; i++) {
      bits[i] = ClassicBloom.position(state, layout.bitCount());
      state = ClassicBloom.next(state);
    }
    return bits;
  }

  @Override
  public String toString() {
    return name + ", " + bytes.length + " bytes";
  }
}
