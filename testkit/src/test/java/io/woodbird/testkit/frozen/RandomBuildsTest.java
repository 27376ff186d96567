package io.woodbird.testkit.frozen;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Filter;
import io.woodbird.FrozenBuilder;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import io.woodbird.testkit.FppMeter;
import io.woodbird.testkit.Trials;
import java.util.Collections;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever is built, no key is lost. */
final class RandomBuildsTest {
  /** A fault that one build in 50 has is missed once in 400 runs (e^-6). */
  @Test
  void randomBuilds_loseNoKey() {
    buildAtRandom(300);
  }

  @Tag("slow")
  @Test
  void thousandsOfRandomBuilds_loseNoKey() {
    buildAtRandom(5000);
  }

  private static void buildAtRandom(int builds) {
    Trials.run(
        "randomBuilds_loseNoKey",
        builds,
        random -> {
          Kind kind = random.nextBoolean() ? Kind.RIBBON : Kind.FUSE;
          // Small ones are as many as large ones, and have more corners.
          int size = random.nextInt(1 + random.nextInt(20_001));
          long distinct = random.nextInt(3) == 0 ? 1 + random.nextInt(1 + size) : Long.MAX_VALUE;
          long first = random.nextLong();
          long[] keys = random.longs(size, 0, distinct).map(key -> first + key).toArray();
          FrozenBuilder<Long> builder = kind.of(Keys.longs()).seed(random.nextLong());
          if (random.nextInt(3) == 0) {
            builder.bitsPerKey(1.2 + 20 * random.nextDouble());
          } else {
            builder.fpp(Math.pow(2, -0.1 - 31.9 * random.nextDouble()));
          }
          if (random.nextBoolean()) {
            builder.withoutVerifying(); // Else the builder would find the fault itself.
          }
          Filter<Long> filter = builder.buildFrom(LongStream.of(keys).boxed());
          assertNoneLost(filter, keys, kind + " " + filter);
          assertThat(filter.stats().estimatedKeys())
              .isEqualTo(LongStream.of(keys).distinct().count());
        });
  }

  private static void assertNoneLost(Filter<Long> filter, long[] keys, String what) {
    long[] hashes = LongStream.of(keys).map(filter::hashOfLong).toArray();
    assertThat(filter.candidates(hashes, hashes.length, new int[hashes.length]))
        .as(what)
        .isEqualTo(hashes.length);
    for (long hash : hashes) {
      if (!filter.mightContainHash(hash)) {
        throw new AssertionError(what + " lost " + hash);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void oneKeyAMillionTimes_isOneKey(Kind kind) {
    Filter<Long> filter =
        kind.of(Keys.longs()).fpp(0.01).seed(1).buildFrom(Collections.nCopies(1_000_000, 7L));
    assertThat(filter.mightContainLong(7L)).isTrue();
    assertThat(filter.stats().estimatedKeys()).isOne();
    assertThat(filter.sizeInBytes()).isLessThan(600);
    FppMeter.measure(kind.name(), filter, Long::valueOf, 8, 100_000).assertAtMost(0.01);
  }

  @ParameterizedTest
  @EnumSource
  void aThousandKeysAThousandTimes_areAThousandKeys(Kind kind) throws Exception {
    List<Long> once = LongStream.range(0, 1000).boxed().toList();
    FrozenBuilder<Long> builder = kind.of(Keys.longs()).fpp(0.01).seed(2);
    byte[] expected = Kind.bytes(builder.buildFrom(once));
    Filter<Long> inTurn = builder.buildFrom(LongStream.range(0, 1_000_000).mapToObj(i -> i % 1000));
    Filter<Long> inRuns = builder.buildFrom(LongStream.range(0, 1_000_000).mapToObj(i -> i / 1000));
    assertThat(Kind.bytes(inTurn)).isEqualTo(expected);
    assertThat(Kind.bytes(inRuns)).isEqualTo(expected);
    assertThat(inTurn.candidates(once)).isEqualTo(once);
  }

  @ParameterizedTest
  @EnumSource
  void hashesThatAreTheKeys_stillBuildAndAnswer(Kind kind) {
    KeyHasher<Long> identity = hasher(key -> key);
    for (int count : new int[] {1, 64, 65, 1000, 5000, 300_000}) {
      long[] keys = LongStream.range(0, count).toArray();
      Filter<Long> filter = kind.of(identity).fpp(0.01).buildFrom(LongStream.of(keys).boxed());
      assertNoneLost(filter, keys, kind + ", the first numbers");
      long[] spaced = LongStream.range(0, count).map(i -> i << 40).toArray();
      filter = kind.of(identity).fpp(0.01).buildFrom(LongStream.of(spaced).boxed());
      assertNoneLost(filter, spaced, kind + ", multiples of 2^40");
      long[] high = LongStream.range(0, count).map(i -> -1 - i).toArray();
      filter = kind.of(identity).fpp(0.01).buildFrom(LongStream.of(high).boxed());
      assertNoneLost(filter, high, kind + ", the last numbers");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aThousandDistinctHashes_stillBuildAndAnswer(Kind kind) {
    KeyHasher<Long> coarse = hasher(key -> Keys.longs().hash(key % 1000, 0));
    long[] keys = LongStream.range(0, 500_000).toArray();
    Filter<Long> filter = kind.of(coarse).fpp(0.01).buildFrom(LongStream.of(keys).boxed());
    assertNoneLost(filter, keys, kind.name());
    assertThat(filter.stats().estimatedKeys()).isEqualTo(1000);
  }

  private static KeyHasher<Long> hasher(LongUnaryOperator hash) {
    return new KeyHasher<>() {
      @Override
      public long hash(Long key, long seed) {
        return hash.applyAsLong(key);
      }

      @Override
      public String id() {
        return "int64:bad";
      }
    };
  }
}
