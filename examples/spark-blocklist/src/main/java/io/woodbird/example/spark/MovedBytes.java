package io.woodbird.example.spark;

import java.util.concurrent.TimeoutException;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SparkSession;

/** Adds up the bytes that tasks read from files and from other tasks, and write for others. */
final class MovedBytes extends SparkListener {
  private long read;
  private long shuffled;

  /**
   * What the tasks of a query moved.
   *
   * @param read bytes from files, and from the shuffle
   * @param shuffled bytes that were written for the shuffle
   */
  record Total(long read, long shuffled) {}

  @Override
  public synchronized void onTaskEnd(SparkListenerTaskEnd event) {
    TaskMetrics task = event.taskMetrics();
    read += task.inputMetrics().bytesRead() + task.shuffleReadMetrics().totalBytesRead();
    shuffled += task.shuffleWriteMetrics().bytesWritten();
  }

  /** Returns the bytes since the last call, when all tasks that have ended are counted. */
  Total take(SparkSession spark) {
    try {
      spark
          .sparkContext()
          .listenerBus()
          .waitUntilEmpty(600_000); // Its thread calls the method above.
    } catch (TimeoutException e) {
      throw new IllegalStateException("Spark's listeners hang", e);
    }
    synchronized (this) {
      Total total = new Total(read, shuffled);
      read = 0;
      shuffled = 0;
      return total;
    }
  }
}
