package io.woodbird.spark;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;

/** Cancels everything as soon as a job with a certain number starts. */
final class Canceller extends SparkListener implements AutoCloseable {
  private static final AtomicInteger GROUPS = new AtomicInteger();
  private final SparkContext context = Cluster.session().sparkContext();
  private final AtomicInteger jobs = new AtomicInteger();
  private final String group = "cancelled " + GROUPS.incrementAndGet();
  private final int job;

  Canceller(int job) {
    this.job = job;
    context.addSparkListener(this);
    context.setJobGroup(group, "a build that is cancelled", true);
  }

  @Override
  public void onJobStart(SparkListenerJobStart event) {
    if (group.equals(event.properties().getProperty("spark.jobGroup.id"))
        && jobs.incrementAndGet() == job) {
      context.cancelJobGroupAndFutureJobs(group);
    }
  }

  /** How many jobs were started. */
  int jobs() {
    return jobs.get();
  }

  @Override
  public void close() {
    context.clearJobGroup();
    context.removeSparkListener(this);
  }
}
