package io.woodbird.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A stream whose events repeat, and that stops at the worst moments. */
@ExtendWith(Cluster.class)
final class OncePerDayTest {
  private static final int BATCHES = 3;

  @TempDir Path folder;

  /** Batch i has the events 100 i to 100 i + 199, so every batch repeats half of the one before. */
  @BeforeEach
  void events() throws IOException {
    for (String name : List.of("in", "state", "next")) {
      Files.createDirectory(folder.resolve(name));
    }
    for (int batch = 0; batch < BATCHES; batch++) {
      List<String> ids =
          IntStream.range(100 * batch, 100 * batch + 200).mapToObj(i -> "event " + i).toList();
      Path file = Files.write(folder.resolve("next/" + batch + ".txt"), ids);
      Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000L * (1 + batch))); // Its place.
      Files.move(file, folder.resolve("in/" + batch + ".txt"), StandardCopyOption.ATOMIC_MOVE);
    }
  }

  @Test
  void eachEvent_isPassedOnOnce() throws Exception {
    run(new OncePerDay(folder.resolve("state"), this::write));
    assertEachOnce();
  }

  @Test
  void aStop_betweenTheSinkAndTheFile_losesNothing() throws Exception {
    OncePerDay stopping =
        new OncePerDay(
            folder.resolve("state"),
            (events, number) -> {
              write(events, number);
              stopAt(1, number);
            });
    assertThatThrownBy(() -> run(stopping)).hasStackTraceContaining("stopped in batch 1");
    // In the same process, which still has the object; and once more, in a new one.
    assertThatThrownBy(() -> run(stopping)).hasStackTraceContaining("stopped in batch 1");
    run(new OncePerDay(folder.resolve("state"), this::write));
    assertEachOnce();
  }

  @Test
  void aStop_afterTheFile_repeatsNothing() throws Exception {
    OncePerDay before = new OncePerDay(folder.resolve("state"), this::write);
    assertThatThrownBy(
            () ->
                run(
                    (events, number) -> {
                      before.call(events, number);
                      stopAt(1, number);
                    }))
        .hasStackTraceContaining("stopped in batch 1");
    AtomicInteger written = new AtomicInteger();
    run(
        new OncePerDay(
            folder.resolve("state"),
            (events, number) -> {
              write(events, number);
              written.incrementAndGet();
            }));
    assertThat(written.get()).as("batch 1 is not written again").isEqualTo(1);
    assertEachOnce();
  }

  @Test
  void aFilterThatIsOlderThanTheCheckpoint_isRefused() throws Exception {
    OncePerDay once = new OncePerDay(folder.resolve("state"), this::write);
    assertThatThrownBy(() -> once.call(Cluster.session().emptyDataFrame(), 5L))
        .hasMessageContaining("older");
  }

  /** The control: a filter that keeps its puts before the sink has the events loses them. */
  @Test
  void aStop_betweenPutAndSink_losesEventsIfThePutsAreKept() throws Exception {
    var seen = new java.util.HashSet<String>(); // As a filter that survives the stop.
    VoidFunction2<Dataset<Row>, Long> naive =
        (batch, number) -> {
          List<Row> fresh =
              batch.collectAsList().stream().filter(row -> seen.add(row.getAs("id"))).toList();
          if (seen.size() == 300) {
            seen.add("stopped once");
            stopAt(1, number);
          }
          write(batch.sparkSession().createDataFrame(fresh, batch.schema()), number);
        };
    assertThatThrownBy(() -> run(naive)).hasStackTraceContaining("stopped in batch 1");
    run(naive);
    assertThat(passedOn()).hasSize(300); // 100 of 400 are lost.
  }

  private static void stopAt(long stop, long number) {
    if (number == stop) {
      throw new IllegalStateException("stopped in batch " + number);
    }
  }

  /** A batch that is written again replaces what was there. */
  private void write(Dataset<Row> events, Long number) {
    events.write().mode("overwrite").text(folder.resolve("out/batch=" + number).toString());
  }

  private void run(VoidFunction2<Dataset<Row>, Long> function) throws Exception {
    Cluster.session()
        .readStream()
        .option("maxFilesPerTrigger", 1)
        .text(folder.resolve("in").toString())
        .withColumnRenamed("value", "id")
        .writeStream()
        .option("checkpointLocation", folder.resolve("checkpoint").toString())
        .trigger(Trigger.AvailableNow())
        .foreachBatch(function)
        .start()
        .awaitTermination();
  }

  private List<String> passedOn() {
    return Cluster.session()
        .read()
        .text(folder.resolve("out/*").toString())
        .as(Encoders.STRING())
        .collectAsList();
  }

  private void assertEachOnce() throws IOException {
    assertThat(passedOn())
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 400).mapToObj(i -> "event " + i).toList());
    try (Stream<Path> files = Files.list(folder.resolve("state"))) {
      assertThat(files).containsExactly(folder.resolve("state/seen-2.wbird"));
    }
  }

  @Test
  void thePage_showsThisCode() throws IOException {
    String source =
        Files.readString(Path.of("src/test/java/io/woodbird/spark/OncePerDay.java"))
            .replaceAll("\\s+", " ");
    for (String page : List.of("../docs/howto/streaming.md", "../docs/zh/howto/streaming.md")) {
      List<String> code =
          Files.readString(Path.of(page))
              .lines()
              .dropWhile(line -> !line.equals("```java"))
              .skip(1)
              .takeWhile(line -> !line.equals("```"))
              .map(line -> line.replaceAll("\\s*//.*", "").strip())
              .filter(line -> !line.isEmpty())
              .toList();
      assertThat(code).hasSizeGreaterThan(15);
      for (String line : code) {
        assertThat(source).as(page).contains(line.replaceAll("\\s+", " "));
      }
    }
  }
}
