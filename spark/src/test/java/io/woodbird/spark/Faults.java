package io.woodbird.spark;

import java.io.IOException;
import java.util.Random;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;

/** Faults that happen on executors. A class of its own, as executors must not start a cluster. */
final class Faults {
  private Faults() {}

  /** Lets one first attempt in five fail. */
  static MapPartitionsFunction<Long, Long> failing(long seed) {
    return rows -> {
      TaskContext task = TaskContext.get();
      if (task.attemptNumber() == 0 && new Random(seed + task.partitionId()).nextInt(5) == 0) {
        throw new IOException("a task fails on purpose");
      }
      return rows;
    };
  }

  /** Never ends by itself. */
  static MapPartitionsFunction<Long, Long> endless() {
    return rows -> {
      Thread.sleep(600_000);
      return rows;
    };
  }
}
