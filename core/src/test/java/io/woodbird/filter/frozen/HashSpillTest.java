package io.woodbird.filter.frozen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What goes into a spill comes out again, sorted, in its shard. */
final class HashSpillTest {
  private static final long SEED = 82;
  private static final int MAX_SHARD_BITS = 12;

  @TempDir private Path folder;

  /** Few stay in one array; the others are dealt out, kept in memory, and written to a file. */
  @ParameterizedTest
  @CsvSource({
    // hashes, memory limit, spread
    "0,          0,         random",
    "1,          0,         random",
    "1000,       0,         random",
    "262144,     0,         random",
    "262145,     0,         random",
    "600000,     100000000, random",
    "5000000,    2000000,   random", // Of each part a block is full, and in memory or on disk.
    "600000,     0,         low",
    "600000,     1000000,   low",
    "600000,     0,         equal",
    "600000,     0,         few",
    "600000,     0,         several",
    "600000,     0,         one-part",
  })
  void everyHash_isInItsShard_andNoOther(int count, long memoryLimit, String spread)
      throws IOException {
    long[] hashes = hashes(count, spread);
    try (HashSpill spill = new HashSpill(memoryLimit, folder)) {
      SplittableRandom random = new SplittableRandom(SEED);
      for (int at = 0; at < count; ) {
        int number = Math.min(random.nextInt(200), count - at);
        spill.add(Arrays.copyOfRange(hashes, at, at + number), number);
        at += number;
      }
      assertThat(spill.count()).isEqualTo(count);
      try (Stream<Path> files = Files.list(folder)) {
        assertThat(files).as("the temporary file has no name").isEmpty();
      }
      long[] expected = sortedDistinct(hashes, count);
      for (int shardBits = 0;
          shardBits <= MAX_SHARD_BITS;
          shardBits += count > 1e6 ? 12 : count > 1e5 ? 5 : 1) {
        long[] found = new long[count];
        int total = 0;
        long raw = 0;
        ShardHashes part = new ShardHashes(spill, shardBits);
        for (int shard = 0; shard < 1 << shardBits; shard++) {
          part.read(shard);
          assertThat(total + part.count()).isLessThanOrEqualTo(count);
          System.arraycopy(part.hashes(), 0, found, total, part.count());
          total += part.count();
          raw += part.raw();
        }
        assertThat(Arrays.equals(Arrays.copyOf(found, total), expected))
            .as("%s, %,d of %,d hashes, shard bits %d", spread, total, count, shardBits)
            .isTrue();
        if (spread.equals("random")) {
          assertThat(raw).isEqualTo(count);
        }
      }
    }
  }

  private static long[] sortedDistinct(long[] hashes, int count) {
    long[] sorted =
        LongStream.of(hashes)
            .limit(count)
            .map(hash -> hash ^ Long.MIN_VALUE)
            .sorted()
            .map(hash -> hash ^ Long.MIN_VALUE)
            .toArray();
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (i == 0 || sorted[i] != sorted[i - 1]) {
        sorted[kept++] = sorted[i];
      }
    }
    return Arrays.copyOf(sorted, kept);
  }

  private static long[] hashes(int count, String spread) {
    SplittableRandom random = new SplittableRandom(SEED);
    return switch (spread) {
      case "low" -> LongStream.range(0, count).toArray();
      case "equal" -> LongStream.range(0, count).map(i -> 0x1234_5678_9abc_def0L).toArray();
      case "few" -> LongStream.range(0, count).map(i -> i % 3 * 0x4123_4567_89ab_cdefL).toArray();
      // In one part, and too many distinct ones to be shrunk below half of a block.
      case "several" -> LongStream.range(0, count).map(i -> i * 7919 % 3001).toArray();
      case "one-part" -> random.longs(count).map(hash -> hash >>> 10).toArray();
      default -> random.longs(count).toArray();
    };
  }

  @Test
  void fewHashesAgainAndAgain_takeLittleRoom() throws IOException {
    // 160 MB of hashes, all in one part: spilling them would fail.
    try (HashSpill spill = new HashSpill(1 << 20, folder.resolve("missing"))) {
      long[] fifty = LongStream.range(0, 50).map(i -> i * 0x0001_0000_0000_0001L).toArray();
      for (int i = 0; i < 20_000_000; i += 50) {
        spill.add(fifty, 50);
      }
      assertThat(spill.count()).isEqualTo(20_000_000);
      ShardHashes all = new ShardHashes(spill, 0);
      all.read(0);
      assertThat(all.count()).isEqualTo(50);
    }
  }

  @Test
  void aMissingFolder_isNamed() throws IOException {
    Path missing = folder.resolve("missing");
    try (HashSpill spill = new HashSpill(0, missing)) {
      assertThatThrownBy(
              () -> {
                spill.add(hashes(6_000_000, "random"), 6_000_000);
              })
          .isInstanceOf(IOException.class)
          .hasMessageContaining(missing.toString())
          .hasMessageContaining("tempDir");
    }
  }
}
