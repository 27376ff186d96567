package io.woodbird.testkit.deletable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.woodbird.FilterFullException;
import io.woodbird.MergeableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.FppMeter;
import io.woodbird.testkit.Trials;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A quotient filter with no room left: it says so, and loses nothing. */
final class FullTest {
  private static MergeableFilter<Long> filter(long keys, double fpp, long seed) {
    return Woodbird.deletable(Keys.longs(), keys).fpp(fpp).seed(seed).build();
  }

  private static byte[] bytesOf(MergeableFilter<?> filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }

  @ParameterizedTest
  @CsvSource({
    "1, 0.01",
    "10, 0.3",
    "1000, 0.0072",
    "50000, 0.0009",
    "100000, 0.0072",
    "300000, 0.01",
    "30000, 1e-9"
  })
  void theKeysItWasMadeForAlwaysFit(long keys, double fpp) {
    Trials.run(
        "theKeysItWasMadeForAlwaysFit",
        keys < 10_000 ? 200 : 10,
        random -> {
          MergeableFilter<Long> filter = filter(keys, fpp, random.nextLong());
          for (long key = 0; key < keys; key++) {
            filter.putLong(key);
          }
          assertThat(filter.stats().estimatedKeys()).isEqualTo(keys);
          assertThat(filter.stats().overfull()).isFalse();
        });
  }

  @ParameterizedTest
  @CsvSource({"1, 0.01", "1000, 0.0072", "70000, 0.0009", "140000, 0.1"})
  void fullIsSaid_andNothingIsLost(long keys, double fpp) {
    Trials.run(
        "fullIsSaid_andNothingIsLost",
        3,
        random -> {
          MergeableFilter<Long> filter = filter(keys, fpp, random.nextLong());
          List<Long> in = new ArrayList<>();
          int refused = 0;
          byte[] before = null;
          for (long key = 0; refused < 50; key++) {
            try {
              filter.putLong(key);
              in.add(key);
              before = null;
            } catch (FilterFullException e) {
              assertThat(e)
                  .hasMessageContaining(String.format(Locale.ROOT, "made for %,d keys", keys))
                  .hasMessageContaining("no room")
                  .hasMessageContaining("larger");
              refused++;
              if (before != null) {
                assertThat(bytesOf(filter)).isEqualTo(before);
              }
              before = bytesOf(filter);
            }
          }
          assertThat(filter.stats().estimatedKeys())
              .isEqualTo(in.size())
              .isGreaterThanOrEqualTo(keys);
          assertThat(in).allMatch(filter::mightContain);
          assertThat(filter.stats().overfull()).isTrue();
          FppMeter.measure("full", filter, Long::valueOf, 1L << 40, 20_000)
              .assertAtMost(filter.stats().currentFpp());
          for (long key : in) {
            if (!filter.removeLong(key)) {
              throw new AssertionError("lost " + key);
            }
          }
          assertThat(filter.stats().estimatedKeys()).isZero();
          assertThat(bytesOf(filter)).isEqualTo(bytesOf(emptyLike(filter, keys, fpp)));
        });
  }

  /** An empty filter of the same seed; the seed is in the header of the file. */
  private static MergeableFilter<Long> emptyLike(
      MergeableFilter<Long> filter, long keys, double fpp) throws IOException {
    byte[] bytes = bytesOf(filter);
    long seed = java.nio.ByteBuffer.wrap(bytes).order(java.nio.ByteOrder.LITTLE_ENDIAN).getLong(16);
    return filter(keys, fpp, seed);
  }

  @Test
  void oneKeyPutAgainAndAgainFillsItsPlace_andOnlyThat() {
    MergeableFilter<Long> filter = filter(100_000, 0.0072, 71);
    int times = 0;
    try {
      for (; times < 1_000_000; times++) {
        filter.putLong(7L);
      }
    } catch (FilterFullException e) {
      assertThat(e).hasMessageContaining("no room");
    }
    assertThat(times).isBetween(192, 200_000);
    assertThat(filter.stats().estimatedKeys()).isEqualTo(times);
    for (int i = 0; i < times; i++) {
      if (!filter.mightContainLong(7L) || !filter.removeLong(7L)) {
        throw new AssertionError("lost after " + i);
      }
    }
    assertThat(filter.mightContainLong(7L)).isFalse();
    assertThat(filter.stats().estimatedKeys()).isZero();
  }

  @Test
  void putAll_ofTooManyKeepsThoseThatWerePut() {
    MergeableFilter<Long> filter = filter(1000, 0.01, 72);
    List<Long> many = java.util.stream.LongStream.range(0, 5000).boxed().toList();
    assertThatExceptionOfType(FilterFullException.class).isThrownBy(() -> filter.putAll(many));
    long count = filter.stats().estimatedKeys();
    assertThat(many.subList(0, (int) count)).allMatch(filter::mightContain);
  }

  @Test
  void aCountingBloomFilterIsNeverFull_itSaysThatItIsOverfull() {
    var filter = Woodbird.deletable(Keys.longs(), 100).counting().seed(73).build();
    for (long key = 0; key < 20_000; key++) {
      filter.putLong(key);
    }
    for (long key = 0; key < 20_000; key++) {
      assertThat(filter.mightContainLong(key)).isTrue();
    }
    assertThat(filter.stats().overfull()).isTrue();
  }
}
