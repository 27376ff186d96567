package io.woodbird.redis.sim;

/**
 * A put of a key, and how it was acknowledged.
 *
 * @param by the opening of a filter that made it
 * @param began when it began
 * @param broken how often a server without all that was confirmed had become master then
 * @param lives how many lives servers had begun then
 * @param nanos when it was acknowledged
 * @param cutOff whether a master had it that was cut off
 */
record Acknowledged(Handle by, long began, int broken, int lives, long nanos, boolean cutOff) {
  /** A put that begins now. */
  static Acknowledged begun(Handle by, World world) {
    return new Acknowledged(by, world.turns.nanos(), world.broken, world.lives, -1, false);
  }

  Acknowledged at(long end, boolean wasCutOff) {
    return new Acknowledged(by, began, broken, lives, end, wasCutOff);
  }
}
