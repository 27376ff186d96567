package io.woodbird.testkit.frozen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.FilterPlan;
import io.woodbird.FrozenMap;
import io.woodbird.FrozenMapBuilder;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.Planner;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.Trials;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every key of a map has its value; strangers are recognised as promised. */
final class FrozenMapTest {
  @TempDir private Path folder;

  @Test
  void everyKeyHasItsValue_whateverTheSizes() {
    Trials.sized(
        "everyKeyHasItsValue_whateverTheSizes",
        30, // A fault that one map in six has is missed once in 240 runs ((5/6)^30).
        5_000, // Up to ten pages; larger maps are below.
        (random, size) -> {
          int bits = 1 + random.nextInt(64);
          long salt = random.nextLong();
          LongUnaryOperator value = key -> mixed(key ^ salt) >>> (64 - bits);
          FrozenMapBuilder<Long> builder =
              Woodbird.frozenMap(Keys.longs()).valueBits(bits).seed(random.nextLong());
          if (random.nextInt(4) == 0) {
            builder.withoutCheck();
          } else {
            builder.fpp(Math.pow(2, -20 * random.nextDouble() - 0.01));
          }
          FrozenMap<Long> map = builder.buildFrom(entries(size, value));
          assertValues(map, size, value);
          Path path = folder.resolve("map.wbird");
          map.save(path);
          byte[] bytes = Files.readAllBytes(path);
          try (FrozenMap<Long> opened = Woodbird.openMap(path, Keys.longs())) {
            assertValues(opened, size, value);
          }
          for (Filter<Long> filter :
              List.of(
                  Woodbird.wrap(ByteBuffer.wrap(bytes), Keys.longs()),
                  Woodbird.wrap(direct(bytes), Keys.longs()),
                  Woodbird.readFrom(new ByteArrayInputStream(bytes), Keys.longs()))) {
            assertValues((FrozenMap<Long>) filter, size, value);
            assertThat(Kind.bytes(filter)).isEqualTo(bytes);
          }
        });
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  @ParameterizedTest
  @CsvSource({"1, 0.01", "3, 0.001", "8, 0.00390625", "16, 0.000001", "1, 1", "2, 1", "64, 0.01"})
  void size_isWithinOnePercentOfWhatIsNeeded(int bits, double fpp) throws IOException {
    // Few keys pay for whole segments and the table. Thresholds take a 64th of a bit.
    assertSize(300_000, bits, fpp, bits == 1 && fpp == 1 ? 1.02 : 1.012);
  }

  private void assertSize(int keys, int bits, double fpp, double most) throws IOException {
    LongUnaryOperator value = key -> mixed(key) >>> (64 - bits);
    FrozenMapBuilder<Long> builder = Woodbird.frozenMap(Keys.longs()).valueBits(bits).seed(5);
    builder = fpp == 1 ? builder.withoutCheck() : builder.fpp(fpp);
    Path path = folder.resolve("size.wbird");
    FilterPlan plan = builder.buildTo(path, entries(keys, value));
    double needed = bits - Math.log(fpp) / Math.log(2);
    double over = plan.bits() / (double) keys / needed;
    System.out.printf("%,d keys, %d bits, fpp %s: %.4f of what is needed%n", keys, bits, fpp, over);
    assertThat(over).isLessThan(most);
    assertThat(plan.fpp()).isLessThanOrEqualTo(fpp);
    if (fpp < 1) {
      Planner planner = Woodbird.plan(keys).fpp(fpp).values(bits);
      assertThat(planner.limitBitsPerKey()).isCloseTo(needed, withinPercentage(0.001));
      assertThat((double) planner.plans().get(0).bits())
          .isCloseTo((double) plan.bits(), withinPercentage(0.2));
    }
    try (FrozenMap<Long> map = Woodbird.openMap(path, Keys.longs())) {
      assertValues(map, keys, value);
      int asked = 100_000;
      long absent = -2;
      long found =
          LongStream.range(keys, keys + asked)
              .filter(key -> map.getOrDefault(key, absent) != absent)
              .count();
      long wrong =
          LongStream.range(keys, keys + asked).filter(key -> map.get(key).isPresent()).count();
      assertThat(found).isEqualTo(wrong);
      double sigma = Math.sqrt(asked * plan.fpp() * (1 - plan.fpp())) + 1;
      assertThat((double) wrong)
          .isBetween(asked * plan.fpp() - 5 * sigma, asked * plan.fpp() + 5 * sigma);
    }
  }

  @Test
  @Tag("slow")
  void aMillionToAHundredMillionKeys_areWithinOnePercent() throws IOException {
    for (int bits = 1; bits <= 16; bits++) {
      assertSize(1_000_000, bits, 0.01, 1.01);
    }
    assertSize(10_000_000, 4, 0.01, 1.01);
    assertSize(100_000_000, 1, 0.01, 1.01);
    assertSize(100_000_000, 16, 0.01, 1.01);
  }

  @Test
  void theSameEntries_giveTheSameBytes() throws IOException {
    LongUnaryOperator value = key -> key & 0xff;
    List<Map.Entry<Long, Long>> entries = new ArrayList<>();
    entries(50_000, value).forEach(entries::add);
    byte[] bytes = Kind.bytes(builder().buildFrom(entries));
    Collections.shuffle(entries, new Random(3));
    entries.addAll(entries.subList(0, 1000)); // Once more, with equal values.
    assertThat(Kind.bytes(builder().threads(3).memoryLimit(1).tempDir(folder).buildFrom(entries)))
        .isEqualTo(bytes);
    Path path = folder.resolve("same.wbird");
    builder().buildTo(path, entries.iterator());
    assertThat(path).hasBinaryContent(bytes);
    try (var files = Files.list(folder)) {
      assertThat(files).hasSize(1);
    }
  }

  @Test
  void manyShardsThroughTheDisk_haveAllValues() throws IOException {
    // Four shards, as repetitions count, and 67 MiB of entries: blocks of 32 MiB stay in memory, as
    // many are being filled, and the others go to the disk.
    int said = 4_400_000;
    int keys = 400_000;
    LongUnaryOperator value = key -> mixed(key % keys) >>> 62;
    Iterable<Map.Entry<Long, Long>> entries =
        () ->
            LongStream.range(0, said)
                .mapToObj(i -> Map.entry(i % keys, value.applyAsLong(i)))
                .iterator();
    Path path = folder.resolve("shards.wbird");
    FrozenMapBuilder<Long> builder =
        Woodbird.frozenMap(Keys.longs()).valueBits(2).fpp(1.0 / 16).memoryLimit(1);
    assertThatThrownBy(() -> builder.tempDir(folder.resolve("missing")).buildTo(path, entries))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("missing");
    FilterPlan plan = builder.tempDir(folder).buildTo(path, entries);
    assertThat(plan.bits() / (double) keys).isLessThan(6 * 1.02);
    try (FrozenMap<Long> map = Woodbird.openMap(path, Keys.longs())) {
      for (long key = 0; key < keys; key += 7) {
        assertValue(map, key, value);
      }
    }
  }

  @Test
  void aKeyWithTwoValues_isNamed_orCombined() throws IOException {
    List<Map.Entry<String, Long>> entries =
        List.of(Map.entry("crow", 1L), Map.entry("owl", 2L), Map.entry("crow", 4L));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Woodbird.frozenMap(Keys.strings()).buildFrom(entries))
        .withMessageContainingAll("\"crow\"", "1 and 4", "64-bit hash, which another seed cures");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Woodbird.frozenMap(Keys.strings()).buildFrom(entries.iterator()))
        .withMessageContainingAll("hash 0x", "1 and 4");
    Iterable<Map.Entry<String, Long>> once = entries.stream()::iterator;
    assertThatIllegalArgumentException()
        .as("a stream can't be read again")
        .isThrownBy(() -> Woodbird.frozenMap(Keys.strings()).buildFrom(once))
        .withMessageContainingAll("hash 0x", "1 and 4");
    Path path = folder.resolve("two.wbird");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Woodbird.frozenMap(Keys.strings()).buildTo(path, entries));
    assertThat(path).doesNotExist();
    FrozenMap<String> map =
        Woodbird.frozenMap(Keys.strings()).combine((a, b) -> a | b).buildFrom(entries);
    assertThat(map.get("crow")).hasValue(5);
    assertThat(map.get("owl")).hasValue(2);
  }

  @Test
  void emptyMaps_andMapsOfOneKey_work() throws IOException {
    for (long value : new long[] {0, 1, 255, Long.MAX_VALUE, -1}) {
      for (int keys : new int[] {0, 1}) {
        FrozenMap<Long> map = builder().fpp(1e-9).buildFrom(entries(keys, key -> value));
        assertValues(map, keys, key -> value);
        assertLacks(map, 77);
        byte[] bytes = Kind.bytes(map);
        FrozenMap<Long> read =
            (FrozenMap<Long>) Woodbird.wrap(ByteBuffer.wrap(bytes), Keys.longs());
        assertValues(read, keys, key -> value);
        assertLacks(read, 77);
        Path path = folder.resolve("few.wbird");
        map.save(path);
        try (FrozenMap<Long> opened = Woodbird.openMap(path, Keys.longs())) {
          assertValues(opened, keys, key -> value);
          assertLacks(opened, 77);
        }
      }
    }
  }

  @Test
  void valuesTakeTheBitsOfTheLargest_ifNothingIsSaid() {
    long[] largest = {0, 1, 2, 255, 256, (1L << 63) - 1, -1};
    int[] bits = {1, 1, 2, 8, 9, 63, 64};
    for (int i = 0; i < bits.length; i++) {
      long most = largest[i];
      FrozenMap<Long> map = builder().buildFrom(entries(100, key -> key == 50 ? most : 0));
      assertThat(map.stats().layout()).contains("values of " + bits[i] + " bits");
      assertThat(map.get(50L)).hasValue(most);
      assertThat(map.get(49L)).hasValue(0);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                builder()
                    .combine(Long::sum)
                    .buildFrom(List.of(Map.entry(1L, 1L), Map.entry(1L, 1L))))
        .withMessageContaining("a value of 1 bits must be from 0 to 1: 2");
  }

  @Test
  void badValues_areRefusedByName() {
    FrozenMapBuilder<String> builder = Woodbird.frozenMap(Keys.strings()).valueBits(3);
    for (long bad : new long[] {8, -1, Long.MIN_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> builder.buildFrom(List.of(Map.entry("crow", bad))))
          .withMessageContainingAll("from 0 to 7", "" + bad, "crow");
    }
    for (int bits : new int[] {0, -1, 65}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> builder.valueBits(bits))
          .withMessageContaining(": " + bits);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                builder
                    .combine((a, b) -> 99)
                    .buildFrom(List.of(Map.entry("owl", 1L), Map.entry("owl", 1L))))
        .withMessageContaining("99");
  }

  @Test
  void everyBitFlip_givesTheValueOrNothing() throws IOException {
    int keys = 12_000; // Several pages, as the first one has the shard table.
    LongUnaryOperator value = key -> key & 7;
    byte[] bytes = Kind.bytes(builder().valueBits(3).buildFrom(entries(keys, value)));
    int refused = 0;
    for (int bit = 0; bit < 8 * bytes.length; bit += 1117) {
      bytes[bit >>> 3] ^= (byte) (1 << (bit & 7));
      try {
        FrozenMap<Long> map = (FrozenMap<Long>) Woodbird.wrap(ByteBuffer.wrap(bytes), Keys.longs());
        for (long key = 0; key < keys; key += 37) { // Some 90 of each page.
          try {
            assertValue(map, key, value);
          } catch (UncheckedIOException e) {
            if (!(e.getCause() instanceof CorruptFilterException)) {
              throw new AssertionError("bit " + bit, e);
            }
            refused++;
          }
        }
      } catch (CorruptFilterException e) {
        assertThat(e).hasMessageNotContaining("null");
      }
      bytes[bit >>> 3] ^= (byte) (1 << (bit & 7));
    }
    assertThat(refused).isPositive();
  }

  @Test
  void openMap_refusesAFilterWithoutValues_andAClosedMapAnswersNothing() throws IOException {
    Path path = folder.resolve("f.wbird");
    Woodbird.frozen(Keys.longs()).buildFrom(List.of(1L)).save(path);
    assertThatExceptionOfType(IncompatibleFilterException.class)
        .isThrownBy(() -> Woodbird.openMap(path, Keys.longs()))
        .withMessageContaining("Woodbird.open");
    FrozenMap<Long> map = builder().buildFrom(entries(10, key -> key));
    map.close();
    assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> map.get(1L));
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> map.getOrDefault(1L, 0));
  }

  private static FrozenMapBuilder<Long> builder() {
    return Woodbird.frozenMap(Keys.longs()).seed(7);
  }

  private static void assertValues(FrozenMap<Long> map, int keys, LongUnaryOperator value) {
    for (long key = 0; key < keys; key++) {
      assertValue(map, key, value);
    }
  }

  private static void assertLacks(FrozenMap<Long> map, long key) {
    assertThat(map.get(key)).isEmpty();
    for (long absent : new long[] {0, -1, 5}) {
      assertThat(map.getOrDefault(key, absent)).isEqualTo(absent);
    }
  }

  private static void assertValue(FrozenMap<Long> map, long key, LongUnaryOperator value) {
    OptionalLong found = map.get(key);
    long expected = value.applyAsLong(key);
    if (found.isEmpty() || found.getAsLong() != expected) {
      assertThat(found).as("key %d", key).hasValue(expected);
    }
    if (map.getOrDefault(key, ~expected) != expected) {
      assertThat(map.getOrDefault(key, ~expected)).as("key %d", key).isEqualTo(expected);
    }
  }

  private static Iterable<Map.Entry<Long, Long>> entries(int count, LongUnaryOperator value) {
    return () -> {
      Iterator<Map.Entry<Long, Long>> entries =
          LongStream.range(0, count)
              .mapToObj(key -> Map.entry(key, value.applyAsLong(key)))
              .iterator();
      return entries;
    };
  }

  private static long mixed(long key) {
    return (key * 0x9e3779b97f4a7c15L ^ key >>> 7) * 0xd1342543de82ef95L;
  }
}
