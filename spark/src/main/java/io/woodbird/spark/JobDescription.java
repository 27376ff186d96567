package io.woodbird.spark;

import org.apache.spark.SparkContext;
import org.jspecify.annotations.Nullable;

/** What Spark's UI shows beside the jobs of a build. Closing brings back what it showed before. */
final class JobDescription implements AutoCloseable {
  private static final String PROPERTY = "spark.job.description";

  private final SparkContext context;
  private final String built;
  private final @Nullable String before;

  /**
   * Begins.
   *
   * @param built the name of what is built
   */
  JobDescription(SparkContext context, String built) {
    this.context = context;
    this.built = built;
    this.before = context.getLocalProperty(PROPERTY);
  }

  /** Says what the next jobs do. */
  void say(String step) {
    context.setJobDescription("woodbird " + built + ": " + step);
  }

  @Override
  public void close() {
    context.setLocalProperty(PROPERTY, before);
  }
}
