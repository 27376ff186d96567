package io.woodbird.bench;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/** Says on stderr what is being measured, and how long it will still take. */
final class Progress {
  private final Deque<Section> waiting;
  private final double effort;
  private final long start = System.nanoTime();
  private long sectionStart = start;
  private double sectionSeconds;
  private double expectedSoFar;
  private String name = "";

  /**
   * Makes one.
   *
   * @param effort the share of their usual times that the sections will take
   */
  Progress(List<Section> sections, double effort) {
    this.waiting = new ArrayDeque<>(sections);
    this.effort = effort;
  }

  /** The next section begins. */
  void next() {
    expectedSoFar += sectionSeconds;
    Section section = waiting.remove();
    name = section.name();
    sectionSeconds = section.seconds() * effort;
    sectionStart = System.nanoTime();
  }

  /** Says what was just measured. */
  void say(String format, Object... args) {
    System.err.printf(
        Locale.ROOT,
        "%s, about %s left | %s: %s%n",
        clock(seconds(start)),
        clock(left()),
        name,
        String.format(Locale.ROOT, format, args));
  }

  /** What the sections usually take, corrected by what those before took here. */
  private double left() {
    double before = (sectionStart - start) / 1e9;
    double pace = expectedSoFar > 0 ? before / expectedSoFar : 1;
    double rest = Math.max(0, pace * sectionSeconds - seconds(sectionStart));
    return rest + pace * effort * waiting.stream().mapToInt(Section::seconds).sum();
  }

  private static double seconds(long since) {
    return (System.nanoTime() - since) / 1e9;
  }

  private static String clock(double seconds) {
    long whole = Math.round(seconds);
    return String.format(Locale.ROOT, "%d:%02d", whole / 60, whole % 60);
  }
}
