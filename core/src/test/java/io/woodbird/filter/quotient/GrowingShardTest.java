package io.woodbird.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.layout.Growing;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What a shard knows about its keys is what its table says, whatever was done to it. */
final class GrowingShardTest {
  private static final long SEED = 58;

  /** With two bits of fingerprint, keys have none left after two doublings. */
  @Test
  void keysWithoutBits_areCounted_whenTheyComeAndGo() {
    SplittableRandom random = new SplittableRandom(SEED);
    Growing layout = new Growing(2);
    GrowingShard shard = new GrowingShard(layout, 0, 4);
    List<Long> keys = new ArrayList<>();
    int full = 0;
    for (int step = 0; step < 4_000; step++) {
      if (random.nextInt(3) > 0) {
        keys.add(random.nextLong());
        shard.add(keys.get(keys.size() - 1));
      } else if (!keys.isEmpty()) {
        assertThat(shard.remove(keys.remove(random.nextInt(keys.size())))).isTrue();
      }
      if (shard.isFull() && shard.quotientBits() < 8) {
        shard.grow();
      }
      // The constructor counts them anew.
      GrowingShard read = new GrowingShard(layout, 0, shard.quotientBits(), shard.table(), 0);
      assertThat(shard.isFull()).as("step %d", step).isEqualTo(read.isFull());
      full += shard.isFull() ? 1 : 0;
      if (shard.isFull()) { // Down again, so that keys without bits are among those that go.
        while (keys.size() > 100) {
          assertThat(shard.remove(keys.remove(keys.size() - 1))).isTrue();
        }
        while (keys.size() > 50) {
          assertThat(shard.remove(keys.remove(0))).isTrue();
        }
      }
    }
    assertThat(full).as("times that it was full").isGreaterThan(3);
  }

  /**
   * As a question sees a table whose run was moved by a put meanwhile, or as a file says it: the
   * run of quotient 63 ends at slot 84, and the offset of the next block does not know of it.
   */
  @Test
  void aRunThatContradictsItself_endsTheQuestion() {
    QuotientReader table =
        new QuotientReader(128, 192, 8) {
          @Override
          long occupiedBits(int block) {
            return block == 0 ? 1L << 63 : block == 1 ? 1 : 0;
          }

          @Override
          long runEnds(int block) {
            return block == 1 ? 1L << 20 : 0;
          }

          @Override
          int storedOffset(int block) {
            return 0;
          }

          private int reads;

          @Override
          long payloadWord(int word) {
            assertThat(++reads).as("a question that has no end").isLessThan(10_000);
            return 0x0606060606060606L;
          }
        };
    long other = 1;
    while (Growing.matches(6, other)) {
      other++;
    }
    long asked = other;
    assertThatThrownBy(() -> GrowingShard.contains(table, 64, asked))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }
}
