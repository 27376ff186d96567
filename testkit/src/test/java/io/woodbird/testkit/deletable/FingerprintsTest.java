package io.woodbird.testkit.deletable;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.FingerprintFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.Trials;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The hashes that a quotient filter gives back stand for its keys. */
final class FingerprintsTest {
  private static FingerprintFilter<Long> filter(long keys, double fpp, long seed) {
    return (FingerprintFilter<Long>)
        Woodbird.deletable(Keys.longs(), keys).fpp(fpp).seed(seed).build();
  }

  private static byte[] bytesOf(FingerprintFilter<?> filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }

  private static List<Long> hashes(FingerprintFilter<?> filter) {
    List<Long> hashes = new ArrayList<>();
    filter.forEachHash(hashes::add);
    return hashes;
  }

  /** Much cheaper than an assertion of AssertJ, in loops of millions. */
  private static void require(boolean right, long hash) {
    if (!right) {
      throw new AssertionError("lost: " + hash);
    }
  }

  @Test
  void theHashesMakeTheSameFilter() {
    Trials.sized(
        "theHashesMakeTheSameFilter",
        60,
        150_000,
        (random, size) -> {
          double fpp = new double[] {0.5, 0.1, 0.0072, 0.0009, 1e-6, 1e-12}[random.nextInt(6)];
          long seed = random.nextLong();
          long expected = Math.max(1, size);
          FingerprintFilter<Long> filter = filter(expected, fpp, seed);
          for (int i = 0; i < size; i++) {
            filter.putLong(random.nextLong(10L * size));
          }
          List<Long> hashes = hashes(filter);
          assertThat(hashes).hasSize(size).isSortedAccordingTo(Long::compareUnsigned);
          FingerprintFilter<Long> again = filter(expected, fpp, seed);
          for (long hash : hashes) {
            require(filter.mightContainHash(hash), hash);
            again.putHash(hash);
          }
          assertThat(bytesOf(again)).isEqualTo(bytesOf(filter));
          for (long hash : hashes) {
            require(filter.removeHash(hash), hash);
          }
          assertThat(filter.count()).isZero();
          assertThat(hashes(filter)).isEmpty();
        });
  }

  @Test
  void theFilterMayBeChangedMeanwhile() {
    FingerprintFilter<Long> filter = filter(200_000, 0.001, 91);
    for (long key = 0; key < 100_000; key++) {
      filter.putLong(key);
    }
    List<Long> met = new ArrayList<>();
    filter.forEachHash(
        hash -> {
          met.add(hash);
          assertThat(filter.removeHash(hash)).isTrue();
        });
    assertThat(met).hasSize(100_000);
    assertThat(filter.count()).isZero();
  }
}
