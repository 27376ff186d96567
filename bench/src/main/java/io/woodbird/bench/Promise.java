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
 * @param puts whether the time to put counts, not that to ask
 * @param target the least ratio of their time to ours
 */
record Promise(String what, Cell ours, RivalKind theirs, boolean puts, double target) {
  static Promise ask(String what, Cell ours, RivalKind theirs, double target) {
    return new Promise(what, ours, theirs, false, target);
  }

  static Promise put(String what, Cell ours, RivalKind theirs, double target) {
    return new Promise(what, ours, theirs, true, target);
  }

  /** Judges: the ratio of the medians, and the lowest and highest ratio of a single round. */
  Verdict judge(Results results) {
    ToDoubleFunction<Sample> time = puts ? Sample::put : Sample::ask;
    List<Double> mine = results.values(ours, time);
    List<Double> other = results.values(ours.of(theirs), time);
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < Math.min(mine.size(), other.size()); i++) {
      ratios.add(other.get(i) / mine.get(i));
    }
    String text =
        puts
            ? String.format("%s: %s / %s", what, theirs.label(), ours.rival().label())
            : String.format(
                "%s, %s: %s / %s",
                what, ours.workload().label(), theirs.label(), ours.rival().label());
    return Verdict.atLeast(
        text, "x", target, Sample.median(other) / Sample.median(mine), Verdict.range(ratios));
  }
}
