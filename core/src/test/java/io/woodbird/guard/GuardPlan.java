package io.woodbird.guard;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * Everything that decides what happens in a history.
 *
 * @param seed of everything that is not said here, such as how long the database takes
 * @param follows how the processes learn of rows
 * @param processes how many there are at a time
 * @param freshness how old a proof may be
 * @param fpp of the filters
 * @param expectedKeys for how many keys filters are made: few, so that they are outgrown, or enough
 * @param restores whether a process finds what an earlier one has published
 * @param steps what happens, in order
 */
record GuardPlan(
    long seed,
    Follows follows,
    int processes,
    Duration freshness,
    double fpp,
    int expectedKeys,
    boolean restores,
    List<Step> steps) {
  static final Duration SPAN = Duration.ofSeconds(1);
  static final Duration SETTLE = Duration.ofMillis(300);

  /** How a process learns of rows. */
  enum Follows {
    /** It puts the keys of its own rows, and knows nothing of other rows. */
    NOTHING,
    /** It looks up what it would deny. */
    KEYS,
    /** It reads the log of the database. */
    LOG
  }

  /** What can happen. */
  enum Kind {
    /** Some rows are inserted in one transaction. */
    WRITE,
    /** A row is deleted. */
    DELETE,
    ASK,
    ASK_MANY,
    /** A row that was deleted or was never there is inserted right after it was asked for. */
    ASK_AND_WRITE,
    REBUILD,
    ROLL_BACK,
    /** A process stands still for a while. */
    STOP,
    /** The same, and its clock stands still too. */
    SLEEP,
    /** Somebody sets the clock of the day. */
    SET_CLOCK,
    BREAK_DATABASE,
    SLOW_DATABASE,
    BREAK_STORE,
    LOSE_STREAM,
    /** A process is closed, and another takes its place. */
    RESTART,
    /** A process ends without closing anything, and another takes its place. */
    CRASH
  }

  /** One thing that happens. */
  record Step(long atNanos, Kind kind, int who, int value) {
    @Override
    public String toString() {
      return "%.1f ms %s who %d value %d".formatted(atNanos / 1e6, kind, who, value);
    }
  }

  /** A safety measure that is left out, to see that the simulation notices. */
  enum Defect {
    NONE,
    /** A follower looks keys up where rows arrive late. */
    LOOKS_UP_IN_A_REPLICA,
    /** A follower waits for the position that it read in the call before. */
    PROVES_THE_LAST_POSITION,
    /** The filter is filled from a snapshot that is older than the position of the stream. */
    FILLS_BEFORE_THE_POSITION,
    /** The filter is filled while commits logged before the position are not visible yet. */
    FILLS_WITHOUT_WAITING,
    /** A proof is given before the filter is filled. */
    CONFIRMS_UNFILLED,
    /** A row becomes visible later after its put than was promised. */
    SETTLES_LATE
  }

  private static final List<Kind> DRAWN =
      List.of(
          Kind.WRITE,
          Kind.WRITE,
          Kind.WRITE,
          Kind.WRITE,
          Kind.ASK,
          Kind.ASK,
          Kind.ASK,
          Kind.ASK,
          Kind.ASK_MANY,
          Kind.ASK_AND_WRITE,
          Kind.ASK_AND_WRITE,
          Kind.DELETE,
          Kind.REBUILD,
          Kind.REBUILD);

  private static final List<Kind> FAULTS =
      List.of(
          Kind.ROLL_BACK,
          Kind.STOP,
          Kind.SLEEP,
          Kind.SET_CLOCK,
          Kind.BREAK_DATABASE,
          Kind.SLOW_DATABASE,
          Kind.BREAK_STORE,
          Kind.LOSE_STREAM,
          Kind.RESTART,
          Kind.CRASH);

  /** Draws a history. */
  static GuardPlan draw(long seed, List<Follows> choice) {
    SplittableRandom random = new SplittableRandom(seed * 0x9E37_79B9_7F4A_7C15L + 1);
    Follows follows = choice.get(random.nextInt(choice.size()));
    boolean isBounded = follows != Follows.NOTHING && random.nextBoolean();
    List<Step> steps = new ArrayList<>();
    for (int left = 4 + random.nextInt(28); left > 0; left--) {
      steps.add(step(random, DRAWN));
    }
    // A clock that is set back by just the time for which a machine slept can't be noticed.
    Kind unlikely = random.nextBoolean() ? Kind.SLEEP : Kind.SET_CLOCK;
    for (int left = random.nextInt(5); left > 0; left--) {
      Step fault = step(random, FAULTS);
      if (fault.kind != unlikely) {
        steps.add(fault);
      }
    }
    steps.sort(Comparator.comparingLong(Step::atNanos));
    return new GuardPlan(
        seed,
        follows,
        1 + random.nextInt(2),
        isBounded ? Duration.ofMillis(34 + random.nextInt(100)) : Duration.ZERO,
        random.nextInt(5) == 0 ? 0.2 : 1e-6,
        random.nextBoolean() ? 4 : 64,
        random.nextInt(3) == 0,
        steps);
  }

  private static Step step(SplittableRandom random, List<Kind> kinds) {
    return new Step(
        random.nextLong(SPAN.toNanos()),
        kinds.get(random.nextInt(kinds.size())),
        random.nextInt(1 << 10),
        random.nextInt(1 << 20));
  }

  GuardPlan withSteps(List<Step> fewer) {
    return new GuardPlan(
        seed, follows, processes, freshness, fpp, expectedKeys, restores, List.copyOf(fewer));
  }

  GuardPlan withProcesses(int fewer) {
    return new GuardPlan(seed, follows, fewer, freshness, fpp, expectedKeys, restores, steps);
  }

  @Override
  public String toString() {
    return "seed %d, follows %s, %d processes, freshness %s, fpp %s, room for %d, restores %s\n"
            .formatted(seed, follows, processes, freshness, fpp, expectedKeys, restores)
        + steps.stream().map(Step::toString).collect(Collectors.joining("\n"));
  }
}
