package io.woodbird.filter.frozen;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.key.Keys;
import org.junit.jupiter.api.Test;

final class BuildSettingsTest {
  private static BuildSettings<Long> of(int threads, long memoryLimit) {
    return new BuildSettings<>(Keys.longs(), 0, threads, memoryLimit, null, true, null, 0);
  }

  @Test
  void threads_areNoMoreThanTheMemoryIsEnoughFor() {
    assertThat(of(64, 2L << 30).threads()).isEqualTo(10); // 32 MB, and 200 MB each.
    assertThat(of(64, 632L << 20).threads()).isEqualTo(3);
    assertThat(of(64, (632L << 20) - 1).threads()).isEqualTo(2);
    assertThat(of(64, 1).threads()).isEqualTo(1);
    assertThat(of(2, 1L << 40).threads()).isEqualTo(2);
    for (long limit = 1; limit < 4L << 30; limit += 100L << 20) {
      BuildSettings<Long> settings = of(64, limit);
      long all = settings.spillMemory() + settings.threads() * (200L << 20);
      assertThat(all).isLessThanOrEqualTo(Math.max(limit, 232L << 20));
    }
  }
}
