package io.woodbird.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The generations of a window share a hash's words, and each has the bits of a Bloom filter. */
final class GenerationalTest {
  private static final long SEED = 62;

  /** A bit of generation g is bit for bit that of a blocked Bloom filter of its own. */
  @ParameterizedTest
  @EnumSource(BlockShape.class)
  void eachGeneration_hasTheBitsOfABlockedBloomFilter(BlockShape shape) {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 2000; round++) {
      BlockedBloom bloom = new BlockedBloom(1 + random.nextInt(1000), shape);
      Generational layout = new Generational(bloom);
      long hash = random.nextLong();
      Set<Long> expected = new HashSet<>();
      for (long position : Positions.of(bloom, hash)) {
        expected.add(position);
      }
      Set<Long> found = new HashSet<>();
      long own = hash;
      for (int block = 0; block < shape.blocks(); block++) {
        collect(layout, own, found);
        own = BlockedBloom.other(own);
      }
      assertThat(found).as("round %d", round).isEqualTo(expected);
    }
  }

  private static void collect(Generational layout, long hash, Set<Long> found) {
    long fields = layout.bloom().fields(hash);
    long block = layout.base(hash) / Generational.BLOCK_WORDS;
    for (int j = 0; j < layout.bloom().shape().words(); j++) {
      long mask = layout.bloom().mask(fields, j);
      for (int bit = 0; bit < 64; bit++) {
        if ((mask >>> bit & 1) != 0) {
          found.add((block * BlockedBloom.WORDS + layout.bloom().word(fields, j)) * 64 + bit);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(BlockShape.class)
  void theFppOfAWindow_isThatOfEightFilters(BlockShape shape) {
    Generational layout = new Generational(new BlockedBloom(1000, shape));
    double one = BlockedBloomSize.fpp(layout.bloom(), Generational.generationKeys(100_000));
    assertThat(layout.fpp(100_000)).isBetween(8 * one * (1 - 4 * one), 8 * one);
    assertThat(layout.wordCount()).isEqualTo(8 * layout.bloom().bitCount() / 64);
  }
}
