package io.woodbird.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class KeyKindTest {
  @Test
  void strings_have60CharactersAndAreDistinct() {
    long[] ids = Workload.HIT.ids(1L << 40, 10_000);
    String[] urls = KeyKind.STRINGS.keys().apply(ids);
    assertThat(urls).allMatch(url -> url.length() == 60);
    assertThat(Arrays.stream(urls).distinct().count())
        .isEqualTo(Arrays.stream(ids).distinct().count());
  }

  @Test
  void mix_isHalfHere() {
    long n = 100_000;
    int count = 1 << 16;
    long here = Arrays.stream(Workload.MIX.ids(n, count)).filter(id -> id < n).count();
    // Five standard deviations of a fair coin.
    assertThat(here).isBetween(count / 2 - 5 * 128L, count / 2 + 5 * 128L);
  }

  @Test
  void miss_isNeverHere() {
    long lowest = Arrays.stream(Workload.MISS.ids(1_000, 10_000)).min().orElseThrow();
    assertThat(lowest).isGreaterThanOrEqualTo(1_000);
  }
}
