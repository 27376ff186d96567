package io.woodbird.spark;

import org.apache.spark.Partitioner;

/** A key of the shuffle is the number of its part. */
final class ByPart extends Partitioner {
  private static final long serialVersionUID = 1L;

  private final int parts;

  /** Makes a partitioner for the parts of the hashes, and that of the counts. */
  ByPart(HashTask.Parts parts) {
    this.parts = parts.count() + 1;
  }

  @Override
  public int numPartitions() {
    return parts;
  }

  @Override
  public int getPartition(Object key) {
    return (Integer) key;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ByPart same && same.parts == parts;
  }

  @Override
  public int hashCode() {
    return parts;
  }
}
