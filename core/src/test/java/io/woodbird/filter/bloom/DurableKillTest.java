package io.woodbird.filter.bloom;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.DurableFilter;
import io.woodbird.file.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real process, really killed with kill -9 while it puts keys. */
@Tag("jdk")
class DurableKillTest {
  private static final long SEED = 99;

  @TempDir private Path folder;

  @Test
  void everyAcknowledgedPut_isThere() throws Exception {
    killAndReopen(5);
  }

  @Tag("slow")
  @Test
  void everyAcknowledgedPut_isThere_afterManyKills() throws Exception {
    killAndReopen(300);
  }

  private void killAndReopen(int rounds) throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    Path path = folder.resolve("seen.wbird");
    int most = 0;
    for (int round = 0; round < rounds; round++) {
      int acknowledged = putUntilKilled(path, 1 + random.nextInt(1500));
      most = Math.max(most, acknowledged);
      try (DurableFilter<Long> filter = DurableProgram.builder().file(path)) {
        String where = "seed " + SEED + ", round " + round + ": " + filter.recovery();
        assertThat(filter.recovery().clean()).as(where).isFalse();
        if (round == 0) { // Later the first keys are not new.
          assertThat(filter.recovery().replayedKeys())
              .as(where)
              .isBetween(acknowledged * 99L / 100, acknowledged + 1L);
        }
        int lost = 0;
        for (long key = 0; key < most; key++) {
          lost += filter.mightContainLong(key) ? 0 : 1;
        }
        assertThat(lost).as(where).isZero();
      }
    }
  }

  /** Starts the program, kills it after so many keys, and returns how many it had acknowledged. */
  private static int putUntilKilled(Path path, int after) throws IOException, InterruptedException {
    Process process =
        ChildJvm.start(
            ChildJvm.command(
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m"),
                DurableProgram.class,
                path,
                1_000_000,
                "every-put"));
    int acknowledged = 0;
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      String all = "";
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("put ")) {
          acknowledged = Integer.parseInt(line.substring(4)) + 1;
        } else {
          all += line + "\n";
        }
        if (acknowledged == after) {
          // SIGKILL. Not process.destroyForcibly(): what it still said must be read to the end.
          process.toHandle().destroyForcibly();
        }
      }
      assertThat(process.waitFor()).as(all).isEqualTo(137);
    }
    return acknowledged;
  }
}
