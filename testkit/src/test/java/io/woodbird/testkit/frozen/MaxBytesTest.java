package io.woodbird.testkit.frozen;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.FilterPlan;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.FppMeter;
import io.woodbird.testkit.Trials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A filter within a number of bytes. */
final class MaxBytesTest {
  private static final double FPP_AT_TWO_BITS = 0.257;

  @TempDir private Path folder;

  @ParameterizedTest
  @EnumSource
  void maxBytes_areNeverExceeded_andTheFppIsTheOnePromised(Kind kind) {
    int[] built = {0};
    Trials.sized(
        "maxBytes_areNeverExceeded_andTheFppIsTheOnePromised " + kind,
        40, // For each kind: a fault that one size in eight shows is missed once in 200 runs.
        40_000,
        (random, size) -> {
          int count = size >> random.nextInt(12);
          long maxBytes = 1 + random.nextInt(400) + random.nextLong(1 + 3L * count);
          long seed = random.nextLong();
          built[0] += fits(kind, count, count, maxBytes, seed) ? 1 : 0;
        });
    assertThat(built[0]).isGreaterThan(15);
  }

  /** A ribbon of few keys that repeat has as many shards, and is solved in a tenth of the time. */
  @ParameterizedTest
  @CsvSource({"FUSE, 4300000, 3000000", "RIBBON, 600000, 1000000"})
  void maxBytes_holdForSeveralShards(Kind kind, int distinct, long maxBytes) throws IOException {
    assertThat(fits(kind, 4_300_000, distinct, maxBytes, 51)).isTrue();
  }

  @Tag("slow")
  @ParameterizedTest
  @EnumSource
  void maxBytes_holdForSeveralShardsOfManyKeys(Kind kind) throws IOException {
    assertThat(fits(kind, 4_300_000, 4_300_000, 3_000_000, 51)).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void maxBytes_holdForKeysThatRepeat(Kind kind) throws IOException {
    assertThat(fits(kind, 300_000, 200_000, 200_000, 52)).isTrue();
  }

  /** Builds within so many bytes, or returns false if the builder says that they are too few. */
  private boolean fits(Kind kind, int count, int distinct, long maxBytes, long seed)
      throws IOException {
    Path path = folder.resolve(kind + ".wbird");
    FilterPlan plan;
    try {
      plan =
          kind.of(Keys.longs())
              .maxBytes(maxBytes)
              .seed(seed)
              .buildTo(path, LongStream.range(0, count).map(i -> i % distinct).boxed());
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageContaining("maxBytes").hasMessageContaining("keys");
      assertThat(maxBytes).as("%s of %,d keys", kind, count).isLessThan(400 + count);
      return false;
    }
    assertThat(Files.size(path)).isEqualTo(plan.bytes()).isLessThanOrEqualTo(maxBytes);
    try (OpenFilter<Long> filter = Woodbird.open(path, Keys.longs())) {
      long[] hashes = LongStream.range(0, distinct).map(filter::hashOfLong).toArray();
      assertThat(filter.candidates(hashes, distinct, new int[distinct])).isEqualTo(distinct);
      String what = String.format("%s, %,d keys in %,d bytes", kind, count, maxBytes);
      FppMeter.measure(what, filter, Long::valueOf, count, 20_000).assertAtMost(plan.fpp());
    }
    return true;
  }

  /** What every file has takes a 200th of these bytes, less of larger ones. */
  @Test
  void aMillionUrls_fitInto250000Bytes() throws IOException {
    urls(1_000_000, 250_000);
  }

  @Tag("slow")
  @Test
  void twentyMillionUrls_fitInto5000000Bytes() throws IOException {
    urls(20_000_000, 5_000_000);
  }

  private void urls(long count, long maxBytes) throws IOException {
    Path path = folder.resolve("urls.wbird");
    FilterPlan plan =
        Woodbird.frozen(Keys.strings())
            .maxBytes(maxBytes)
            .seed(53)
            .tempDir(folder)
            .buildTo(path, LongStream.range(0, count).mapToObj(MaxBytesTest::url));
    assertThat(Files.size(path)).isLessThanOrEqualTo(maxBytes);
    assertThat(plan.fpp()).isLessThanOrEqualTo(FPP_AT_TWO_BITS);
    try (OpenFilter<String> filter = Woodbird.open(path, Keys.strings())) {
      FppMeter.Measurement measured =
          FppMeter.measure("seed 53", filter, MaxBytesTest::url, count, count / 2);
      measured.assertAtMost(FPP_AT_TWO_BITS);
      System.out.printf(
          "%,d URLs in %,d bytes: fpp %.2f %% measured, %.2f %% promised%n",
          count, Files.size(path), 100 * measured.fpp(), 100 * plan.fpp());
      LongStream.range(0, count)
          .filter(number -> !filter.mightContain(url(number)))
          .findAny()
          .ifPresent(
              number -> {
                throw new AssertionError("lost " + url(number));
              });
    }
  }

  private static String url(long number) {
    return "https://www.example.com/articles/" + number % 97 + "/item-" + number + "?ref=feed";
  }
}
