package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.guard.GuardPlan.Defect;
import io.woodbird.guard.GuardPlan.Follows;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs many short random histories of the whole guard in virtual time: in none of them a committed
 * row is denied, or a put that returned is lost. A history that fails is printed with its seed,
 * which {@code -Dwoodbird.seed=N} repeats, and with a smaller history that fails too.
 */
final class GuardSimulationTest {
  private static final int HISTORIES = Integer.getInteger("woodbird.sim.histories", 1_000);
  private static final int MANY = Integer.getInteger("woodbird.sim.many", 1_000_000);
  private static final int CONTROLS = 5_000;
  private static final List<Follows> ALL = List.of(Follows.values());
  private static final String GIVEN = System.getProperty("woodbird.seed", "");

  private final VirtualTime.Workers workers = new VirtualTime.Workers();

  @AfterEach
  void end() {
    workers.close();
  }

  private static long firstSeed() {
    return GIVEN.isEmpty() ? 1 : Long.parseLong(GIVEN);
  }

  private void check(int usual) {
    long first = firstSeed();
    int histories = GIVEN.isEmpty() ? usual : 1;
    long denied = 0;
    long unknown = 0;
    long swaps = 0;
    for (long seed = first; seed < first + histories; seed++) {
      GuardPlan plan = GuardPlan.draw(seed, ALL);
      GuardHistory.Outcome outcome = GuardHistory.run(plan, workers, Defect.NONE);
      if (outcome.denial() != null) {
        throw new AssertionError(new GuardShrinker(workers, Defect.NONE).report(plan));
      }
      denied += outcome.denied();
      unknown += outcome.unknown();
      swaps += outcome.swaps();
    }
    if (histories > 1) {
      // A guard that is always in doubt denies nothing, and would pass without these.
      assertThat(denied).isGreaterThan(unknown).isGreaterThan(histories);
      assertThat(swaps).isGreaterThan(histories / 2);
    }
  }

  @Test
  void noHistory_deniesACommittedRow_orLosesAPut() {
    check(HISTORIES);
  }

  @Test
  @Tag("slow")
  void noHistoryOfMillions_deniesACommittedRow_orLosesAPut() {
    check(MANY);
  }

  static Stream<Arguments> defects() {
    return Stream.of(
        Arguments.of(Defect.LOOKS_UP_IN_A_REPLICA, Follows.KEYS),
        Arguments.of(Defect.PROVES_THE_LAST_POSITION, Follows.LOG),
        Arguments.of(Defect.FILLS_BEFORE_THE_POSITION, Follows.LOG),
        Arguments.of(Defect.FILLS_WITHOUT_WAITING, Follows.LOG),
        Arguments.of(Defect.CONFIRMS_UNFILLED, Follows.LOG),
        Arguments.of(Defect.SETTLES_LATE, Follows.NOTHING));
  }

  private GuardPlan find(Defect defect, Follows follows) {
    for (long seed = firstSeed(); seed < firstSeed() + CONTROLS; seed++) {
      GuardPlan plan = GuardPlan.draw(seed, List.of(follows));
      if (GuardHistory.run(plan, workers, defect).denial() != null) {
        return plan;
      }
    }
    throw new AssertionError(defect + " was not found, from seed " + firstSeed() + " on");
  }

  @ParameterizedTest
  @MethodSource("defects")
  void aDefect_isFound(Defect defect, Follows follows) {
    GuardPlan plan = find(defect, follows);
    assertThat(GuardHistory.run(plan, workers, Defect.NONE).denial()).isNull();
  }

  @Test
  void aHistoryThatFails_shrinks() {
    GuardPlan plan = find(Defect.SETTLES_LATE, Follows.NOTHING);
    GuardPlan small = new GuardShrinker(workers, Defect.SETTLES_LATE).shrink(plan);
    assertThat(GuardHistory.run(small, workers, Defect.SETTLES_LATE).denial()).isNotNull();
    assertThat(small.steps()).hasSizeLessThan(plan.steps().size() / 2);
  }

  @Test
  void aSeed_isOneHistory() {
    for (long seed = firstSeed(); seed < firstSeed() + 20; seed++) {
      GuardPlan plan = GuardPlan.draw(seed, ALL);
      List<String> once = new ArrayList<>();
      List<String> again = new ArrayList<>();
      GuardHistory.Outcome first = GuardHistory.run(plan, workers, Defect.NONE, once);
      assertThat(GuardHistory.run(plan, workers, Defect.NONE, again)).isEqualTo(first);
      assertThat(again).as("seed %d", seed).isEqualTo(once);
    }
  }
}
