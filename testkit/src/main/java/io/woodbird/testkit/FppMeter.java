package io.woodbird.testkit;

import io.woodbird.Filter;
import java.util.Locale;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;

/** Measures how often a filter says "maybe here" about keys that are not. */
public final class FppMeter {
  /*
   * The number of false positives in N questions is binomial: mean Np, deviation sqrt(Np(1-p)). The
   * bound is 5 deviations from the mean, passed once in 3.5 million measurements. A binomial of few
   * hits leans to the right, so the bound carries the first term of the Cornish-Fisher expansion,
   * (z^2 - 1)(1 - 2p)/6 hits: 4 hits for z = 5 and small p, nothing beside a hundred.
   */
  private static final double DEVIATIONS = 5;

  private static final int CHUNK = 1024;

  private FppMeter() {}

  /**
   * Asks about numbered keys.
   *
   * @param what names the measurement in messages, with its seed
   * @param question whether the key with this number is "maybe here"
   * @param from the first number; neither this nor any later one was put
   * @param probes how many to ask about
   * @return how many were
   */
  public static Measurement measure(String what, LongPredicate question, long from, long probes) {
    long hits = 0;
    for (long number = from; number < from + probes; number++) {
      hits += question.test(number) ? 1 : 0;
    }
    return new Measurement(what, probes, hits);
  }

  /**
   * Asks a filter about numbered keys, in batches.
   *
   * @param <K> the type of the keys
   * @param what names the measurement in messages, with its seed
   * @param filter the filter
   * @param key makes the key with a number
   * @param from the first number; neither this nor any later one was put
   * @param probes how many to ask about
   * @return how many may be here
   */
  public static <K> Measurement measure(
      String what, Filter<K> filter, LongFunction<K> key, long from, long probes) {
    long[] hashes = new long[CHUNK];
    int[] selected = new int[CHUNK];
    long hits = 0;
    for (long done = 0; done < probes; done += CHUNK) {
      int count = (int) Math.min(CHUNK, probes - done);
      for (int i = 0; i < count; i++) {
        hashes[i] = filter.hashOf(key.apply(from + done + i));
      }
      hits += filter.candidates(hashes, count, selected);
    }
    return new Measurement(what, probes, hits);
  }

  /**
   * A measured share.
   *
   * @param what was measured
   * @param probes the number of questions
   * @param hits the number of them that were answered with "maybe here"
   */
  public record Measurement(String what, long probes, long hits) {
    /**
     * The measured false positive probability.
     *
     * @return hits divided by probes
     */
    public double fpp() {
      return (double) hits / probes;
    }

    /**
     * Adds another measurement of the same thing.
     *
     * @param other the other
     * @return both together
     */
    public Measurement plus(Measurement other) {
      return new Measurement(what, probes + other.probes, hits + other.hits);
    }

    /**
     * Asserts that the filter keeps its promise.
     *
     * @param promised the promised fpp
     * @throws AssertionError if more is measured than chance explains
     */
    public void assertAtMost(double promised) {
      double most = hitsAt(promised, deviation(promised, 0), DEVIATIONS);
      if (!(hits <= most)) {
        throw new AssertionError(describe("at most", promised, 0, "at most " + shown(most)));
      }
    }

    /**
     * Asserts that the filter does what theory says.
     *
     * @param expected the fpp to expect
     * @param spread the deviation of a single filter's fpp from the expected one, 0 if none
     * @throws AssertionError if more or less is measured than chance explains
     */
    public void assertAbout(double expected, double spread) {
      double deviation = deviation(expected, spread);
      double least = hitsAt(expected, deviation, -DEVIATIONS);
      double most = hitsAt(expected, deviation, DEVIATIONS);
      if (!(hits >= least && hits <= most)) {
        String range = shown(Math.max(0, least)) + " to " + shown(most);
        throw new AssertionError(describe("about", expected, spread, range));
      }
    }

    /** The deviation of the number of hits. */
    private double deviation(double p, double spread) {
      return Math.sqrt(probes * p * (1 - p) + spread * spread * probes * probes);
    }

    private double hitsAt(double p, double deviation, double z) {
      return probes * p + z * deviation + (z * z - 1) * (1 - 2 * p) / 6;
    }

    private String describe(String relation, double p, double spread, String range) {
      double deviation = deviation(p, spread);
      return String.format(
          Locale.ROOT,
          "%s: the fpp should be %s %.4g, but is %.4g: %,d hits in %,d probes where %,.2f are"
              + " expected; deviation %.4g hits, %.1f deviations off, accepted %s hits",
          what,
          relation,
          p,
          fpp(),
          hits,
          probes,
          probes * p,
          deviation,
          (hits - probes * p) / deviation,
          range);
    }

    private static String shown(double number) {
      return String.format(Locale.ROOT, "%,.2f", number);
    }
  }
}
