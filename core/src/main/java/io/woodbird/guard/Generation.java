package io.woodbird.guard;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/**
 * One filter in the life of a {@link RebuildingFilter}.
 *
 * @param number counts the builds that were begun, from 1
 * @param keys how many keys the source gave
 * @param carried how many keys came from puts before and during the build, that the source did not
 *     give, or gave later
 * @param capacity how many keys the promised fpp holds for
 * @param builtAt when it began to answer, by the clock on the wall
 * @param took how long the build ran
 */
public record Generation(
    long number, long keys, long carried, long capacity, Instant builtAt, Duration took) {
  /** Says it in one line. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "generation %d: %,d keys and %,d carried over, room for %,d, built in %s",
        number,
        keys,
        carried,
        capacity,
        took);
  }
}
