package io.woodbird.spark;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.classic.ClassicFilter;
import io.woodbird.classic.ForeignFilter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.format.BloomFilterAlgorithm;
import org.apache.parquet.format.BloomFilterCompression;
import org.apache.parquet.format.BloomFilterHash;
import org.apache.parquet.format.BloomFilterHeader;
import org.apache.parquet.format.SplitBlockAlgorithm;
import org.apache.parquet.format.Uncompressed;
import org.apache.parquet.format.Util;
import org.apache.parquet.format.XxHash;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.io.LocalInputFile;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Parquet's filters of core's classic package, byte for byte, with Parquet's own as the oracle. */
final class ParquetOracleTest {
  private final long seed = Long.getLong("woodbird.seed", System.nanoTime());
  private final Random random = new Random(seed);

  @Test
  void build_givesTheBytesOfParquet() throws IOException {
    for (int count : new int[] {0, 1, 10, 1000, 20_000}) {
      double fpp = 0.0001 + random.nextDouble() / 10;
      BlockSplitBloomFilter parquet = parquet(Math.max(1, count), fpp);
      List<byte[]> keys = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        keys.add(put(parquet));
      }
      ForeignFilter ours = ForeignFilter.build("parquet", Math.max(1, count), fpp, keys);
      assertThat(bytes(ours)).as("seed %s", seed).isEqualTo(bytes(parquet));
      ForeignFilter read = read(bytes(parquet));
      assertThat(bytes(read)).as("seed %s", seed).isEqualTo(bytes(parquet));
      for (int i = 0; i < 1000; i++) {
        long key = random.nextLong();
        assertThat(read.mightContain(ClassicFilter.longKey(key)))
            .as("seed %s", seed)
            .isEqualTo(parquet.findHash(parquet.hash(key)));
      }
    }
  }

  @Test
  void build_hasTheSizeOfParquet() throws IOException {
    // Sizes are rounded up to powers of two. The original does so wrongly just above one of them.
    for (double fpp : new double[] {0.5, 0.01, 1e-6}) {
      double bitsPerKey = -8 / Math.log(1 - Math.pow(fpp, 1.0 / 8));
      for (int power = 8; power < 20; power++) {
        long turn = (long) ((1 << power) / bitsPerKey);
        for (long keys = Math.max(1, turn - 2); keys < turn + 60; keys++) {
          assertThat(bytes(ForeignFilter.build("parquet", keys, fpp, List.of())))
              .as("%d keys at %s", keys, fpp)
              .isEqualTo(bytes(parquet(keys, fpp)));
        }
      }
    }
    assertThatThrownBy(() -> ForeignFilter.build("parquet", 1L << 40, 0.01, List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1,073,741,824");
  }

  @Test
  void read_aColumnOfAParquetFile(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("rows.parquet");
    MessageType schema =
        MessageTypeParser.parseMessageType("message m { required binary url; required int64 id; }");
    try (ParquetWriter<?> closed = written(file, schema)) {
      assertThat(closed.getDataSize()).isPositive();
    }
    byte[] all = Files.readAllBytes(file);
    try (ParquetFileReader reader = ParquetFileReader.open(new LocalInputFile(file))) {
      for (ColumnChunkMetaData column : reader.getFooter().getBlocks().get(0).getColumns()) {
        int from = (int) column.getBloomFilterOffset();
        byte[] part = Arrays.copyOfRange(all, from, from + column.getBloomFilterLength());
        ForeignFilter filter = read(part);
        assertThat(bytes(filter)).isEqualTo(part);
        boolean text = column.getPath().toDotString().equals("url");
        int wrong = 0;
        for (int i = 0; i < 20_000; i++) {
          boolean maybe =
              text
                  ? filter.mightContain("url " + i)
                  : filter.mightContain(ClassicFilter.longKey(i));
          assertThat(maybe || i >= 10_000).as("row %d", i).isTrue();
          wrong += maybe && i >= 10_000 ? 1 : 0;
        }
        // At most 1 % of 10,000, and a deviation of 10.
        assertThat(wrong).isLessThan(100 + 5 * 10);
      }
    }
  }

  private static ParquetWriter<?> written(Path file, MessageType schema) throws IOException {
    var writer =
        ExampleParquetWriter.builder(new LocalOutputFile(file))
            .withType(schema)
            .withBloomFilterEnabled(true)
            .withBloomFilterNDV("url", 10_000)
            .withBloomFilterNDV("id", 10_000)
            .withBloomFilterFPP("url", 0.01)
            .withBloomFilterFPP("id", 0.01)
            .build();
    for (int i = 0; i < 10_000; i++) {
      SimpleGroup row = new SimpleGroup(schema);
      row.append("url", "url " + i);
      row.append("id", (long) i);
      writer.write(row);
    }
    return writer;
  }

  /** Puts a long, an int or some bytes, all lengths of a tail among them, and returns the key. */
  private byte[] put(BlockSplitBloomFilter parquet) {
    switch (random.nextInt(3)) {
      case 0 -> {
        long key = random.nextLong();
        parquet.insertHash(parquet.hash(key));
        return ClassicFilter.longKey(key);
      }
      case 1 -> {
        int key = random.nextInt();
        parquet.insertHash(parquet.hash(key));
        return ClassicFilter.intKey(key);
      }
      default -> {
        byte[] key = new byte[random.nextInt(100)];
        random.nextBytes(key);
        parquet.insertHash(parquet.hash(Binary.fromConstantByteArray(key)));
        return key;
      }
    }
  }

  /** A filter of the size that Parquet's writer gives it. */
  private static BlockSplitBloomFilter parquet(long keys, double fpp) {
    return new BlockSplitBloomFilter(
        BlockSplitBloomFilter.optimalNumOfBits(keys, fpp) / 8,
        BlockSplitBloomFilter.UPPER_BOUND_BYTES);
  }

  private static byte[] bytes(BlockSplitBloomFilter filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Util.writeBloomFilterHeader(
        new BloomFilterHeader(
            filter.getBitsetSize(),
            BloomFilterAlgorithm.BLOCK(new SplitBlockAlgorithm()),
            BloomFilterHash.XXHASH(new XxHash()),
            BloomFilterCompression.UNCOMPRESSED(new Uncompressed())),
        out);
    filter.writeTo(out);
    return out.toByteArray();
  }

  private static byte[] bytes(ForeignFilter filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }

  private static ForeignFilter read(byte[] bytes) throws IOException {
    return ForeignFilter.read("parquet", new ByteArrayInputStream(bytes));
  }

  @Test
  void read_refusesAnotherHeader() throws IOException {
    byte[] good = bytes(parquet(1, 0.01));
    assertThat(read(good).mightContain("x".getBytes(UTF_8))).isFalse();
    // A length of 0, -1, 31, one in a longer form than needed, and one that has no end.
    for (String varint : List.of("00", "01", "3e", "c000", "ffffffffffff", "8080808010")) {
      byte[] number = java.util.HexFormat.of().parseHex(varint);
      byte[] wrong = new byte[good.length - 1 + number.length];
      wrong[0] = good[0];
      System.arraycopy(number, 0, wrong, 1, number.length);
      System.arraycopy(good, 2, wrong, 1 + number.length, good.length - 2);
      assertThatThrownBy(() -> read(wrong))
          .as(varint)
          .isInstanceOf(io.woodbird.CorruptFilterException.class);
    }
  }
}
