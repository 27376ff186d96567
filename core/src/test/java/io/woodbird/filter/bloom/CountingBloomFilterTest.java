package io.woodbird.filter.bloom;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.filter.FilterSpec;
import io.woodbird.key.Keys;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The counters of a counting Bloom filter do what counters in an array do. */
final class CountingBloomFilterTest {
  private static final int KEYS = 300;

  /** Plain counters, one for each bit of the Bloom filter. */
  private static final class Model {
    private final BlockedBloom layout;
    private final int[] counters;

    Model(BlockedBloom layout) {
      this.layout = layout;
      this.counters = new int[(int) layout.bitCount()];
    }

    /** The counters of a hash; one that both blocks name is in it twice. */
    private List<Integer> places(long hash) {
      List<Integer> places = new ArrayList<>();
      long current = hash;
      for (int i = 0; i < layout.shape().blocks(); i++) {
        int base = (int) BlockedBloom.block(current, layout.blockCount()) * BlockedBloom.BITS;
        long fields = layout.fields(current);
        for (int j = 0; j < layout.shape().words(); j++) {
          add(places, base, layout.word(fields, j), layout.mask(fields, j));
        }
        current = BlockedBloom.other(hash);
      }
      return places;
    }

    private static void add(List<Integer> places, int base, int word, long mask) {
      for (int bit = 0; bit < 64; bit++) {
        if ((mask >>> bit & 1) != 0) {
          places.add(base + 64 * word + bit);
        }
      }
    }

    boolean mightContain(long hash) {
      return places(hash).stream().allMatch(place -> counters[place] > 0);
    }

    void put(long hash) {
      places(hash).forEach(place -> counters[place] = Math.min(15, counters[place] + 1));
    }

    boolean remove(long hash) {
      if (!mightContain(hash)) {
        return false;
      }
      for (int place : places(hash)) {
        if (counters[place] > 0 && counters[place] < 15) {
          counters[place]--;
        }
      }
      return true;
    }

    void requireSame(CountingBloomFilter<?> filter, String where) {
      int[] found = new int[counters.length];
      for (int place = 0; place < found.length; place++) {
        found[place] = (int) (filter.words().get(place >>> 4) >>> (4 * (place & 15))) & 15;
      }
      assertThat(found).as(where).isEqualTo(counters);
    }
  }

  /** For what happens a million times, in which AssertJ would take most of the time. */
  private static void require(boolean holds, String what, int seed, int step) {
    if (!holds) {
      throw new AssertionError(what + ", seed " + seed + ", step " + step);
    }
  }

  private static void run(BlockShape shape, int blocks, int operations, boolean anything) {
    // A fault that one step in 5,000 shows is missed by 25,000 of them once in 150 runs (e^-5).
    for (int seed = 0; seed < 5; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      BlockedBloom layout = new BlockedBloom(blocks, shape);
      CountingBloomFilter<Long> filter =
          new CountingBloomFilter<>(new FilterSpec<>(Keys.longs(), seed, 100, 0.01), layout);
      Model model = new Model(layout);
      int[] times = new int[KEYS];
      for (int i = 1; i <= operations; i++) {
        int number = random.nextInt(KEYS);
        long hash = filter.hashOfLong((long) number);
        if (random.nextInt(9) < 5) {
          require(filter.putHash(hash) == !model.mightContain(hash), "put", seed, i);
          model.put(hash);
          times[number]++;
        } else if (anything || times[number] > 0) {
          require(filter.removeHash(hash) == model.remove(hash), "remove", seed, i);
          times[number]--;
        }
        int asked = random.nextInt(KEYS);
        long other = filter.hashOfLong((long) asked);
        boolean here = filter.mightContainHash(other);
        require(here == model.mightContain(other), "asked", seed, i);
        require(anything || times[asked] <= 0 || here, "false negative", seed, i);
        if (i % 1000 == 0) {
          model.requireSame(filter, shape + ", seed " + seed + ", step " + i);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(BlockShape.class)
  void everyHistory_agreesWithPlainCounters(BlockShape shape) {
    run(shape, 1, 5000, false);
    run(shape, 7, 5000, false);
    run(shape, 70, 5000, false);
  }

  @ParameterizedTest
  @EnumSource(BlockShape.class)
  void merge_addsCounters_andThoseThatPassFifteenAreStuck(BlockShape shape) {
    BlockedBloom layout = new BlockedBloom(70, shape); // More blocks than locks.
    FilterSpec<Long> spec = new FilterSpec<>(Keys.longs(), 1, 100, 0.01);
    CountingBloomFilter<Long> one = new CountingBloomFilter<>(spec, layout);
    CountingBloomFilter<Long> two = new CountingBloomFilter<>(spec, layout);
    Model both = new Model(layout);
    for (int i = 0; i < 8 * KEYS; i++) {
      long hash = one.hashOfLong((long) i % KEYS);
      boolean unused = (i % 3 == 0 ? one : two).putHash(hash);
      both.put(hash);
    }
    one.merge(two);
    both.requireSame(one, shape.toString());
  }

  /** What removes were wrong about is lost, but counters do not run over into others. */
  @ParameterizedTest
  @EnumSource(BlockShape.class)
  void removesOfKeysNeverPut_leaveTheCountersSound(BlockShape shape) {
    run(shape, 1, 5000, true);
    run(shape, 7, 5000, true);
    run(shape, 70, 5000, true);
  }
}
