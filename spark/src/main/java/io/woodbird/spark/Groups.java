package io.woodbird.spark;

import java.io.Serializable;
import org.apache.spark.Partition;
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
    int perGroup = FileParts.COUNT / groups;
    PartitionGroup[] result = new PartitionGroup[groups];
    for (int group = 0; group < groups; group++) {
      result[group] = new PartitionGroup(Option.empty());
      for (int part = group * perGroup; part < (group + 1) * perGroup; part++) {
        result[group].partitions().addOne(parts[part]);
      }
    }
    return result;
  }
}
