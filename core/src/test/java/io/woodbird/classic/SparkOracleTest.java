package io.woodbird.classic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.CorruptFilterException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.spark.util.sketch.BloomFilter;
import org.apache.spark.util.sketch.BloomFilter.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Spark's filters bit for bit, with Spark's own as the oracle. */
final class SparkOracleTest {
  private final long seed = Long.getLong("woodbird.seed", System.nanoTime());
  private final Random random = new Random(seed);

  @ParameterizedTest
  @EnumSource(Version.class)
  void write_givesTheBytesOfSpark(Version version) throws IOException {
    for (int sparkSeed : version == Version.V1 ? List.of(0) : List.of(0, 1, -7, random.nextInt())) {
      for (int keys : new int[] {1, 10, 1000, 20_000}) {
        double fpp = 0.0001 + random.nextDouble() / 10;
        BloomFilter spark = BloomFilter.create(version, keys, bits(keys, fpp), sparkSeed);
        ClassicFilter ours = ours(version, keys, fpp, sparkSeed);
        for (int i = 0; i < keys; i++) {
          putBoth(spark, ours);
        }
        assertThat(bytes(ours)).as("seed %s", seed).isEqualTo(bytes(spark));
        ClassicFilter read = ClassicFilter.read("spark", new ByteArrayInputStream(bytes(spark)));
        assertThat(bytes(read)).as("seed %s", seed).isEqualTo(bytes(spark));
        for (int i = 0; i < 1000; i++) {
          long key = random.nextLong();
          assertThat(read.mightContain(ClassicFilter.longKey(key)))
              .as("seed %s", seed)
              .isEqualTo(spark.mightContainLong(key));
        }
      }
    }
  }

  private static long bits(long keys, double fpp) {
    return Scheme.spark1().bitsFor(keys, fpp);
  }

  private static ClassicFilter ours(Version version, long keys, double fpp, int sparkSeed) {
    return version == Version.V1
        ? Scheme.spark1().filter(keys, fpp)
        : Scheme.spark2(sparkSeed).filter(keys, fpp);
  }

  /** Puts a long, a text or some bytes, all lengths of a tail among them. */
  private void putBoth(BloomFilter spark, ClassicFilter ours) {
    byte[] bytes = new byte[random.nextInt(20)];
    random.nextBytes(bytes);
    switch (random.nextInt(3)) {
      case 0 -> {
        long key = random.nextLong();
        spark.putLong(key);
        ours.put(ClassicFilter.longKey(key));
      }
      case 1 -> {
        String key = "\u00e9 " + Arrays.toString(bytes);
        spark.putString(key);
        ours.put(key);
      }
      default -> {
        spark.putBinary(bytes);
        ours.put(bytes);
      }
    }
  }

  @Test
  void read_refusesWhatIsNotAFilterOfSpark() throws IOException {
    byte[] good = bytes(Scheme.spark2(3).filter(100, 0.01));
    for (int length = 0; length < good.length; length++) {
      byte[] cut = Arrays.copyOf(good, length);
      assertThatThrownBy(() -> ClassicFilter.read("spark", new ByteArrayInputStream(cut)))
          .isInstanceOf(CorruptFilterException.class);
    }
    // Version, hashes and number of longs, each with impossible values.
    for (int at : new int[] {0, 4, 12}) {
      for (int value : new int[] {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
        byte[] wrong = good.clone();
        ByteBuffer.wrap(wrong).putInt(at, value);
        assertThatThrownBy(() -> ClassicFilter.read("spark", new ByteArrayInputStream(wrong)))
            .isInstanceOf(CorruptFilterException.class);
      }
    }
  }

  @Test
  void otherFormats_refuseAFilterOfSpark(@TempDir Path folder) {
    ClassicFilter spark = Scheme.spark1().filter(100, 0.01);
    assertThatThrownBy(() -> spark.save(folder.resolve("x.wbird")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("spark-1");
    assertThatThrownBy(() -> spark.writeTo("guava", new ByteArrayOutputStream()))
        .isInstanceOf(IllegalArgumentException.class);
    ClassicFilter guava = Scheme.of("guava-mitz-64").filter(100, 0.01);
    assertThatThrownBy(() -> guava.writeTo("spark", new ByteArrayOutputStream()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static byte[] bytes(ClassicFilter filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo("spark", out);
    return out.toByteArray();
  }

  private static byte[] bytes(BloomFilter filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }
}
