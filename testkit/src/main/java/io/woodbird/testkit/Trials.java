package io.woodbird.testkit;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A property tried many times, each time with random numbers from a seed that a failure names.
 *
 * <pre>{@code
 * Trials.sized("reverse twice", 100, 1000, (random, size) -> {
 *   List<Long> list = random.longs(size).boxed().toList();
 *   assertThat(reverse(reverse(list))).isEqualTo(list);
 * });
 * }</pre>
 *
 * <p>The seeds follow from the name, so that every run tries the same. {@code
 * -Dwoodbird.seed=random} draws others; {@code -Dwoodbird.seed=} and the number from the message of
 * a failure tries that one alone.
 */
public final class Trials {
  /** Names the system property that chooses the seeds. */
  public static final String PROPERTY = "woodbird.seed";

  private Trials() {}

  /** A property of random numbers. */
  public interface Trial {
    /**
     * Tries it once.
     *
     * @param random the numbers
     * @throws Exception or an error, if the property does not hold
     */
    void run(SplittableRandom random) throws Exception;
  }

  /** A property of random numbers and a size. */
  public interface SizedTrial {
    /**
     * Tries it once.
     *
     * @param random the numbers
     * @param size how much to try it on, from 0 on
     * @throws Exception or an error, if the property does not hold
     */
    void run(SplittableRandom random, int size) throws Exception;
  }

  /**
   * Tries a property.
   *
   * @param name of the property
   * @param count how many times
   * @param trial the property
   * @throws AssertionError at the first failure; the message says the seed
   */
  public static void run(String name, int count, Trial trial) {
    run(name, count, trial, System.getProperty(PROPERTY));
  }

  /**
   * Tries a property of a size. The size is drawn too. When one fails, half of it is tried while
   * that still fails, and the smallest that failed is reported.
   *
   * @param name of the property
   * @param count how many times
   * @param maxSize the largest size
   * @param trial the property
   * @throws AssertionError at the first failure; the message says the seed and the size
   */
  public static void sized(String name, int count, int maxSize, SizedTrial trial) {
    sized(name, count, maxSize, trial, System.getProperty(PROPERTY));
  }

  static void run(String name, int count, Trial trial, @Nullable String property) {
    forEachSeed(
        name,
        count,
        property,
        (seed, number) -> {
          Throwable failure = failure(trial, seed);
          if (failure != null) {
            throw new AssertionError(message(name, number, seed, "", failure), failure);
          }
        });
  }

  static void sized(
      String name, int count, int maxSize, SizedTrial trial, @Nullable String property) {
    forEachSeed(
        name,
        count,
        property,
        (seed, number) -> {
          int size = new SplittableRandom(~seed).nextInt(maxSize + 1);
          Throwable failure = failure(random -> trial.run(random, size), seed);
          if (failure != null) {
            throw shrunk(name, number, seed, size, trial, failure);
          }
        });
  }

  /** Halves the size while the trial still fails. */
  private static AssertionError shrunk(
      String name, String number, long seed, int size, SizedTrial trial, Throwable failure) {
    int smallest = size;
    Throwable last = failure;
    while (smallest > 0) {
      int half = smallest / 2;
      Throwable again = failure(random -> trial.run(random, half), seed);
      if (again == null) {
        break;
      }
      smallest = half;
      last = again;
    }
    String sizes = String.format(" at size %s (shrunk from %s)", smallest, size);
    return new AssertionError(message(name, number, seed, sizes, last), last);
  }

  private interface Seeded {
    void run(long seed, String number);
  }

  private static void forEachSeed(
      String name, int count, @Nullable String property, Seeded seeded) {
    if (property == null || property.equals("random")) {
      long first = property == null ? name.hashCode() : new SplittableRandom().nextLong();
      SplittableRandom seeds = new SplittableRandom(first);
      for (int i = 1; i <= count; i++) {
        seeded.run(seeds.nextLong(), i + " of " + count);
      }
    } else {
      seeded.run(Long.decode(property), "replayed");
    }
  }

  private static @Nullable Throwable failure(Trial trial, long seed) {
    try {
      trial.run(new SplittableRandom(seed));
      return null;
    } catch (Exception | Error e) {
      return e;
    }
  }

  private static String message(
      String name, String number, long seed, String size, Throwable failure) {
    return String.format(
        "%s: trial %s failed with seed %s%s; replay it with -D%s=%s%n%s",
        name, number, seed, size, PROPERTY, seed, failure);
  }
}
