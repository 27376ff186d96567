package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.woodbird.cli.say.DataOut;
import io.woodbird.cli.say.Streams;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.SyncFailedException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A line is remembered only if the disk behind stdout has it. */
final class SyncedStdoutTest {
  @TempDir Path folder;

  /** Runs with a disk whose syncs fail from this one on, counted from 1, up to another. */
  private int run(int failsFrom, int failsTo, ByteArrayOutputStream err) {
    int[] syncs = {0};
    DataOut.Disk disk =
        () -> {
          syncs[0]++;
          if (syncs[0] >= failsFrom && syncs[0] <= failsTo) {
            throw new SyncFailedException("sync failed");
          }
        };
    Streams streams =
        new Streams(
            new ByteArrayInputStream("alice\nbob\n".getBytes(StandardCharsets.UTF_8)),
            new DataOut(new ByteArrayOutputStream(), disk),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            Set.of(),
            Map.of());
    return Main.run(List.of("new", "-s", state(), "-n", "1000"), streams);
  }

  private String state() {
    return folder.resolve("seen.wbird").toString();
  }

  @Test
  void linesThatTheDiskLost_areNotRemembered() {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    assertThat(run(2, Integer.MAX_VALUE, err)).isEqualTo(3);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("x WB-130  stdout can't be written.")
        .contains("sync failed");
    assertThat(Command.reading("alice\nbob\n", "new", "-s", state()).out())
        .isEqualTo("alice\nbob\n");
  }

  @Test
  void aPipe_whereNothingCanBeSynced_isNoError() {
    assumeThat(Files.isRegularFile(Path.of("/dev/stdout"))).isFalse(); // Of this test.
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    assertThat(run(1, Integer.MAX_VALUE, err)).as(err.toString()).isZero();
    assertThat(Command.reading("alice\nbob\n", "new", "-s", state()).out()).isEmpty();
  }
}
