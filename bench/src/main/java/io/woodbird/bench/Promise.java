package io.woodbird.bench;

import io.woodbird.bench.rival.RivalKind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * How many times faster than a rival we say we are.
 *
 * @param what the call, in words
 * @param ours the cell that must be fast
 * @param theirs the rival; its cell is the same in all else
 * @param time which of our times counts; of theirs that to put, where they can't remove
 * @param target the least ratio of their time to ours
 */
record Promise(String what, Cell ours, RivalKind theirs, Time time, double target)
    implements Claim {
  /** A time that is measured. */
  enum Time {
    /** Of a question. */
    ASK,
    /** Of a put. */
    PUT,
    /** Of a remove, beside the put of a rival. */
    REMOVE
  }

  static Promise ask(String what, Cell ours, RivalKind theirs, double target) {
    return new Promise(what, ours, theirs, Time.ASK, target);
  }

  static Promise put(String what, Cell ours, RivalKind theirs, double target) {
    return new Promise(what, ours, theirs, Time.PUT, target);
  }

  static Promise remove(String what, Cell ours, RivalKind theirs, double target) {
    return new Promise(what, ours, theirs, Time.REMOVE, target);
  }

  /**
   * Judges: the median ratio of the rounds, in each of which both were measured in turns, and the
   * lowest and the highest one.
   */
  @Override
  public Verdict judge(Results results) {
    ToDoubleFunction<Sample> other = time == Time.ASK ? Sample::ask : Sample::put;
    ToDoubleFunction<Sample> our = time == Time.REMOVE ? Sample::remove : other;
    List<Double> mine = values(results, ours, our);
    List<Double> others = values(results, ours.of(theirs), other);
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < Math.min(mine.size(), others.size()); i++) {
      ratios.add(others.get(i) / mine.get(i));
    }
    String text =
        time != Time.ASK
            ? String.format("%s: %s / %s", what, theirs.label(), ours.rival().label())
            : String.format(
                "%s, %s: %s / %s",
                what, ours.workload().label(), theirs.label(), ours.rival().label());
    return Verdict.atLeast(text, "x", target, Sample.median(ratios), Verdict.range(ratios));
  }

  private List<Double> values(Results results, Cell cell, ToDoubleFunction<Sample> value) {
    return time == Time.ASK ? results.values(cell, value) : results.fillings(cell, value);
  }
}
