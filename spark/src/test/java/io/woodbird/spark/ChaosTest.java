package io.woodbird.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskKilled;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
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
    Chaos chaos = new Chaos();
    try (chaos) {
      WoodbirdSpark.frozen(faulty(keys), "value").seed(3).writeTo(target.toString());
    }
    assertThat(Files.readAllBytes(target)).as("seed %s", seed).isEqualTo(expected(keys));
    assertOnlyTarget();
    chaos.assertHappened();
  }

  /** The control: with the same faults, tasks that write files themselves leave some behind. */
  @Test
  void tasksThatWriteFiles_leaveThemBehind() throws IOException {
    Chaos chaos = new Chaos();
    try (chaos) {
      faulty(40_000)
          .mapPartitions(Faults.writingFiles(folder.toString()), Encoders.LONG())
          .collectAsList();
    }
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.count()).as("seed %s", seed).isPositive();
    }
  }

  private Dataset<Long> faulty(long keys) {
    return Cluster.session()
        .range(0, keys, 1, Faults.Plan.PARTITIONS)
        .as(Encoders.LONG())
        .mapPartitions(Faults.of(faults), Encoders.LONG());
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
      assertThat(canceller.jobs.get()).isEqualTo(1);
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
        if (canceller.jobs.get() < job) {
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

  /** Kills one task in five as it starts, but not the one that is stuck; counts what happened. */
  private final class Chaos extends SparkListener implements AutoCloseable {
    private final Random random = new Random(seed);
    private final AtomicInteger killed = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger speculative = new AtomicInteger();

    Chaos() {
      CONTEXT.addSparkListener(this);
    }

    @Override
    public void onTaskStart(SparkListenerTaskStart event) {
      if (event.taskInfo().speculative()) {
        speculative.incrementAndGet();
      } else if (!faults.isStuck(event.taskInfo().index()) && random.nextInt(5) == 0) {
        CONTEXT.killTaskAttempt(event.taskInfo().taskId(), true, "chaos");
      }
    }

    @Override
    public void onTaskEnd(SparkListenerTaskEnd event) {
      if (event.reason() instanceof TaskKilled) {
        killed.incrementAndGet();
      } else if (event.taskInfo().failed()) {
        failed.incrementAndGet();
      }
    }

    void assertHappened() {
      // Of 45 tasks or more, each is killed with a probability of 1 in 5: all are spared 1 in
      // 23,000.
      assertThat(killed.get()).as("killed, seed %s", seed).isPositive();
      assertThat(failed.get()).as("failed, seed %s", seed).isPositive();
      assertThat(speculative.get()).as("run twice, seed %s", seed).isPositive();
    }

    @Override
    public void close() {
      CONTEXT.removeSparkListener(this);
    }
  }

  /** Cancels everything as soon as a job with a certain number starts. */
  private static final class Canceller extends SparkListener implements AutoCloseable {
    private static final AtomicInteger GROUPS = new AtomicInteger();
    private final AtomicInteger jobs = new AtomicInteger();
    private final String group = "cancelled " + GROUPS.incrementAndGet();
    private final int job;

    Canceller(int job) {
      this.job = job;
      CONTEXT.addSparkListener(this);
      CONTEXT.setJobGroup(group, "a build that is cancelled", true);
    }

    @Override
    public void onJobStart(SparkListenerJobStart event) {
      if (group.equals(event.properties().getProperty("spark.jobGroup.id"))
          && jobs.incrementAndGet() == job) {
        CONTEXT.cancelJobGroupAndFutureJobs(group);
      }
    }

    @Override
    public void close() {
      CONTEXT.clearJobGroup();
      CONTEXT.removeSparkListener(this);
    }
  }
}
