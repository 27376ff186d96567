package io.woodbird.testkit.frozen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.woodbird.Filter;
import io.woodbird.FilterPlan;
import io.woodbird.OpenFilter;
import io.woodbird.Planner;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.Trials;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A filter with {@code exactAgainst} is never wrong about a key or one of the others. */
final class ExactTest {
  @TempDir private Path folder;

  @Test
  void itIsNeverWrong_whateverTheSizes() {
    Trials.sized(
        "itIsNeverWrong_whateverTheSizes",
        15, // A fault that one size in three shows is missed once in 400 runs ((2/3)^15).
        20_000,
        (random, size) -> {
          int others = random.nextInt(3) == 0 ? random.nextInt(50) : random.nextInt(10 * size + 1);
          var builder = Woodbird.frozen(Keys.longs()).seed(random.nextLong());
          if (random.nextBoolean()) {
            builder.fpp(Math.pow(2, -15 * random.nextDouble() - 0.01));
          }
          Filter<Long> filter =
              builder.exactAgainst(range(size, size + others)).buildFrom(range(0, size));
          byte[] bytes = Kind.bytes(filter);
          Path path = folder.resolve("exact.wbird");
          Files.write(path, bytes);
          try (OpenFilter<Long> opened = Woodbird.open(path, Keys.longs())) {
            for (Filter<Long> each :
                List.of(
                    filter,
                    opened,
                    Woodbird.wrap(ByteBuffer.wrap(bytes), Keys.longs()),
                    Woodbird.readFrom(new ByteArrayInputStream(bytes), Keys.longs()))) {
              assertExact(each, size, others);
              assertThat(each.stats()).isEqualTo(filter.stats());
              assertThat(Kind.bytes(each)).isEqualTo(bytes);
            }
          }
        });
  }

  @ParameterizedTest
  @CsvSource({
    "100000, 10000000, 1.12",
    "200000, 0, 1.0",
    "200000, 100000, 1.12",
    "200000, 400000, 1.12"
  })
  void size_isNearTheInformationBound(int keys, int others, double most) throws IOException {
    assertSize(keys, others, most);
  }

  @Test
  @Tag("slow")
  void furtherSizes_andTenMillionAgainstABillion_areExact() throws IOException {
    assertSize(200_000, 200_000, 1.12);
    assertSize(100_000, 1_000_000, 1.12);
    assertSize(10_000_000, 1_000_000_000, 1.12);
  }

  private void assertSize(int keys, int others, double most) throws IOException {
    Path path = folder.resolve("size.wbird");
    FilterPlan plan =
        Woodbird.frozen(Keys.longs())
            .seed(9)
            .memoryLimit(1)
            .tempDir(folder)
            .exactAgainst(() -> LongStream.range(keys, (long) keys + others).iterator())
            .buildTo(path, LongStream.range(0, keys).iterator());
    assertThat(plan.family()).isEqualTo("exact");
    if (others > 0) {
      Planner planner = Woodbird.plan(keys).exactAgainst(others);
      double bound = bound(keys, others);
      assertThat(plan.bits() / bound).as("%s", plan).isLessThan(most);
      assertThat(planner.limitBitsPerKey() * keys).isCloseTo(bound, withinPercentage(0.1));
      assertThat((double) planner.plans().get(0).bits())
          .isCloseTo((double) plan.bits(), withinPercentage(0.5));
      assertThat(planner.plans().get(0).fpp()).isCloseTo(plan.fpp(), withinPercentage(0.5));
    }
    try (OpenFilter<Long> filter = Woodbird.open(path, Keys.longs())) {
      assertExact(filter, keys, others);
      int asked = 200_000;
      long from = 1L << 40;
      long wrong =
          LongStream.range(from, from + asked).filter(key -> filter.mightContain(key)).count();
      double sigma = Math.sqrt(asked * plan.fpp()) + 1;
      assertThat((double) wrong)
          .isBetween(asked * plan.fpp() - 5 * sigma, asked * plan.fpp() + 5 * sigma);
    }
  }

  /** Returns log2 of how many sets of so many keys the world has. */
  private static double bound(double keys, double others) {
    double all = keys + others;
    return all * log2(all) - keys * log2(keys) - others * log2(others);
  }

  private static double log2(double x) {
    return Math.log(x) / Math.log(2);
  }

  @Test
  void theSameWorld_givesTheSameBytes() throws IOException {
    List<Long> keys = range(0, 3000);
    List<Long> others = range(3000, 40_000);
    byte[] bytes =
        Kind.bytes(Woodbird.frozen(Keys.longs()).seed(4).exactAgainst(others).buildFrom(keys));
    List<Long> shuffled = LongStream.range(3000, 40_000).map(key -> 42_999 - key).boxed().toList();
    Path path = folder.resolve("same.wbird");
    Woodbird.frozen(Keys.longs())
        .seed(4)
        .threads(3)
        .memoryLimit(1)
        .tempDir(folder)
        .exactAgainst(shuffled)
        .buildTo(path, keys);
    assertThat(path).hasBinaryContent(bytes);
  }

  @Test
  void emptyLists_andListsOfOneKey_work() {
    for (int keys : new int[] {0, 1}) {
      for (int others : new int[] {0, 1, 1000}) {
        Filter<Long> filter =
            Woodbird.frozen(Keys.longs())
                .seed(8)
                .exactAgainst(range(keys, keys + others))
                .buildFrom(range(0, keys));
        assertExact(filter, keys, others);
      }
    }
  }

  @Test
  void aKeyAmongTheOthers_isNamed() {
    Path path = folder.resolve("both.wbird");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                Woodbird.frozen(Keys.strings())
                    .exactAgainst(List.of("owl", "crow"))
                    .buildTo(path, List.of("jay", "crow")))
        .withMessageContaining("\"crow\"");
    assertThat(path).doesNotExist();
    assertThatIllegalArgumentException()
        .as("a stream can't be read again")
        .isThrownBy(
            () ->
                Woodbird.frozen(Keys.strings())
                    .exactAgainst(Stream.of("owl", "crow")::iterator)
                    .buildFrom(List.of("jay", "crow")))
        .withMessageContaining("hash 0x");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                Woodbird.frozen(Keys.strings())
                    .fastToAsk()
                    .exactAgainst(List.of("owl"))
                    .buildFrom(List.of("jay")))
        .withMessageContaining("fastToAsk");
  }

  @Test
  void everyBitFlip_losesNoKey() throws IOException {
    byte[] bytes =
        Kind.bytes(
            Woodbird.frozen(Keys.longs())
                .seed(5)
                .exactAgainst(range(9000, 60_000))
                .buildFrom(range(0, 9000))); // Several pages, as the first one has the table.
    int opened = 0;
    for (int bit = 0; bit < 8 * bytes.length; bit += 997) {
      bytes[bit >>> 3] ^= (byte) (1 << (bit & 7));
      try {
        Filter<Long> filter = Woodbird.wrap(ByteBuffer.wrap(bytes), Keys.longs());
        assertThat(filter.candidates(range(0, 9000))).as("bit %d", bit).hasSize(9000);
        opened++;
      } catch (io.woodbird.CorruptFilterException e) {
        assertThat(e).hasMessageNotContaining("null");
      }
      bytes[bit >>> 3] ^= (byte) (1 << (bit & 7));
    }
    assertThat(opened).isPositive();
  }

  private static void assertExact(Filter<Long> filter, int keys, int others) {
    for (long key = 0; key < keys; key++) {
      if (!filter.mightContain(key)) {
        throw new AssertionError("lost key " + key);
      }
    }
    for (long key = keys; key < (long) keys + others; key++) {
      if (filter.mightContain(key)) {
        throw new AssertionError("wrong about " + key);
      }
    }
  }

  private static List<Long> range(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }
}
