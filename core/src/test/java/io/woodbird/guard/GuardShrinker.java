package io.woodbird.guard;

import io.woodbird.guard.GuardPlan.Defect;
import io.woodbird.guard.GuardPlan.Step;
import java.util.ArrayList;
import java.util.List;

/** Takes steps out of a history that fails, as long as it still fails. */
final class GuardShrinker {
  private final VirtualTime.Workers workers;
  private final Defect defect;
  private int left = 2_000;

  GuardShrinker(VirtualTime.Workers workers, Defect defect) {
    this.workers = workers;
    this.defect = defect;
  }

  private boolean fails(GuardPlan plan) {
    return left-- > 0 && GuardHistory.run(plan, workers, defect).denial() != null;
  }

  GuardPlan shrink(GuardPlan failing) {
    GuardPlan best = failing;
    for (int size = -1; size != best.steps().size() && left > 0; ) {
      size = best.steps().size();
      for (int i = size - 1; i >= 0; i--) {
        List<Step> fewer = new ArrayList<>(best.steps());
        fewer.remove(i);
        GuardPlan smaller = best.withSteps(fewer);
        best = fails(smaller) ? smaller : best;
      }
    }
    GuardPlan alone = best.withProcesses(1);
    return fails(alone) ? alone : best;
  }

  /** What went wrong, how to see it again, and the smallest history that was found. */
  String report(GuardPlan plan) {
    GuardPlan small = shrink(plan);
    List<String> story = new ArrayList<>();
    GuardHistory.Outcome outcome = GuardHistory.run(small, workers, defect, story);
    return outcome.denial()
        + "\n-Dwoodbird.seed="
        + plan.seed()
        + "\n"
        + plan
        + "\nsmaller:\n"
        + small
        + "\n"
        + String.join("\n", story);
  }
}
