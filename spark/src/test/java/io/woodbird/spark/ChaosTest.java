package io.woodbird.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskKilled;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Builds whose tasks are killed or fail, or that are cancelled. */
@ExtendWith(Cluster.class)
final class ChaosTest {
  private static final long KEYS = 5_000_000; // Two shards.
  private static final SparkContext CONTEXT = Cluster.session().sparkContext();

  @TempDir Path folder;
  private Path target;
  private byte[] expected;

  @BeforeEach
  void build() throws IOException {
    target = folder.resolve("target.wbird");
    Path one = Files.createTempFile("one", ".wbird");
    Woodbird.frozen(Keys.longs()).seed(3).buildTo(one, LongStream.range(0, KEYS).iterator());
    expected = Files.readAllBytes(one);
    Files.delete(one);
  }

  @Test
  void writeTo_tasksAreKilledAndFail_givesTheSameBytes() throws IOException {
    long seed = Long.getLong("woodbird.seed", System.nanoTime());
    Killer killer = new Killer(seed);
    CONTEXT.addSparkListener(killer);
    try {
      Dataset<Long> keys =
          Cluster.session()
              .range(0, KEYS, 1, 40)
              .as(Encoders.LONG())
              .mapPartitions(Faults.failing(seed), Encoders.LONG());
      WoodbirdSpark.frozen(keys, "value").seed(3).writeTo(target.toString());
    } finally {
      CONTEXT.removeSparkListener(killer);
    }
    assertThat(Files.readAllBytes(target)).as("seed %s", seed).isEqualTo(expected);
    assertOnlyTarget();
    // Of 45 tasks or more, each is killed with a probability of 1 in 5, and as many fail.
    assertThat(killer.killed.get()).as("killed, seed %s", seed).isPositive();
    assertThat(killer.failed.get()).as("failed, seed %s", seed).isPositive();
  }

  @Test
  void writeTo_cancelled_leavesTheTargetAsItWas() throws Exception {
    Files.writeString(target, "what was there");
    CountDownLatch started = new CountDownLatch(1);
    SparkListener listener =
        new SparkListener() {
          @Override
          public void onTaskStart(SparkListenerTaskStart event) {
            started.countDown();
          }
        };
    Dataset<Long> endless =
        Cluster.session()
            .range(0, 10, 1, 2)
            .as(Encoders.LONG())
            .mapPartitions(Faults.endless(), Encoders.LONG());
    CONTEXT.addSparkListener(listener);
    Thread canceller =
        new Thread(
            () -> {
              try {
                started.await();
                CONTEXT.cancelJobGroup("cancelled");
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    canceller.start();
    CONTEXT.setJobGroup("cancelled", "a build that is cancelled", true);
    try {
      assertThatThrownBy(() -> WoodbirdSpark.frozen(endless, "value").writeTo(target.toString()))
          .hasMessageContaining("cancelled");
      assertThat(CONTEXT.getLocalProperty("spark.job.description"))
          .isEqualTo("a build that is cancelled");
    } finally {
      CONTEXT.clearJobGroup();
      CONTEXT.removeSparkListener(listener);
      canceller.join();
    }
    assertThat(target).hasContent("what was there");
    assertOnlyTarget();
  }

  private void assertOnlyTarget() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(target);
    }
  }

  /** Kills one task in five as it starts. */
  private static final class Killer extends SparkListener {
    private final Random random;
    private final AtomicInteger killed = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();

    Killer(long seed) {
      random = new Random(seed);
    }

    @Override
    public void onTaskStart(SparkListenerTaskStart event) {
      if (random.nextInt(5) == 0) {
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
  }
}
