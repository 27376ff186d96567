package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which pages of a file are bad. */
final class PageStatesTest {
  @Test
  void badPages_areCounted_andTheFirstIsFound_inFilesOfMoreThan65536Pages() {
    PageStates states = new PageStates(200_000);
    assertThat(states.firstBad()).isEqualTo(-1);
    assertThat(states.countBad()).isZero();
    states.set(199_999, PageStates.BAD);
    assertThat(states.firstBad()).isEqualTo(199_999);
    states.set(3, PageStates.GOOD);
    states.set(70_000, PageStates.BAD);
    assertThat(states.firstBad()).isEqualTo(70_000);
    assertThat(states.countBad()).isEqualTo(2);
    states.set(70_000, PageStates.GOOD);
    assertThat(states.get(70_000)).isEqualTo(PageStates.GOOD);
    assertThat(states.get(70_001)).isEqualTo(PageStates.UNKNOWN);
    assertThat(states.firstBad()).isEqualTo(199_999);
    assertThat(states.countBad()).isEqualTo(1);
  }
}
