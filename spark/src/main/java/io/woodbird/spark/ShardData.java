package io.woodbird.spark;

import io.woodbird.file.DataSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/** The data of a filter: its shard table, and then the shards as they come from the cluster. */
final class ShardData implements DataSource {
  private final List<byte[]> heads;
  private final Iterator<byte[]> shards;
  private ByteBuffer current;
  private long position;
  private int taken;

  /**
   * Makes the data.
   *
   * @param heads the first bytes of each shard, as they were when the table was made
   */
  ShardData(long[] table, List<byte[]> heads, Iterator<byte[]> shards) {
    this.heads = heads;
    this.shards = shards;
    this.current = ByteBuffer.allocate(8 * table.length).order(ByteOrder.LITTLE_ENDIAN);
    current.asLongBuffer().put(table);
  }

  @Override
  public void read(long offset, ByteBuffer target) throws IOException {
    if (offset != position) {
      throw new IllegalStateException("expected to be read at " + position + ", not at " + offset);
    }
    position += target.remaining();
    while (target.hasRemaining()) {
      if (!current.hasRemaining()) {
        current = nextShard();
      }
      int count = Math.min(current.remaining(), target.remaining());
      target.put(current.slice().limit(count));
      current.position(current.position() + count);
    }
  }

  private ByteBuffer nextShard() throws IOException {
    byte[] record = shards.next();
    byte[] head = heads.get(taken++);
    if (!Arrays.equals(head, 0, head.length, record, 0, head.length)) {
      throw new IOException("shard " + (taken - 1) + " is another one when computed again");
    }
    return ShardRecord.data(record);
  }
}
