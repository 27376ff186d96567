package io.woodbird.filter.frozen;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.file.LayoutId;
import io.woodbird.layout.FrozenSize;
import io.woodbird.layout.Ribbon;
import io.woodbird.words.HeapWords;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kernels that hold a filter in another form answer as its words do, and return them. */
@Tag("jdk")
final class HeapKernelTest {
  private static final long SEED = 417;

  /** A filter of one shard as it is in a file. */
  private record Built(FrozenShape shape, long[] data, ShardTable table, long[] hashes) {
    static Built of(LayoutId layout, double fpp, int count) {
      int width = FrozenSize.width(fpp);
      long[] hashes = new SplittableRandom(SEED + count).longs(count).toArray();
      int distinct = HashSort.sortDistinct(hashes, 0, count, 0, new long[count]);
      ShardSolver solver =
          layout == LayoutId.RIBBON ? new RibbonSolver(fpp, 0) : new FuseSolver(width, 0);
      ShardSolver.Shard shard = solver.solve(hashes, distinct, Long.MAX_VALUE);
      long[] entry = shard.entry();
      entry[ShardTable.START] = ShardTable.ENTRY_WORDS;
      long[] data = new long[entry.length + shard.words().length];
      System.arraycopy(entry, 0, data, 0, entry.length);
      System.arraycopy(shard.words(), 0, data, entry.length, shard.words().length);
      return new Built(new FrozenShape(layout, width), data, new ShardTable(entry, 0), hashes);
    }

    FrozenKernel heapKernel() {
      return shape.heapKernel(HeapWords.of(data), table);
    }

    void check(FrozenKernel kernel) {
      WordsKernel words = shape.kernel(HeapWords.of(data), table);
      for (long hash : hashes) {
        assertThat(kernel.lacks(hash)).as("a key").isFalse();
      }
      SplittableRandom random = new SplittableRandom(SEED);
      for (int i = 0; i < 50_000; i++) {
        long hash = random.nextLong();
        assertThat(kernel.lacks(hash)).as("hash %x", hash).isEqualTo(words.lacks(hash));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    // fpp, keys: with and without ternary columns, in rows alone and in planes too
    "0.5, 900", "0.25, 20000", "0.17, 20000", "0.0625, 20000", "0.014, 20000", "0.01, 0",
    "0.01, 1", "0.01, 100", "0.01, 5000", "0.01, 20000", "0.01, 60000", "0.009, 20000",
    "0.0078125, 20000", "0.004, 20000", "0.001, 20000", "1e-6, 20000", "3e-10, 20000",
  })
  void ribbons_areTheSame(double fpp, int count) {
    Built built = Built.of(LayoutId.RIBBON, fpp, count);
    FrozenKernel kernel = built.heapKernel();
    assertThat(kernel)
        .isInstanceOf(fpp < 0.1 && count > 1 ? RowRibbonKernel.class : FrozenKernel.class);
    built.check(kernel);
    for (int word = 0; word < built.data.length; word++) {
      assertThat(kernel.word(word)).as("word %d", word).isEqualTo(built.data[word]);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0.5, 5000, false", "0.04, 20000, true", "0.01, 20000, true", "0.004, 20000, true",
    "0.004, 1, true", "0.004, 2, true", "0.002, 20000, false", "0.01, 0, false",
  })
  void fuses_areTheSame(double fpp, int count, boolean bytes) {
    Built built = Built.of(LayoutId.FUSE, fpp, count);
    FrozenKernel kernel = built.heapKernel();
    assertThat(kernel).isInstanceOf(bytes ? ByteFuseKernel.class : FuseKernel.class);
    built.check(kernel);
    for (int word = 0; word < built.data.length; word++) {
      assertThat(kernel.word(word)).as("word %d", word).isEqualTo(built.data[word]);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0.004, 40000, 3, true",
    "0.04, 3000, 5, false",
    "0.01, 3, 4, false",
    "0.008, 0, 1, false",
  })
  void fusesOfManyShards_areTheSame(double fpp, int count, int shardBits, boolean even) {
    int width = FrozenSize.width(fpp);
    long[] hashes = new SplittableRandom(SEED + count).longs(count).toArray();
    HashSort.sortDistinct(hashes, 0, count, 0, new long[count]);
    FuseSolver solver = new FuseSolver(width, shardBits);
    long[] table = new long[ShardTable.ENTRY_WORDS << shardBits];
    long[] data = table.clone();
    for (int shard = 0; shard < 1 << shardBits; shard++) {
      int number = shard;
      long[] own = Arrays.stream(hashes).filter(h -> h >>> (64 - shardBits) == number).toArray();
      ShardSolver.Shard solved = solver.solve(own, own.length, Long.MAX_VALUE);
      long[] entry = solved.entry();
      entry[ShardTable.START] = data.length;
      System.arraycopy(entry, 0, table, shard * entry.length, entry.length);
      data = Arrays.copyOf(data, data.length + solved.words().length);
      System.arraycopy(
          solved.words(), 0, data, data.length - solved.words().length, solved.words().length);
    }
    System.arraycopy(table, 0, data, 0, table.length);
    FrozenShape shape = new FrozenShape(LayoutId.FUSE, width);
    Built built = new Built(shape, data, new ShardTable(table, shardBits), hashes);
    FrozenKernel kernel = built.heapKernel();
    assertThat(kernel.getClass())
        .isEqualTo(even ? EvenFuseKernel.class : ShardedByteFuseKernel.class);
    built.check(kernel);
    for (int word = 0; word < data.length; word++) {
      assertThat(kernel.word(word)).as("word %d", word).isEqualTo(data[word]);
    }
  }

  /**
   * Shards of another writer may differ in everything that a kernel for even ones takes for
   * granted.
   */
  @ParameterizedTest
  @CsvSource({
    "64, 128, 0, true",
    "64, 128, 1, false",
    "32, 128, 0, false",
    "64, 0, 0, false",
    "64, 100, 0, false",
  })
  void shardsThatDiffer_areNotEven(int segment, int firstSlots, int salt, boolean even) {
    long[] entries = new long[2 * ShardTable.ENTRY_WORDS];
    entries[ShardTable.DIMENSIONS] = ShardTable.pack(64, 128);
    entries[ShardTable.ENTRY_WORDS + ShardTable.DIMENSIONS] = ShardTable.pack(segment, firstSlots);
    entries[ShardTable.ENTRY_WORDS + ShardTable.SHAPE] = ShardTable.pack(0, salt);
    assertThat(EvenFuseKernel.isEven(new ShardTable(entries, 1))).isEqualTo(even);
  }

  /** Another writer may leave anything in digits that stand for nothing. */
  @Test
  void digitsThatStandForNothing_areNotRead() {
    Built built = Built.of(LayoutId.RIBBON, 0.01, 20000);
    int segments = built.table.low(0, ShardTable.DIMENSIONS);
    int first = built.table.high(0, ShardTable.DIMENSIONS);
    int columns = built.table.low(0, ShardTable.SHAPE);
    int fewer = columns - built.table.low(0, ShardTable.FIRST);
    int slots = Ribbon.ternarySlots(first, segments);
    int free = Ribbon.ternaryWords(first, segments) * Ribbon.TERNARY_PER_WORD - slots;
    assertThat(free).as("digits that stand for nothing").isGreaterThan(5);
    long last =
        ShardTable.ENTRY_WORDS
            + Ribbon.thresholdWords(segments)
            + Ribbon.segmentAt(segments, columns, first, fewer)
            + Ribbon.ternaryWords(first, segments)
            - 1;
    built.data[(int) last] |= -1L << (8 * (8 - free / Ribbon.TERNARY_PER_BYTE));
    built.check(built.heapKernel());
  }

  /** Segments without columns take no room in a file, and must take none in memory. */
  @Test
  void aStrangersEmptySegments_takeNoMemory() {
    long[] entry = new long[ShardTable.ENTRY_WORDS];
    entry[ShardTable.START] = ShardTable.ENTRY_WORDS;
    entry[ShardTable.DIMENSIONS + Ribbon.LAYERS - 1] = ShardTable.pack(1 << 24, 1 << 24);
    entry[ShardTable.SHAPE] = ShardTable.pack(32, 0);
    FrozenShape shape = new FrozenShape(LayoutId.RIBBON, 32);
    assertThat(shape.heapKernel(HeapWords.of(entry), new ShardTable(entry, 0)))
        .isInstanceOf(RibbonKernel.class);
  }
}
