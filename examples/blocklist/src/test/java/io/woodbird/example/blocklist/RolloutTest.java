package io.woodbird.example.blocklist;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RolloutTest {
  @TempDir private Path folder;

  @Test
  void theEdgeRefusesADamagedListAndSwapsToAWholeOne() throws Exception {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    PrintStream console = System.out;
    System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
    try {
      new Rollout(folder, 20_000, 40_000).run();
    } finally {
      System.setOut(console);
    }
    String text = output.toString(StandardCharsets.UTF_8);
    assertThat(text.lines().map(line -> line.replaceAll("[0-9][0-9,.]*.*", "")))
        .containsSubsequence("  edge  opened ", "  edge  swapped to ", "  edge  asked ");
    assertThat(text)
        .contains(Rollout.host(0) + " is blocked")
        .contains("  edge  refused: ")
        .contains(Rollout.host(20_001) + " is blocked")
        .containsPattern("asked [1-9][0-9,]* times meanwhile, missed 0\n");
    Path edge = folder.resolve("edge");
    assertThat(Files.size(edge.resolve("blocklist.wbird"))).isLessThanOrEqualTo(40_000);
    assertThat(edge.resolve("blocklist.wbird"))
        .hasSameBinaryContentAs(folder.resolve("tuesday.wbird"));
    assertThat(edge.resolve("refused.wbird"))
        .hasSameBinaryContentAs(folder.resolve("damaged.wbird"));
    assertThat(edge.resolve("arrived.wbird")).doesNotExist();
  }

  /** A question that is asked while the list is swapped is answered by the old one or the new. */
  @Test
  void noQuestionFailsThoughTheListIsSwappedAllTheTime() throws Exception {
    Path list = folder.resolve("list.wbird");
    Woodbird.frozen(Keys.strings())
        .buildTo(list, LongStream.range(0, 1000).mapToObj(Rollout::host));
    Files.copy(list, folder.resolve("blocklist.wbird"));
    AtomicBoolean ended = new AtomicBoolean();
    AtomicLong asked = new AtomicLong();
    AtomicLong missed = new AtomicLong();
    try (Edge edge = new Edge(folder)) {
      Runnable asking =
          () -> {
            for (long i = 0; !ended.get(); i++) {
              missed.addAndGet(edge.blocks(Rollout.host(i % 1000)) ? 0 : 1);
              asked.incrementAndGet();
            }
          };
      AtomicLong failed = new AtomicLong();
      Thread[] threads = {new Thread(asking), new Thread(asking)};
      for (Thread thread : threads) {
        thread.setUncaughtExceptionHandler((one, e) -> failed.incrementAndGet());
        thread.start();
      }
      for (int swap = 0; swap < 300; swap++) {
        Files.copy(list, folder.resolve("part"));
        Files.move(folder.resolve("part"), folder.resolve("arrived.wbird"));
        assertThat(edge.takeArrived()).isTrue();
      }
      ended.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(failed).hasValue(0);
    }
    assertThat(missed).hasValue(0);
    assertThat(asked.get()).isPositive();
  }
}
