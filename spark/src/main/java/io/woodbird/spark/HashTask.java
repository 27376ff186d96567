package io.woodbird.spark;

import io.woodbird.filter.frozen.HashSort;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.PairFlatMapFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.util.LongAccumulator;
import scala.Tuple2;

/** Hashes the keys of one partition and sends the hashes to the parts of the shuffle. */
final class HashTask implements PairFlatMapFunction<Iterator<InternalRow>, Integer, byte[]> {
  /*
   * Hashes are gathered in an array of a million, sorted, and repeated ones dropped. If half of them
   * go, the array is filled again, so a key that a partition repeats a billion times is sent once.
   * Otherwise the array is cut into packets, one for each part.
   *
   * The last packet goes to a part of its own. It says how many keys there were and how many hashes
   * were sent. For a file, the driver needs the number of keys to choose the number of shards, and
   * reads only this part for it, while the hashes wait in the files of the shuffle.
   */

  private static final long serialVersionUID = 1L;

  private static final int BUFFER = 1 << 20;

  private final KeyColumn column;
  private final long seed;
  private final Parts parts;
  private final LongAccumulator keysRead;

  HashTask(KeyColumn column, long seed, Parts parts, LongAccumulator keysRead) {
    this.column = column;
    this.seed = seed;
    this.parts = parts;
    this.keysRead = keysRead;
  }

  /** How the hashes are cut into parts: a part has neighbouring hashes. */
  interface Parts extends Serializable {
    /** How many parts there are. The counts are one more part, the last one. */
    int count();

    /** Returns the part of a hash; it does not fall when the hash, unsigned, rises. */
    int of(long hash);

    /**
     * Stores the hash of each place that a key goes to: its own hash, and perhaps a second one.
     *
     * @return the index after the last that was stored
     */
    int place(long hash, long[] places, int at);
  }

  @Override
  public Iterator<Tuple2<Integer, byte[]>> call(Iterator<InternalRow> rows) {
    return new Packets(rows);
  }

  private final class Packets implements Iterator<Tuple2<Integer, byte[]>> {
    private final Iterator<InternalRow> rows;
    private final long[] hashes = new long[BUFFER];
    private final long[] scratch = new long[BUFFER];
    private int count;
    private int next;
    private long keys;
    private long sent;
    private boolean done;

    Packets(Iterator<InternalRow> rows) {
      this.rows = rows;
    }

    @Override
    public boolean hasNext() {
      return !done;
    }

    @Override
    public Tuple2<Integer, byte[]> next() {
      if (done) {
        throw new NoSuchElementException();
      }
      if (next == count) {
        fill();
      }
      if (count == 0) {
        done = true;
        byte[] counts = new byte[16];
        littleEndian(counts).putLong(keys).putLong(sent);
        return new Tuple2<>(parts.count(), counts);
      }
      return packet();
    }

    private void fill() {
      next = 0;
      count = 0;
      do {
        read();
        count = HashSort.sortDistinct(hashes, 0, count, 0, scratch);
      } while (count < BUFFER / 2 && rows.hasNext());
      sent += count;
    }

    private void read() {
      long before = keys;
      while (count < BUFFER - 1 && rows.hasNext()) {
        InternalRow row = rows.next();
        if (!row.isNullAt(0)) {
          count = parts.place(column.hash(row, seed), hashes, count);
          keys++;
        }
      }
      keysRead.add(keys - before);
    }

    private Tuple2<Integer, byte[]> packet() {
      int part = parts.of(hashes[next]);
      int end = next + 1;
      while (end < count && parts.of(hashes[end]) == part) {
        end++;
      }
      byte[] packet = new byte[8 * (end - next)];
      littleEndian(packet).asLongBuffer().put(hashes, next, end - next);
      next = end;
      return new Tuple2<>(part, packet);
    }
  }

  /** A buffer over an array, from its beginning. */
  static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
