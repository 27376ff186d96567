package io.woodbird.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Builds whose tasks are killed, fail or run twice, or that are cancelled. */
@ExtendWith(Cluster.class)
final class ChaosTest {
  private static final SparkContext CONTEXT = Cluster.session().sparkContext();

  private final long seed = Long.getLong("woodbird.seed", System.nanoTime());
  private final Faults.Plan faults = new Faults.Plan((int) Long.remainderUnsigned(seed, 5));

  @TempDir Path folder;
  private Path target;

  @BeforeEach
  void target() {
    target = folder.resolve("target.wbird");
  }

  @Test
  void writeTo_tasksAreKilledFailAndRunTwice_givesTheSameBytes() throws IOException {
    assertBytesInChaos(500_000);
  }

  @Tag("slow")
  @Test
  void writeTo_ofManyShards_tasksAreKilledFailAndRunTwice_givesTheSameBytes() throws IOException {
    assertBytesInChaos(50_000_000);
  }

  private void assertBytesInChaos(long keys) throws IOException {
    Chaos chaos = new Chaos(faults, seed);
    try (chaos) {
      WoodbirdSpark.frozen(faults.rows(keys), "value").seed(3).writeTo(target.toString());
    }
    assertThat(Files.readAllBytes(target)).as("seed %s", seed).isEqualTo(expected(keys));
    assertOnlyTarget();
    chaos.assertHappened();
  }

  /** The control: with the same faults, tasks that write files themselves leave some behind. */
  @Test
  void tasksThatWriteFiles_leaveThemBehind() throws IOException {
    Chaos chaos = new Chaos(faults, seed);
    try (chaos) {
      faults
          .rows(40_000)
          .mapPartitions(Faults.writingFiles(folder.toString()), Encoders.LONG())
          .collectAsList();
    }
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.count()).as("seed %s", seed).isPositive();
    }
  }

  private static byte[] expected(long keys) throws IOException {
    Path one = Files.createTempFile("one", ".wbird");
    Woodbird.frozen(Keys.longs()).seed(3).buildTo(one, LongStream.range(0, keys).iterator());
    byte[] expected = Files.readAllBytes(one);
    Files.delete(one);
    return expected;
  }

  @Test
  void writeTo_cancelledWhileItReads_leavesTheTargetAsItWas() throws IOException {
    Dataset<Long> endless =
        Cluster.session()
            .range(0, 10, 1, 2)
            .as(Encoders.LONG())
            .mapPartitions(Faults.endless(), Encoders.LONG());
    Files.writeString(target, "what was there");
    try (Canceller canceller = new Canceller(1)) {
      assertThatThrownBy(() -> WoodbirdSpark.frozen(endless, "value").writeTo(target.toString()))
          .hasMessageContaining("cancelled");
      assertThat(CONTEXT.getLocalProperty("spark.job.description"))
          .isEqualTo("a build that is cancelled");
      assertThat(canceller.jobs()).isEqualTo(1);
    }
    assertThat(target).hasContent("what was there");
    assertOnlyTarget();
  }

  @Test
  void writeTo_cancelledInAnyOfItsJobs_leavesTheTargetWholeOrAsItWas() throws IOException {
    long keys = 1000;
    byte[] whole = expected(keys);
    int cancelled = 0;
    for (int job = 1; ; job++) {
      Files.writeString(target, "what was there");
      try (Canceller canceller = new Canceller(job)) {
        WoodbirdSpark.frozen(Cluster.session().range(keys), "id")
            .seed(3)
            .writeTo(target.toString());
        assertThat(Files.readAllBytes(target)).isEqualTo(whole);
        if (canceller.jobs() < job) {
          break;
        }
      } catch (Exception e) {
        assertThat(e).hasStackTraceContaining("cancelled");
        assertThat(target).hasContent("what was there");
        cancelled++;
      }
      assertOnlyTarget();
    }
    assertThat(cancelled).isPositive();
  }

  private void assertOnlyTarget() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(target);
    }
  }
}
