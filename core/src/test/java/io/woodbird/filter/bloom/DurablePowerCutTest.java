package io.woodbird.filter.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.woodbird.file.ChildJvm;
import io.woodbird.file.CrashPoints;
import io.woodbird.file.DiskRecord;
import io.woodbird.file.PowerCut;
import io.woodbird.file.Strace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** After a power cut at any step of a durable filter, it opens and has every checkpoint. */
class DurablePowerCutTest {
  @TempDir private Path folder;

  @BeforeAll
  static void needsStrace() {
    assumeTrue(
        Strace.works(),
        "strace is missing or may not trace: not tested are power cuts of durable filters");
  }

  @Test
  void whatWasCheckpointed_isThere() throws Exception {
    cuts(3, 1);
  }

  @Tag("slow")
  @Test
  void whatWasCheckpointed_isThere_afterThousandsOfCuts() throws Exception {
    cuts(9, 32);
  }

  /** Cuts the power after each step, in several ways, and opens what is left. */
  private void cuts(int rounds, int tries) throws Exception {
    long seed = Long.getLong("woodbird.seed", System.nanoTime());
    Random random = new Random(seed);
    Path own = Files.createDirectory(folder.resolve("own"));
    List<String> program =
        ChildJvm.command(
            CrashPoints.OPTIONS,
            DurableProgram.class,
            own.resolve("seen.wbird"),
            rounds,
            "checkpoint");
    List<DiskRecord.Step> steps = DiskRecord.of(program, own, folder.resolve("log"));
    assertThat(new PowerCut(steps, steps.size()).said()).contains("closed");
    int cuts = 0;
    boolean begun = false;
    for (int cut = 1; cut <= steps.size(); cut++) {
      DiskRecord.Step last = steps.get(cut - 1);
      begun |= last instanceof DiskRecord.Said said && said.text().contains("start");
      if (!begun) {
        continue;
      }
      PowerCut power = new PowerCut(steps, cut);
      int safe = CrashPoints.lastNumber(power.said(), "checkpoint ");
      // When a checkpoint was just acknowledged, in every way.
      PowerCut.Luck[] all = PowerCut.Luck.values();
      boolean acknowledged = last instanceof DiskRecord.Said;
      for (int i = 0; i < (acknowledged ? Math.max(tries, all.length) : tries); i++) {
        PowerCut.Luck luck = all[acknowledged ? i % all.length : random.nextInt(all.length)];
        Path after = Files.createDirectory(folder.resolve("after"));
        power.writeTo(after, luck, random);
        String where = luck + " after step " + cut + ", " + last + ", seed " + seed;
        assertThat(DurableCrashTest.checkpointsAreThere(after.resolve("seen.wbird"), safe, where))
            .as(where)
            .isTrue();
        CrashPoints.delete(after);
        cuts++;
      }
    }
    System.out.println("checkpoint, fold and close: " + cuts + " power cuts, seed " + seed);
    assertThat(cuts).isGreaterThan(50);
  }
}
