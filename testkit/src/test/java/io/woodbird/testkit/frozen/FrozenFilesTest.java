package io.woodbird.testkit.frozen;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Filter;
import io.woodbird.FilterPlan;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.testkit.TestKeys;
import io.woodbird.testkit.Trials;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A frozen filter is the same wherever it lies. */
final class FrozenFilesTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @EnumSource
  void savedOpenedWrappedAndRead_itGivesTheSameAnswers(Kind kind) {
    TestKeys<String> keys = TestKeys.strings();
    Trials.sized(
        "savedOpenedWrappedAndRead_itGivesTheSameAnswers " + kind,
        12, // A fault that half of the sizes show is missed once in 4,000 runs.
        6_000, // Up to four pages; the first has the shard table.
        (random, size) -> {
          double fpp = Math.pow(2, -20 * random.nextDouble());
          List<String> present = keys.range(0, size);
          Filter<String> built =
              kind.of(keys.hasher()).fpp(fpp).seed(random.nextLong()).buildFrom(present);
          List<String> asked = keys.range(0, 2 * size + 100);
          List<String> maybe = built.candidates(asked);
          assertThat(maybe.subList(0, size)).isEqualTo(present);
          Path path = folder.resolve(kind + ".wbird");
          built.save(path);
          byte[] bytes = Files.readAllBytes(path);
          ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
          try (OpenFilter<String> opened = Woodbird.open(path, keys.hasher())) {
            opened.verify();
            for (Filter<String> filter :
                List.of(
                    opened,
                    Woodbird.wrap(ByteBuffer.wrap(bytes), keys.hasher()),
                    Woodbird.wrap(direct, keys.hasher()),
                    Woodbird.readFrom(new ByteArrayInputStream(bytes), keys.hasher()))) {
              assertThat(filter.candidates(asked)).isEqualTo(maybe);
              assertThat(asked.stream().filter(filter::mightContain)).isEqualTo(maybe);
              assertThat(filter.stats()).isEqualTo(built.stats());
              assertThat(filter.sizeInBytes()).isEqualTo(bytes.length);
              assertThat(Kind.bytes(filter)).isEqualTo(bytes);
            }
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void buildTo_saysWhatItBuilt(Kind kind) throws IOException {
    TestKeys<Long> keys = TestKeys.longs();
    for (int count : new int[] {0, 1, 100, 50_000}) {
      Path path = folder.resolve("built.wbird");
      FilterPlan plan = kind.of(keys.hasher()).fpp(0.01).buildTo(path, keys.range(0, count));
      assertThat(plan.family()).isEqualToIgnoringCase(kind.name());
      assertThat(plan.keys()).isEqualTo(count);
      assertThat(plan.bytes()).isEqualTo(Files.size(path));
      try (OpenFilter<Long> filter = Woodbird.open(path, keys.hasher())) {
        assertThat(filter.stats().bits()).isEqualTo(plan.bits());
        assertThat(filter.stats().promisedFpp()).isEqualTo(plan.fpp()).isLessThanOrEqualTo(0.01);
        assertThat(filter.candidates(keys.range(0, count))).hasSize(count);
      }
    }
  }
}
