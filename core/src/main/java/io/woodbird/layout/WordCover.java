package io.woodbird.layout;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The probability that all bits of a question in one word are set, by the number of keys there. */
final class WordCover {
  /*
   * A question and the keys take masks of the same classes, each turned by 0 to 63. By inclusion and
   * exclusion over the subsets S of the question's bits,
   *
   *   A(j) = mean over questions of the sum over S of (-1)^|S| * P(a key has no bit of S)^j
   *
   * and P itself by the same sum over the subsets T of S of (-1)^|T| * P(a key has all bits of T).
   * The last is c/64 for one bit, the number of classes with that distance for two, and one class for
   * three. Questions with the same P are counted together, so that about a hundred terms are left.
   *
   * Of the i keys of a block, each touches a given word with the same probability s. So j is binomial,
   * and a term P^j becomes the sum over j of Binomial(i, s)(j) * P^j = (1 - s + s * P)^i.
   */
  private static final List<Map<Double, Double>> TERMS =
      List.of(new WordCover(1).terms(), new WordCover(2).terms(), new WordCover(3).terms());

  private final int bits;
  private final long[] masks;
  private final double[] pairs = new double[33];

  private WordCover(int bits) {
    this.bits = bits;
    int classes = bits == 1 ? 1 : bits == 2 ? 32 : BlockedBloom.CLASSES;
    this.masks = new long[classes];
    for (int i = 0; i < classes; i++) {
      masks[i] = BlockedBloom.maskOf(i * (BlockedBloom.CLASSES / classes), bits);
      for (long a = masks[i]; a != 0; a &= a - 1) {
        for (long b = a & (a - 1); b != 0; b &= b - 1) {
          int distance = distance(a, b);
          // Turned by 32, two bits at the distance 32 are the same two bits.
          pairs[distance] += (distance == 32 ? 2 : 1) / (64.0 * classes);
        }
      }
    }
  }

  /**
   * Returns the mean of A(j) for blocks of 0 to last keys, each of which touches the word with the
   * probability {@code share} and sets {@code bits} bits there.
   */
  static double[] of(int bits, double share, int last) {
    double[] cover = new double[last + 1];
    TERMS
        .get(bits - 1)
        .forEach(
            (base, weight) -> {
              double ratio = 1 - share + share * base;
              double power = weight;
              for (int i = 0; i <= last; i++) {
                cover[i] += power;
                power *= ratio;
              }
            });
    for (int i = 0; i <= last; i++) {
      cover[i] = Math.min(1, Math.max(0, cover[i]));
    }
    return cover;
  }

  /** The signed weight of each P(a key has no bit of S). */
  private Map<Double, Double> terms() {
    Map<Double, Double> terms = new TreeMap<>();
    for (long mask : masks) {
      for (long subset = mask; ; subset = (subset - 1) & mask) {
        double sign = Long.bitCount(subset) % 2 == 0 ? 1 : -1;
        terms.merge(round(avoided(subset)), sign / masks.length, Double::sum);
        if (subset == 0) {
          break;
        }
      }
    }
    return terms;
  }

  /** Sums that differ in their last bits only are one term. */
  private static double round(double probability) {
    return Math.rint(probability * 0x1p40) / 0x1p40;
  }

  private double avoided(long bitsOfQuestion) {
    double sum = 0;
    for (long subset = bitsOfQuestion; ; subset = (subset - 1) & bitsOfQuestion) {
      sum += (Long.bitCount(subset) % 2 == 0 ? 1 : -1) * contained(subset);
      if (subset == 0) {
        return sum;
      }
    }
  }

  private double contained(long subset) {
    return switch (Long.bitCount(subset)) {
      case 0 -> 1;
      case 1 -> bits / 64.0;
      case 2 -> pairs[distance(subset, subset & (subset - 1))];
      default -> 1 / (64.0 * masks.length);
    };
  }

  /** The distance of the lowest bits of {@code a} and {@code b} on a circle of 64. */
  private static int distance(long a, long b) {
    int apart = (Long.numberOfTrailingZeros(b) - Long.numberOfTrailingZeros(a)) & 63;
    return Math.min(apart, 64 - apart);
  }
}
