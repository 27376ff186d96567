package io.woodbird.testkit.frozen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.FrozenBuilder;
import io.woodbird.key.Keys;
import io.woodbird.testkit.Trials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Same keys and seed, same bytes, whatever else differs. */
final class SameBytesTest {
  /** Four shards, and more than a build holds in memory under the smallest limit. */
  private static final long MANY = 8_400_000;

  private static final long TWO_SHARDS = 4_300_000;

  /**
   * The keys that differ. Shards and memory are counted with repetitions, so that few keys which
   * come again and again are as many shards, and are solved in a tenth of the time.
   */
  private static final long DISTINCT = 600_000;

  @TempDir private Path folder;

  @ParameterizedTest
  @EnumSource
  void theOrderAndTheThreads_doNotCount(Kind kind) {
    Trials.sized(
        "theOrderAndTheThreads_doNotCount " + kind,
        5,
        20_000,
        (random, size) -> {
          List<Long> keys = new ArrayList<>(random.longs(size).boxed().toList());
          keys.addAll(keys.subList(0, size / 3));
          long seed = random.nextLong();
          List<UnaryOperator<FrozenBuilder<Long>>> sizes =
              List.of(b -> b.fpp(0.003), b -> b.bitsPerKey(6), b -> b.maxBytes(1000 + 2 * size));
          for (UnaryOperator<FrozenBuilder<Long>> sized : sizes) {
            byte[] expected = null;
            for (int threads : new int[] {1, 2, 4}) {
              Collections.shuffle(keys, new Random(random.nextLong()));
              FrozenBuilder<Long> builder =
                  sized.apply(kind.of(Keys.longs()).seed(seed).threads(threads));
              byte[] bytes = Kind.bytes(builder.buildFrom(keys));
              Path path = folder.resolve("same.wbird");
              builder.buildTo(path, keys);
              assertThat(Files.readAllBytes(path)).isEqualTo(bytes);
              expected = expected == null ? bytes : expected;
              assertThat(bytes).isEqualTo(expected);
            }
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void theThreads_doNotCount_forSeveralShards(Kind kind) throws IOException {
    FrozenBuilder<Long> builder = kind.of(Keys.longs()).bitsPerKey(3).seed(60);
    byte[] one = Kind.bytes(builder.threads(1).buildFrom(repeated(TWO_SHARDS)));
    byte[] two = Kind.bytes(builder.threads(2).buildFrom(reversed(TWO_SHARDS)));
    assertThat(Arrays.mismatch(one, two)).isEqualTo(-1);
  }

  @Test
  void spillingAndThreads_doNotCount_forFuse() throws IOException {
    spillingAndThreadsDoNotCount(Kind.FUSE);
  }

  @Tag("slow")
  @Test
  void spillingAndThreads_doNotCount_forRibbon() throws IOException {
    spillingAndThreadsDoNotCount(Kind.RIBBON);
  }

  private void spillingAndThreadsDoNotCount(Kind kind) throws IOException {
    Path inMemory = folder.resolve("memory.wbird");
    Path spilled = folder.resolve("spilled.wbird");
    kind.of(Keys.longs())
        .fpp(0.02)
        .seed(61)
        .threads(4)
        .memoryLimit(2L << 30)
        .tempDir(folder.resolve("missing")) // Not needed, so not missed.
        .buildTo(inMemory, repeated(MANY));
    FrozenBuilder<Long> small = kind.of(Keys.longs()).fpp(0.02).seed(61).threads(1).memoryLimit(1);
    assertThatThrownBy(
            () -> small.tempDir(folder.resolve("missing")).buildTo(spilled, repeated(MANY)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(folder.resolve("missing").toString());
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    small.tempDir(temporary).buildTo(spilled, reversed(MANY));
    assertThat(Files.mismatch(inMemory, spilled)).isEqualTo(-1);
    try (Stream<Path> left = Files.list(temporary)) {
      assertThat(left).isEmpty();
    }
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).containsExactlyInAnyOrder(inMemory, spilled, temporary);
    }
  }

  @ParameterizedTest
  @EnumSource
  void longsThatAreNoObjects_giveTheSame(Kind kind) throws IOException {
    FrozenBuilder<Long> builder = kind.of(Keys.longs()).fpp(0.01).seed(63);
    PrimitiveIterator.OfLong longs = LongStream.range(0, 5_000).iterator();
    PrimitiveIterator.OfLong withoutObjects =
        new PrimitiveIterator.OfLong() {
          @Override
          public boolean hasNext() {
            return longs.hasNext();
          }

          @Override
          public long nextLong() {
            return longs.nextLong();
          }

          @Override
          public Long next() {
            throw new AssertionError("an object for a long");
          }
        };
    byte[] expected = Kind.bytes(builder.buildFrom(LongStream.range(0, 5_000).boxed().toList()));
    assertThat(Kind.bytes(builder.buildFrom(withoutObjects))).isEqualTo(expected);
  }

  private static Stream<Long> repeated(long count) {
    return LongStream.range(0, count).map(i -> i % DISTINCT).boxed();
  }

  private static Stream<Long> reversed(long count) {
    return LongStream.range(0, count).map(i -> (count - 1 - i) % DISTINCT).boxed();
  }

  /** A key that is said again and again must not take room from the others. */
  @Test
  void whenAKeyIsRepeated_doesNotCount() throws IOException {
    FrozenBuilder<Long> builder = Kind.RIBBON.of(Keys.longs()).maxBytes(1_000_000).seed(62);
    Stream<Long> first = Collections.nCopies(600_000, 7L).stream();
    Stream<Long> again = Collections.nCopies(600_000, 7L).stream();
    byte[] early = Kind.bytes(builder.buildFrom(Stream.concat(first, repeated(3_700_000))));
    byte[] late = Kind.bytes(builder.buildFrom(Stream.concat(reversed(3_700_000), again)));
    assertThat(Arrays.mismatch(early, late)).isEqualTo(-1);
  }
}
