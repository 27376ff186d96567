package io.woodbird.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
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
  void allBitsOfABlockAreHitEquallyOften(BlockShape shape) {
    // A key hits at most one bit of each pair that is counted here, so that hits are independent:
    // a bit in the first word of a key, by its first field.
    SplittableRandom random = new SplittableRandom(0xb10e);
    long[] bits = new long[BlockedBloom.BITS];
    long[] words = new long[BlockedBloom.WORDS];
    for (int i = 0; i < HASHES; i++) {
      long hash = random.nextLong();
      long pattern = BlockedBloom.pattern(hash);
      int pick = i % shape.words();
      int word;
      long mask;
      if (shape.words() == 2) {
        word = pick == 0 ? BlockedBloom.lowWord(pattern) : BlockedBloom.highWord(pattern);
        mask = pick == 0 ? BlockedBloom.lowMask(pattern, 1) : BlockedBloom.highMask(pattern, 1);
      } else {
        word = BlockedBloom.sectorWord(pattern, pick);
        mask = BlockedBloom.sectorMask(hash, pattern, pick, shape.bits());
        mask = lowestOrHighest(mask, i);
      }
      words[word]++;
      bits[64 * word + Long.numberOfTrailingZeros(mask)]++;
    }
    Chance.assertEven(words, "words");
    if (shape.words() == 2) {
      Chance.assertEven(bits, "bits");
    } else {
      assertThat(bits).doesNotContain(0);
    }
  }

  private static long lowestOrHighest(long mask, int i) {
    return (i & 4) == 0 ? Long.lowestOneBit(mask) : Long.highestOneBit(mask);
  }

  @ParameterizedTest
  @EnumSource(BlockShape.class)
  void everyBitOfAKeyIsSpreadEvenlyOverItsWord(BlockShape shape) {
    // The number of keys whose mask has a bit, for each bit: a sum of independent keys. Bits of a
    // key exclude each other a little, so the chi-square of 64 cells lies a little below 63.
    SplittableRandom random = new SplittableRandom(0xb10f);
    for (int pick = 0; pick < shape.words(); pick++) {
      long[] bits = new long[64];
      for (int i = 0; i < HASHES / 8; i++) {
        long hash = random.nextLong();
        long pattern = BlockedBloom.pattern(hash);
        long mask;
        if (shape.words() == 4) {
          mask = BlockedBloom.sectorMask(hash, pattern, pick, shape.bits());
        } else {
          mask =
              pick == 0
                  ? BlockedBloom.lowMask(pattern, shape.bits())
                  : BlockedBloom.highMask(pattern, shape.bits());
        }
        assertThat(Long.bitCount(mask)).isBetween(1, shape.bits());
        for (int bit = 0; bit < 64; bit++) {
          bits[bit] += mask >>> bit & 1;
        }
      }
      Chance.assertEven(bits, "bits of word " + pick);
    }
  }

  @Test
  void theBitsInABlockDoNotFollowFromTheBlock() {
    // Fields cut from the hash itself would repeat the bits that chose the block.
    SplittableRandom random = new SplittableRandom(0xb110);
    long[][] joint = new long[8][64 * 64];
    for (int i = 0; i < 4 * HASHES; i++) {
      long hash = random.nextLong();
      long pattern = BlockedBloom.pattern(hash);
      int block = (int) BlockedBloom.block(hash, 64);
      for (int field = 0; field < 8; field++) {
        joint[field][64 * block + (int) (pattern >>> 6 * field & 63)]++;
      }
    }
    for (int field = 0; field < 8; field++) {
      Chance.assertEven(joint[field], "block and field " + field);
    }
  }

  @Test
  void neighboursInAHugeFilterAreAsGoodAsAnyInASmallOne() {
    // With 2^40 blocks the high 40 bits of the hash are spent; the bits in the block must still
    // come from the other 24 evenly.
    SplittableRandom random = new SplittableRandom(0xb111);
    long[] joint = new long[64 * 64];
    for (int i = 0; i < 4 * HASHES; i++) {
      long hash = 0x123456789aL << 24 | random.nextInt(1 << 24);
      assertThat(BlockedBloom.block(hash, 1L << 40)).isEqualTo(0x123456789aL);
      long pattern = BlockedBloom.pattern(hash);
      joint[(int) (64 * (pattern & 63) + (pattern >>> 18 & 63))]++;
    }
    Chance.assertEven(joint, "fields 0 and 3 within one block");
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
          BlockedBloom.lowMask(pattern, bits) & ~words[0]
              | BlockedBloom.highMask(pattern, bits) & ~words[1];
      assertThat(BlockedBloom.missing(pattern, bits, words[0], words[1])).isEqualTo(two);
      long four = 0;
      for (int j = 0; j < 4; j++) {
        four |= BlockedBloom.sectorMask(hash, pattern, j, bits) & ~words[j];
      }
      assertThat(BlockedBloom.missing(hash, pattern, bits, words[0], words[1], words[2], words[3]))
          .isEqualTo(four);
      assertThat(BlockedBloom.missing(hash, pattern, bits, -1, -1, -1, -1)).isZero();
      assertThat(BlockedBloom.missing(pattern, bits, -1, -1)).isZero();
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
