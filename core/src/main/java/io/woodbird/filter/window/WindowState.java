package io.woodbird.filter.window;

import io.woodbird.layout.Generational;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** The generations of a window at one moment. The next state replaces it as a whole. */
final class WindowState {
  /** The end of a generation that has not ended or does not exist. */
  private static final long NONE = Long.MIN_VALUE;

  /** The end of a generation that has just ended; the time is not yet known. */
  private static final long OPEN = Long.MAX_VALUE;

  private final Rules rules;
  private final long newest;
  private final long begun;
  private final long[] ends; // By slot.
  private final LongAdder taken;
  private final Sweep sweep;
  private final int young;
  private Live latest = Live.UNKNOWN; // A cache of the last result. A race costs time only.

  /**
   * The rules for when a generation ends.
   *
   * @param span nanoseconds, 0 if only the number of keys counts
   * @param generationKeys how many distinct keys a generation is sized for
   */
  record Rules(long span, long generationKeys) {
    static Rules of(long span, long expectedKeys) {
      return new Rules(
          span,
          span > 0
              ? Generational.generationKeys(expectedKeys)
              : Generational.lastKeysGeneration(expectedKeys));
    }
  }

  /** The slots that are in the window, one bit each, and the time when the next one leaves. */
  private record Live(int slots, long until) {
    private static final Live UNKNOWN = new Live(0, Long.MIN_VALUE);
  }

  private WindowState(
      Rules rules, long newest, long begun, long[] ends, LongAdder taken, Sweep sweep) {
    this.rules = rules;
    this.newest = newest;
    this.begun = begun;
    this.ends = ends;
    this.taken = taken;
    this.sweep = sweep;
    this.young = findYoung();
  }

  /** Returns the state of an empty window, in which there is nothing to clear. */
  static WindowState first(Rules rules, long blocks) {
    long[] ends = new long[Generational.COUNT];
    Arrays.fill(ends, NONE);
    return new WindowState(rules, 0, 0, ends, new LongAdder(), Sweep.finished(blocks));
  }

  /**
   * Returns the state from a file, in which there is nothing to clear: how long ago the generation
   * of each slot ended (-1 if it did not), and the fewest distinct keys of the newest.
   */
  static WindowState restored(
      Rules rules, long newest, List<Long> ages, long keys, long now, long blocks) {
    long[] ends = new long[Generational.COUNT];
    for (int slot = 0; slot < ends.length; slot++) {
      // A generation older than the span has left the window too. The limit prevents an overflow.
      ends[slot] = ages.get(slot) < 0 ? NONE : now - Math.min(ages.get(slot), rules.span);
    }
    ends[slot(newest)] = NONE;
    long before = ends[slot(newest - 1)];
    LongAdder taken = new LongAdder();
    taken.add(keys);
    return new WindowState(
        rules, newest, before == NONE ? now : before, ends, taken, Sweep.finished(blocks));
  }

  /** Returns the slot of a generation. */
  static int slot(long generation) {
    return (int) generation & (Generational.COUNT - 1);
  }

  /** The number of the newest generation, into which keys are put. */
  long newest() {
    return newest;
  }

  /**
   * Returns the slots, one bit each, of which one must have a key when its put returns. In a window
   * of time it is the newest, as any other leaves too early. In a window of keys it is one of the
   * newest four, as four more are filled before it is cleared.
   */
  int young() {
    return young;
  }

  private int findYoung() {
    int slots = 1 << slot(newest);
    for (int i = 1; rules.span == 0 && i < Generational.YOUNG; i++) {
      int slot = slot(newest - i);
      // An unused slot of a file may have any bits.
      slots |= ends[slot] == NONE ? 0 : 1 << slot;
    }
    return slots;
  }

  /** Counts a key that was put into the newest generation and was in none of the young ones. */
  void take() {
    taken.increment();
  }

  /** What was cleared for the newest generation. */
  Sweep sweep() {
    return sweep;
  }

  /** Whether {@link #next} or {@link #ended} must replace this state. */
  boolean isDue(long now) {
    boolean old = rules.span > 0 && now - begun >= rules.span / (Generational.COUNT - 1);
    boolean full = taken.sum() >= rules.generationKeys;
    return isOpen() || ((old || full) && hasLeft(ends[slot(newest + 1)], now));
  }

  /** Whether the generation before the newest has ended at a time that is not yet known. */
  boolean isOpen() {
    return ends[slot(newest - 1)] == OPEN;
  }

  private boolean hasLeft(long end, long now) {
    return rules.span == 0 || now >= leaves(end);
  }

  /** Returns when a generation that ended leaves the window; never if it is a window of keys. */
  private long leaves(long end) {
    if (end == NONE) {
      return Long.MIN_VALUE;
    }
    long at = end + rules.span;
    return rules.span == 0 || at < end ? Long.MAX_VALUE : at; // OPEN overflows too.
  }

  /** Returns the state with a new generation in the oldest slot. Call {@link #ended} next. */
  WindowState next() {
    long[] changed = ends.clone();
    changed[slot(newest)] = OPEN;
    changed[slot(newest + 1)] = NONE;
    return new WindowState(rules, newest + 1, begun, changed, new LongAdder(), sweep.next());
  }

  /** Returns the state in which the generation before the newest ended at time {@code now}. */
  WindowState ended(long now) {
    long[] changed = ends.clone();
    changed[slot(newest - 1)] = now;
    return new WindowState(rules, newest, now, changed, taken, sweep);
  }

  /** Returns the slots whose keys may be in the window, one bit each. */
  int live(long now) {
    Live known = latest;
    if (now >= known.until) {
      known = look(now);
      latest = known;
    }
    return known.slots;
  }

  private Live look(long now) {
    int live = 1 << slot(newest);
    long until = Long.MAX_VALUE;
    for (int slot = 0; slot < ends.length; slot++) {
      long leaves = leaves(ends[slot]);
      if (now < leaves) {
        live |= 1 << slot;
        until = Math.min(until, leaves);
      }
    }
    return new Live(live, until);
  }

  /** Returns the age of a slot's generation since its end; -1 if it has not ended or is none. */
  long age(int slot, long time) {
    if (ends[slot] == NONE) {
      return -1;
    }
    // In a window of keys the age has no meaning.
    return rules.span == 0 || ends[slot] == OPEN ? 0 : Math.max(0, time - ends[slot]);
  }
}
