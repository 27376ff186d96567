package io.woodbird.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;

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
}
