package io.woodbird.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskKilled;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;

/** Kills one task in five as it starts, but not the one that is stuck; counts what happened. */
final class Chaos extends SparkListener implements AutoCloseable {
  private final SparkContext context = Cluster.session().sparkContext();
  private final Faults.Plan faults;
  private final long seed;
  private final Random random;
  private final AtomicInteger killed = new AtomicInteger();
  private final AtomicInteger failed = new AtomicInteger();
  private final AtomicInteger speculative = new AtomicInteger();

  Chaos(Faults.Plan faults, long seed) {
    this.faults = faults;
    this.seed = seed;
    this.random = new Random(seed);
    context.addSparkListener(this);
  }

  @Override
  public void onTaskStart(SparkListenerTaskStart event) {
    if (event.taskInfo().speculative()) {
      speculative.incrementAndGet();
    } else if (!faults.isStuck(event.taskInfo().index()) && random.nextInt(5) == 0) {
      context.killTaskAttempt(event.taskInfo().taskId(), true, "chaos");
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
    context.removeSparkListener(this);
  }
}
