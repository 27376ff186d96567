package io.woodbird.filter.bloom;

import io.woodbird.FilterStats;
import io.woodbird.filter.FilterSpec;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.BlockedBloomSize;
import io.woodbird.layout.ClassicBloom;
import io.woodbird.layout.ClassicBloomSize;
import io.woodbird.words.WordSource;
import java.util.List;

/** The layout of a Bloom filter, blocked or classic, with its size and its fpp. */
public sealed interface BloomShape {
  /** Names the layout for people. */
  String describe();

  /** The number of 64-bit words. */
  long wordCount();

  /** The fpp to expect after {@code keys} distinct keys. */
  double fpp(double keys);

  /** Counts the words of a filter, all of them or a sample of large ones. */
  Census census(WordSource words);

  /** Describes a filter with this shape and these words. */
  default FilterStats stats(WordSource words, FilterSpec<?> spec, List<String> doubts) {
    Census census = census(words);
    return new FilterStats(
        describe(),
        wordCount() * 64,
        spec.expectedKeys(),
        Math.round(census.keys()),
        census.fill(),
        spec.promisedFpp(),
        census.fpp(),
        doubts);
  }

  /**
   * What the bits of a filter say: the share that is set, how many keys explain that, and the fpp.
   */
  record Census(double fill, double keys, double fpp) {}

  /** Blocks or words looked at in a census; more would not change the third digit. */
  long SAMPLE = 1 << 17;

  record Blocked(BlockedBloom layout) implements BloomShape {
    @Override
    public String describe() {
      return "blocked Bloom, " + layout.shape();
    }

    @Override
    public long wordCount() {
      return layout.blockCount() * BlockedBloom.WORDS;
    }

    @Override
    public double fpp(double keys) {
      return BlockedBloomSize.fpp(layout, keys);
    }

    @Override
    public Census census(WordSource words) {
      long blocks = layout.blockCount();
      long looked = Math.min(blocks, SAMPLE);
      long set = 0;
      double wrong = 0;
      double[] hit = new double[BlockedBloom.WORDS];
      for (long i = 0; i < looked; i++) {
        // Evenly spread, exact in long: blocks and looked are below 2^46 and 2^18.
        long first = i * blocks / looked * BlockedBloom.WORDS;
        for (int word = 0; word < BlockedBloom.WORDS; word++) {
          int count = Long.bitCount(words.get(first + word));
          set += count;
          hit[word] = hit(count);
        }
        wrong += blockFpp(hit);
      }
      double fill = set / (looked * (double) BlockedBloom.BITS);
      double fpp = Math.pow(wrong / looked, layout.shape().blocks());
      return new Census(fill, BlockedBloomSize.keysAt(layout, fill), fpp);
    }

    /** The probability that all bits of a question are among {@code count} bits of a word. */
    private double hit(int count) {
      double hit = 1;
      for (int i = 0; i < layout.shape().bits(); i++) {
        hit *= Math.max(0, count - i) / (64.0 - i);
      }
      return hit;
    }

    private double blockFpp(double[] hit) {
      if (layout.shape().words() == 2) {
        return (hit[0] + hit[1] + hit[2] + hit[3]) * (hit[4] + hit[5] + hit[6] + hit[7]) / 16;
      }
      double fpp = 1;
      for (int j = 0; j < 4; j++) {
        fpp *= (hit[j] + hit[j + 4]) / 2;
      }
      return fpp;
    }
  }

  record Classic(ClassicBloom layout) implements BloomShape {
    @Override
    public String describe() {
      return "classic Bloom, " + layout.hashCount() + " bits";
    }

    @Override
    public long wordCount() {
      return layout.bitCount() / 64;
    }

    @Override
    public double fpp(double keys) {
      return ClassicBloomSize.fpp(layout, keys);
    }

    @Override
    public Census census(WordSource words) {
      long count = wordCount();
      long looked = Math.min(count, 8 * SAMPLE);
      long set = 0;
      for (long i = 0; i < looked; i++) {
        set += Long.bitCount(words.get(i * count / looked));
      }
      double fill = set / (looked * 64.0);
      double fpp = Math.pow(fill, layout.hashCount());
      return new Census(fill, ClassicBloomSize.keysAt(layout, fill), fpp);
    }
  }
}
