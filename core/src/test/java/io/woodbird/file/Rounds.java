package io.woodbird.file;

/**
 * How many rounds a test takes that damages files again and again: all of them, or half with the
 * property woodbird.test.part=2, as on a second JDK when the first has taken them all.
 */
public final class Rounds {
  private static final int PART = Integer.getInteger("woodbird.test.part", 1);

  private Rounds() {}

  /** All these rounds, or the part that is asked for. */
  public static int of(int all) {
    return Math.max(1, all / PART);
  }
}
