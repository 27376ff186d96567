package io.woodbird.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class BlockedBloomTest {
  private static final int HASHES = 1 << 18;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 1000, BlockedBloom.MAX_BLOCKS, 1L << 32, 1L << 40, 1L << 53})
  void everyPositionIsInRange(long blocks) {
    SplittableRandom random = new SplittableRandom(0xb10c);
    for (BlockShape shape : BlockShape.values()) {
      BlockedBloom layout = new BlockedBloom(blocks, shape);
      for (int round = 0; round < 2000; round++) {
        long hash = round == 0 ? 0 : round == 1 ? -1 : random.nextLong();
        long[] bits = Positions.sorted(layout, hash);
        assertThat(bits[0]).isNotNegative();
        assertThat(bits[bits.length - 1]).isLessThan(blocks * BlockedBloom.BITS);
        assertThat(bits.length)
            .isBetween(shape.words(), shape.blocks() * shape.words() * shape.bits());
      }
    }
    assertThat(BlockedBloom.block(0, blocks)).isZero();
    assertThat(BlockedBloom.block(-1, blocks)).isEqualTo(blocks - 1);
  }

  /** The blocks of a pair may be one, and then its bits may coincide. */
  @ParameterizedTest
  @EnumSource(BlockShape.class)
  void addTo_twice_changesNothing(BlockShape shape) {
    BlockedBloom layout = new BlockedBloom(1, shape);
    SplittableRandom random = new SplittableRandom(0xadd);
    for (int round = 0; round < 100; round++) {
      long hash = random.nextLong();
      long[] once = new long[BlockedBloom.WORDS];
      layout.addTo(once, hash);
      long[] twice = once.clone();
      layout.addTo(twice, hash);
      assertThat(twice).isEqualTo(once);
    }
  }

  @Test
  void theLargestFilterOfTheHeapFitsAnArray() {
    long words = BlockedBloom.MAX_BLOCKS * BlockedBloom.WORDS;
    assertThat(words + 8).isLessThanOrEqualTo(Integer.MAX_VALUE - 2);
    assertThat(new BlockedBloom(BlockedBloom.MAX_BLOCKS, BlockShape.TWO_3).bitCount())
        .isEqualTo(64 * words);
  }

  @ParameterizedTest
  @ValueSource(longs = {1000, 1021, 1024, BlockedBloom.MAX_BLOCKS, 1L << 40})
  void theBlocksAreHitEquallyOften(long blocks) {
    SplittableRandom random = new SplittableRandom(0xb10d);
    int cells = (int) Math.min(blocks, 4096);
    long[] first = new long[cells];
    long[] second = new long[cells];
    for (int i = 0; i < HASHES; i++) {
      long hash = random.nextLong();
      first[(int) (BlockedBloom.block(hash, blocks) / ((double) blocks / cells))]++;
      long other = BlockedBloom.block(BlockedBloom.other(hash), blocks);
      second[(int) (other / ((double) blocks / cells))]++;
    }
    Chance.assertEven(first, "blocks");
    Chance.assertEven(second, "second blocks");
  }

  @ParameterizedTest
  @EnumSource(BlockShape.class)
  void allWordsAndBitsOfABlockAreHitEquallyOften(BlockShape shape) {
    // One bit of one word of each key is counted, so that hits are independent.
    SplittableRandom random = new SplittableRandom(0xb10e);
    BlockedBloom layout = new BlockedBloom(1, shape);
    long[] bits = new long[BlockedBloom.BITS];
    long[] words = new long[BlockedBloom.WORDS];
    for (int i = 0; i < HASHES; i++) {
      long fields = layout.fields(random.nextLong());
      int word = layout.word(fields, i % shape.words());
      long mask = layout.mask(fields, i % shape.words());
      assertThat(Long.bitCount(mask)).isEqualTo(shape.bits());
      for (int skip = random.nextInt(shape.bits()); skip > 0; skip--) {
        mask &= mask - 1;
      }
      words[word]++;
      bits[64 * word + Long.numberOfTrailingZeros(mask)]++;
    }
    Chance.assertEven(words, "words");
    Chance.assertEven(bits, "bits");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void everyClassIsAnother(int bits) {
    Set<Long> smallest = new HashSet<>();
    for (int field = 0; field < BlockedBloom.CLASSES; field++) {
      long mask = BlockedBloom.maskOf(field, bits);
      assertThat(Long.bitCount(mask)).isEqualTo(bits);
      LongStream turned = IntStream.range(0, 64).mapToLong(by -> Long.rotateLeft(mask, by));
      assertThat(turned.map(each -> each ^ Long.MIN_VALUE).min()).hasValue(mask ^ Long.MIN_VALUE);
      smallest.add(mask);
    }
    assertThat(smallest).hasSize(bits == 1 ? 1 : bits == 2 ? 32 : 512);
  }

  @ParameterizedTest
  @EnumSource(BlockShape.class)
  void theBitsInABlockDoNotFollowFromTheBlock(BlockShape shape) {
    SplittableRandom random = new SplittableRandom(0xb110);
    BlockedBloom layout = new BlockedBloom(64, shape);
    long[][] joint = new long[shape.words()][64 * 64];
    for (int i = 0; i < 2 * HASHES; i++) {
      long hash = random.nextLong();
      long fields = layout.fields(hash);
      int block = (int) BlockedBloom.block(hash, 64);
      for (int j = 0; j < shape.words(); j++) {
        int lowest = Long.numberOfTrailingZeros(turned(layout, fields, j));
        joint[j][64 * block + lowest]++;
      }
    }
    for (int j = 0; j < shape.words(); j++) {
      Chance.assertEven(joint[j], "block and bits of word " + j);
    }
  }

  /**
   * One bit of word {@code j}, every bit equally likely: the mask of a class, turned to one bit.
   */
  private static long turned(BlockedBloom layout, long fields, int j) {
    int first = layout.shape().words() == 2 ? 9 + 6 * j : 9 + 15 * j;
    return 1L << (fields >>> first);
  }

  @Test
  void neighboursInAHugeFilterAreAsGoodAsAnyInASmallOne() {
    // With 2^40 blocks the high 40 bits of the hash are spent; the bits in the block must still
    // come from the other 24 evenly.
    SplittableRandom random = new SplittableRandom(0xb111);
    long[] joint = new long[64 * 64];
    BlockedBloom layout = new BlockedBloom(1L << 40, BlockShape.TWO_3);
    for (int i = 0; i < 4 * HASHES; i++) {
      long hash = 0x123456789aL << 24 | random.nextInt(1 << 24);
      assertThat(BlockedBloom.block(hash, 1L << 40)).isEqualTo(0x123456789aL);
      long low = Long.numberOfTrailingZeros(turned(layout, hash, 0));
      joint[(int) (64 * low + Long.numberOfTrailingZeros(turned(layout, hash, 1)))]++;
    }
    Chance.assertEven(joint, "the two words of a key within one block");
  }

  @Test
  void theTwoBlocksOfAPairAreIndependent() {
    SplittableRandom random = new SplittableRandom(0xb112);
    long[] joint = new long[64 * 64];
    for (int i = 0; i < HASHES; i++) {
      long hash = random.nextLong();
      long first = BlockedBloom.block(hash, 64);
      joint[(int) (64 * first + BlockedBloom.block(BlockedBloom.other(hash), 64))]++;
    }
    Chance.assertEven(joint, "first and second block");
  }

  @Test
  void missing_isTheBitsThatAreNotSet() {
    SplittableRandom random = new SplittableRandom(0xb113);
    for (int round = 0; round < 20_000; round++) {
      long hash = random.nextLong();
      long pattern = BlockedBloom.pattern(hash);
      int bits = 1 + random.nextInt(3);
      long[] words = random.longs(4).map(word -> word | random.nextLong()).toArray();
      long two =
          BlockedBloom.lowMask(hash, bits) & ~words[0]
              | BlockedBloom.highMask(hash, bits) & ~words[1];
      assertThat(BlockedBloom.missing(hash, bits, words[0], words[1])).isEqualTo(two);
      long four = 0;
      for (int j = 0; j < 4; j++) {
        four |= BlockedBloom.sectorMask(pattern, j, bits) & ~words[j];
      }
      assertThat(BlockedBloom.missing(pattern, bits, words[0], words[1], words[2], words[3]))
          .isEqualTo(four);
      assertThat(BlockedBloom.missing(pattern, bits, -1, -1, -1, -1)).isZero();
      assertThat(BlockedBloom.missing(hash, bits, -1, -1)).isZero();
    }
  }

  @Test
  void thePositionsAreForEver() {
    List<String[]> vectors = Golden.read("positions.csv");
    int checked = 0;
    for (String[] vector : vectors) {
      if (!vector[0].startsWith("CLASSIC")) {
        BlockedBloom layout =
            new BlockedBloom(Long.parseLong(vector[1]), BlockShape.valueOf(vector[0]));
        long[] bits = Positions.sorted(layout, Long.parseUnsignedLong(vector[2], 16));
        assertThat(bits).as(Arrays.toString(vector)).isEqualTo(Golden.numbers(vector[3]));
        checked++;
      }
    }
    assertThat(checked).isEqualTo(BlockShape.values().length * 4 * 8);
  }
}
