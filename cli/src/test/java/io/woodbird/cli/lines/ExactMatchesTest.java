package io.woodbird.cli.lines;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.cli.say.DataOut;
import io.woodbird.cli.say.Progress;
import io.woodbird.cli.say.Streams;
import io.woodbird.cli.say.Voice;
import io.woodbird.testkit.Trials;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExactMatchesTest {
  private static final Streams NOWHERE =
      new Streams(
          InputStream.nullInputStream(),
          new DataOut(OutputStream.nullOutputStream()),
          new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
          Set.of(),
          Map.of());
  private static final Progress SILENT =
      new Progress(NOWHERE, new Voice(NOWHERE, "never", false, false), "never");

  @TempDir Path folder;

  @Test
  void settles_byBytesAndNotByHashesInAnyMemory() {
    Trials.sized(
        "settlement",
        100,
        4000,
        (random, size) -> {
          // Few hashes, so that many different keys share one; little memory, so that there are
          // many rounds.
          int hashes = 1 + random.nextInt(20);
          int keys = 1 + random.nextInt(2 * size + 1);
          int padding = random.nextInt(400);
          List<String> a = new ArrayList<>();
          Set<String> b = new HashSet<>();
          ExactMatches settlement = new ExactMatches(1 << random.nextInt(20));
          try (LineSpill spillA = new LineSpill(folder, 4);
              LineSpill spillB = new LineSpill(folder, 4)) {
            for (int i = 0; i < size; i++) {
              String mine = "x".repeat(random.nextInt(padding + 1)) + random.nextInt(keys);
              add(spillA, hashes, i, mine);
              a.add(mine);
              String theirs = "x".repeat(random.nextInt(padding + 1)) + random.nextInt(keys);
              add(spillB, hashes, 0, theirs);
              b.add(theirs);
            }
            settlement.settle(spillA, spillB, SILENT);
          }
          for (int i = 0; i < size; i++) {
            assertThat(settlement.isMarked(i)).as(a.get(i)).isEqualTo(b.contains(a.get(i)));
          }
          try (var left = Files.list(folder)) {
            assertThat(left).isEmpty();
          }
        });
  }

  private static void add(LineSpill spill, int hashes, int number, String key) throws Exception {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    long hash = (long) Math.floorMod(key.hashCode(), hashes) * 0x9e3779b97f4a7c15L;
    spill.add(hash, number, ByteBuffer.wrap(bytes));
  }
}
