package io.woodbird.spark;

import java.io.Serializable;
import org.apache.spark.Partition;
import org.apache.spark.Partitioner;
import org.apache.spark.rdd.PartitionCoalescer;
import org.apache.spark.rdd.PartitionGroup;
import org.apache.spark.rdd.RDD;
import scala.Option;

/** Which parts of the shuffle a task reads: all parts of one shard, or one part of many shards. */
final class Groups implements PartitionCoalescer, Serializable {
  private static final long serialVersionUID = 1L;

  @Override
  public PartitionGroup[] coalesce(int groups, RDD<?> parent) {
    Partition[] parts = parent.partitions();
    int perGroup = HashTask.COUNTS / groups;
    PartitionGroup[] result = new PartitionGroup[groups];
    for (int group = 0; group < groups; group++) {
      result[group] = new PartitionGroup(Option.empty());
      for (int part = group * perGroup; part < (group + 1) * perGroup; part++) {
        result[group].partitions().addOne(parts[part]);
      }
    }
    return result;
  }

  /** A key of the shuffle is the number of its part. */
  static final class ByNumber extends Partitioner {
    private static final long serialVersionUID = 1L;

    @Override
    public int numPartitions() {
      return HashTask.COUNTS + 1;
    }

    @Override
    public int getPartition(Object key) {
      return (Integer) key;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof ByNumber;
    }

    @Override
    public int hashCode() {
      return HashTask.COUNTS;
    }
  }
}
