package io.woodbird.spark;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.util.TaskCompletionListener;
import redis.clients.jedis.RedisClient;

/** Faults that happen on executors. A class of its own, as executors must not start a cluster. */
final class Faults {
  private Faults() {}

  /**
   * Which partitions suffer, in their first attempts: one in five fails after some rows, and one
   * gets stuck, so that a speculative copy of it must do the work.
   */
  record Plan(int offset) implements Serializable {
    static final int PARTITIONS = 40;

    boolean fails(int partition) {
      return partition % 5 == offset && !isStuck(partition);
    }

    boolean isStuck(int partition) {
      return partition == offset;
    }

    /** The numbers from 0 on, from tasks that suffer. Called by the driver. */
    Dataset<Long> rows(long count) {
      return Cluster.session()
          .range(0, count, 1, PARTITIONS)
          .as(Encoders.LONG())
          .mapPartitions(Faults.of(this), Encoders.LONG());
    }
  }

  /** Applies a plan. */
  static MapPartitionsFunction<Long, Long> of(Plan plan) {
    return rows -> {
      TaskContext task = TaskContext.get();
      int partition = task.partitionId();
      if (task.attemptNumber() == 0 && plan.isStuck(partition)) {
        Thread.sleep(600_000);
      }
      boolean fails = task.attemptNumber() == 0 && plan.fails(partition);
      return fails ? new FailingAfter(rows, 10 * (1 + partition)) : rows;
    };
  }

  /** The first rows, and then a failure. */
  private static final class FailingAfter implements Iterator<Long> {
    private final Iterator<Long> rows;
    private int left;

    FailingAfter(Iterator<Long> rows, int left) {
      this.rows = rows;
      this.left = left;
    }

    @Override
    public boolean hasNext() {
      return rows.hasNext();
    }

    @Override
    public Long next() {
      if (left-- == 0) {
        throw new UncheckedIOException(new IOException("a task fails on purpose"));
      }
      return rows.next();
    }
  }

  /** What a build does not do: each attempt writes a file of its own, and deletes it at the end. */
  static MapPartitionsFunction<Long, Long> writingFiles(String folder) {
    return rows -> {
      TaskContext task = TaskContext.get();
      Path file =
          Path.of(folder, "part-" + task.partitionId() + "-" + task.attemptNumber() + ".tmp");
      Files.createFile(file);
      long count = 0;
      while (rows.hasNext()) {
        rows.next();
        count++;
      }
      Files.delete(file);
      return java.util.List.of(count).iterator();
    };
  }

  /** Connects executors with a server of this machine. */
  static RedisConnector redis(int port) {
    return () -> RedisClient.create("localhost", port);
  }

  /** The same, but the first attempt of each task fails after it has loaded its shards. */
  static RedisConnector redisTwice(int port) {
    return () -> {
      if (TaskContext.get().attemptNumber() == 0) {
        TaskContext.get()
            .addTaskCompletionListener(
                (TaskCompletionListener)
                    task -> {
                      throw new IllegalStateException("a task fails on purpose, when all is done");
                    });
      }
      return RedisClient.create("localhost", port);
    };
  }

  /** The same, but the task of one part fails in each attempt. */
  static RedisConnector redisExceptFor(int part, int port) {
    return () -> {
      if (TaskContext.get().partitionId() == part) {
        throw new IOException("there is no way to Redis");
      }
      return RedisClient.create("localhost", port);
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
