package io.woodbird.testkit.deletable;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.MergeableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A counter of a counting Bloom filter that has reached 15 stays there. */
final class StuckCountersTest {
  private static MergeableFilter<Long> filter(double fpp) {
    return Woodbird.deletable(Keys.longs(), 1000).counting().fpp(fpp).seed(92).build();
  }

  private static byte[] bytesOf(MergeableFilter<?> filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 13, 14})
  void upToFourteenTimes_everyPutCanBeUndone(int times) {
    MergeableFilter<Long> filter = filter(0.01);
    for (int i = 0; i < times; i++) {
      filter.putLong(7L);
    }
    for (int i = 0; i < times; i++) {
      assertThat(filter.mightContainLong(7L)).isTrue();
      assertThat(filter.removeLong(7L)).isTrue();
    }
    assertThat(filter.mightContainLong(7L)).isFalse();
    assertThat(filter.removeLong(7L)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {15, 16, 17, 100, 1000})
  void fromFifteenTimesOn_theKeyStaysForEver(int times) throws IOException {
    MergeableFilter<Long> filter = filter(0.01);
    for (int i = 0; i < times; i++) {
      filter.putLong(7L);
    }
    byte[] stuck = bytesOf(filter);
    for (int i = 0; i < 2 * times; i++) {
      assertThat(filter.removeLong(7L)).isTrue();
      assertThat(filter.mightContainLong(7L)).isTrue();
    }
    assertThat(bytesOf(filter)).isEqualTo(stuck);
    filter.putLong(7L);
    assertThat(bytesOf(filter)).isEqualTo(stuck);
  }

  /** Others that share a counter are put and removed, and it is never lowered. */
  @ParameterizedTest
  @ValueSource(doubles = {0.2, 0.01, 1e-3, 1e-6})
  void keysAroundStuckCountersAreNeverLost(double fpp) {
    MergeableFilter<Long> filter = filter(fpp);
    for (int round = 0; round < 40; round++) {
      for (long key = 0; key < 1000; key++) {
        filter.putLong(key);
      }
    }
    for (int round = 0; round < 60; round++) {
      for (long key = 500; key < 1000; key++) {
        assertThat(filter.removeLong(key)).isTrue();
      }
      for (long key = 0; key < 500; key++) {
        assertThat(filter.mightContainLong(key)).isTrue();
      }
    }
  }

  @Test
  void mergedCountersStickToo() throws IOException {
    MergeableFilter<Long> one = filter(0.01);
    MergeableFilter<Long> two = filter(0.01);
    MergeableFilter<Long> all = filter(0.01);
    for (int i = 0; i < 8; i++) {
      one.putLong(7L);
      two.putLong(7L);
      all.putLong(7L);
      all.putLong(7L);
    }
    one.merge(two);
    assertThat(bytesOf(one)).isEqualTo(bytesOf(all));
    for (int i = 0; i < 100; i++) {
      assertThat(one.removeLong(7L)).isTrue();
    }
    assertThat(one.mightContainLong(7L)).isTrue();
    one.merge(one);
    one.merge(two);
    assertThat(bytesOf(one)).isEqualTo(bytesOf(all));
  }

  @Test
  void theyAreStillStuckAfterTheFile() throws IOException {
    MergeableFilter<Long> filter = filter(0.01);
    for (int i = 0; i < 20; i++) {
      filter.putLong(7L);
    }
    byte[] bytes = bytesOf(filter);
    MergeableFilter<Long> read =
        (MergeableFilter<Long>) Woodbird.readFrom(new ByteArrayInputStream(bytes), Keys.longs());
    for (int i = 0; i < 100; i++) {
      assertThat(read.removeLong(7L)).isTrue();
    }
    assertThat(bytesOf(read)).isEqualTo(bytes);
  }
}
