package io.woodbird.example.sstable;

import io.woodbird.BloomFilter;
import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A sorted table in a file that never changes.
 *
 * <pre>
 *   8 bytes   length of the filter
 *   filter    as Woodbird writes it; asked where it lies, never copied
 *   blocks    of 64 entries each, sorted by key
 *   index     the first key and the place of each block
 *   8 bytes   place of the index
 * </pre>
 */
final class Table implements Closeable {
  /** One seed for all tables: a key is hashed once, whatever the number of tables. */
  static final long SEED = 0x7ab1e;

  private static final int BLOCK_ENTRIES = 64;

  private final FileChannel channel;
  private final Filter<String> filter;
  private final TreeMap<String, Long> index = new TreeMap<>();
  private final long indexAt;
  private long reads;

  private Table(FileChannel channel) throws IOException {
    this.channel = channel;
    ByteBuffer file = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
    // Straight from a slice of the file: no copy, and damage is found.
    filter = Woodbird.wrap(file.slice(8, (int) file.getLong(0)), Keys.strings());
    indexAt = file.getLong(file.limit() - 8);
    DataInputStream in = read(indexAt, file.limit() - 8);
    while (in.available() > 0) {
      index.put(in.readUTF(), in.readLong());
    }
  }

  static Table open(Path path) throws IOException {
    return new Table(FileChannel.open(path));
  }

  static void write(Path path, SortedMap<String, String> entries) throws IOException {
    BloomFilter<String> filter =
        Woodbird.bloom(Keys.strings(), Math.max(1, entries.size())).seed(SEED).build();
    filter.putAll(entries.keySet());
    TreeMap<String, Long> index = new TreeMap<>();
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(path)))) {
      long at = 8 + filter.sizeInBytes(); // Known before a byte is written.
      out.writeLong(filter.sizeInBytes());
      filter.writeTo(out);
      int count = 0;
      for (Map.Entry<String, String> entry : entries.entrySet()) {
        if (count++ % BLOCK_ENTRIES == 0) {
          index.put(entry.getKey(), at);
        }
        int before = out.size();
        out.writeUTF(entry.getKey());
        out.writeUTF(entry.getValue());
        at += out.size() - before;
      }
      for (Map.Entry<String, Long> block : index.entrySet()) {
        out.writeUTF(block.getKey());
        out.writeLong(block.getValue());
      }
      out.writeLong(at);
    }
  }

  /** Whether the key with this hash may be here; reads nothing but the filter. */
  boolean mightContain(long hash) {
    return filter.mightContainHash(hash);
  }

  /** Looks a key up, which reads one block from disk. */
  @Nullable String get(String key) throws IOException {
    Map.Entry<String, Long> block = index.floorEntry(key);
    if (block == null) {
      return null;
    }
    Map.Entry<String, Long> next = index.higherEntry(key);
    reads++;
    DataInputStream in = read(block.getValue(), next == null ? indexAt : next.getValue());
    while (in.available() > 0) {
      String found = in.readUTF();
      String value = in.readUTF();
      if (found.equals(key)) {
        return value;
      }
    }
    return null;
  }

  private DataInputStream read(long from, long to) throws IOException {
    ByteBuffer block = ByteBuffer.allocate((int) (to - from));
    while (block.hasRemaining() && channel.read(block, from + block.position()) >= 0) {
      // Until all is there.
    }
    return new DataInputStream(new ByteArrayInputStream(block.array()));
  }

  /** How many blocks were read. */
  long reads() {
    return reads;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
