package io.woodbird.redis.sim;

import io.woodbird.testkit.Trials;
import java.util.concurrent.ThreadLocalRandom;

/** The seeds of a run: the same each time, unless {@code -Dwoodbird.seed} says otherwise. */
final class Seeds {
  private static final String GIVEN = System.getProperty(Trials.PROPERTY, "");

  private Seeds() {}

  /** The first seed: 1, one at random, or the one that is given. */
  static long first() {
    return firstOr(1);
  }

  /** The first seed: a usual one, one at random, or the one that is given. */
  static long firstOr(long usual) {
    return GIVEN.isEmpty()
        ? usual
        : GIVEN.equals("random")
            ? ThreadLocalRandom.current().nextInt(1 << 30)
            : Long.parseLong(GIVEN);
  }

  /** How many to try: one alone if it is given. */
  static int count(int usual) {
    return GIVEN.isEmpty() || GIVEN.equals("random") ? usual : 1;
  }
}
