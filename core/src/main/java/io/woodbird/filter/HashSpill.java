package io.woodbird.filter;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Hashes on their way into a frozen filter, split by their first bits; more than memory holds. */
final class HashSpill implements AutoCloseable {
  /*
   * The first hashes go into one array. When there are many they are dealt out to 1024 parts by their
   * first ten bits, each a chain of blocks of 4096. Blocks stay in memory up to the limit; further full
   * blocks go to one temporary file, which has no name from the moment it is open, so that nothing is
   * left behind whatever happens. A block that is full of repetitions is shrunk in place first, so that
   * a source that says the same key a billion times takes no room.
   */
  static final int PART_BITS = 10;

  private static final int PARTS = 1 << PART_BITS;
  private static final int BLOCK = 4096;
  private static final int FEW = 1 << 18;

  private final long memoryLimit;
  private final @Nullable Path tempDir;
  private long[] few = new long[1024];
  private final @Nullable Part[] parts = new Part[PARTS];
  private boolean dealt;
  private long count;
  private long inMemory;
  private @Nullable FileChannel file;
  private long fileBytes;
  private final ByteBuffer buffer =
      ByteBuffer.allocateDirect(BLOCK * 8).order(ByteOrder.LITTLE_ENDIAN);

  HashSpill(long memoryLimit, @Nullable Path tempDir) {
    this.memoryLimit = memoryLimit;
    this.tempDir = tempDir;
  }

  /** One part: full blocks in memory, full blocks in the file, and the block being filled. */
  private static final class Part {
    private final List<long[]> kept = new ArrayList<>();
    private long[] spilled = new long[0];
    private int spilledCount;
    private long[] open = new long[BLOCK];
    private int openCount;

    long size() {
      return (long) (kept.size() + spilledCount) * BLOCK + openCount;
    }
  }

  void add(long hash) throws IOException {
    count++;
    if (!dealt) {
      if (count <= FEW) {
        if (count > few.length) {
          few = Arrays.copyOf(few, 2 * few.length);
        }
        few[(int) count - 1] = hash;
        return;
      }
      dealt = true;
      for (int i = 0; i < count - 1; i++) {
        deal(few[i]);
      }
      few = new long[0];
    }
    deal(hash);
  }

  private void deal(long hash) throws IOException {
    int index = (int) (hash >>> (64 - PART_BITS));
    Part part = parts[index];
    if (part == null) {
      part = new Part();
      parts[index] = part;
    }
    part.open[part.openCount++] = hash;
    if (part.openCount == BLOCK) {
      flush(part);
    }
  }

  private void flush(Part part) throws IOException {
    // Only a part that outgrows the others can be full of repetitions that matter.
    if (part.size() > 4 * (count / PARTS + BLOCK)) {
      part.openCount = HashSort.sortDistinct(part.open, BLOCK, 0, new long[BLOCK]);
      if (part.openCount < BLOCK / 2) {
        return;
      }
      if (part.openCount < BLOCK) {
        // Blocks are full: what repetition left free is filled with one of the hashes.
        Arrays.fill(part.open, part.openCount, BLOCK, part.open[0]);
      }
    }
    part.openCount = 0;
    if (8 * (inMemory + BLOCK) <= memoryLimit) {
      inMemory += BLOCK;
      part.kept.add(part.open);
      part.open = new long[BLOCK];
    } else {
      spill(part);
    }
  }

  private void spill(Part part) throws IOException {
    try {
      write(part.open);
    } catch (ClosedByInterruptException e) {
      throw e; // Cancelled; the disk is all right.
    } catch (IOException e) {
      String folder = tempDir == null ? System.getProperty("java.io.tmpdir") : tempDir.toString();
      throw new IOException(
          String.format(
              Locale.ROOT,
              "could not write %,d bytes of hashes to the temporary folder %s (%s); choose another"
                  + " with tempDir, or raise memoryLimit",
              fileBytes + BLOCK * 8,
              folder,
              e.getMessage()),
          e);
    }
    if (part.spilledCount == part.spilled.length) {
      part.spilled = Arrays.copyOf(part.spilled, Math.max(16, 2 * part.spilledCount));
    }
    part.spilled[part.spilledCount++] = fileBytes;
    fileBytes += BLOCK * 8;
  }

  private void write(long[] block) throws IOException {
    FileChannel channel = file;
    if (channel == null) {
      Path path =
          tempDir == null
              ? Files.createTempFile("woodbird", ".hashes")
              : Files.createTempFile(tempDir, "woodbird", ".hashes");
      channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
      file = channel;
      Files.delete(path);
    }
    buffer.clear();
    buffer.asLongBuffer().put(block);
    while (buffer.hasRemaining()) {
      channel.write(buffer, fileBytes + buffer.position());
    }
  }

  /** How many hashes were added, repetitions included. */
  long count() {
    return count;
  }

  /** Returns the hashes of a shard, repetitions included, in no particular order. */
  long[] shard(int shard, int shardBits) throws IOException {
    ShardHashes result = new ShardHashes(shard, shardBits);
    if (!dealt) {
      result.take(few, (int) count);
    } else {
      int spread = Math.max(0, PART_BITS - shardBits);
      int first = shardBits <= PART_BITS ? shard << spread : shard >>> (shardBits - PART_BITS);
      for (int index = first; index < first + (1 << spread); index++) {
        read(parts[index], result);
      }
    }
    return result.hashes();
  }

  private void read(@Nullable Part part, ShardHashes result) throws IOException {
    if (part == null) {
      return;
    }
    for (long[] block : part.kept) {
      result.take(block, BLOCK);
    }
    long[] block = new long[BLOCK];
    ByteBuffer bytes = ByteBuffer.allocate(BLOCK * 8).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < part.spilledCount; i++) {
      bytes.clear();
      while (bytes.hasRemaining()) {
        if (Objects.requireNonNull(file).read(bytes, part.spilled[i] + bytes.position()) < 0) {
          throw new IOException("the temporary file became shorter");
        }
      }
      bytes.flip().asLongBuffer().get(block);
      result.take(block, BLOCK);
    }
    result.take(part.open, part.openCount);
  }

  /** Gathers the hashes that belong to a shard. */
  private static final class ShardHashes {
    private final int shard;
    private final int shardBits;
    private long[] hashes = new long[1 << 10];
    private int count;

    ShardHashes(int shard, int shardBits) {
      this.shard = shard;
      this.shardBits = shardBits;
    }

    void take(long[] from, int number) {
      if (hashes.length - count < number) {
        hashes = Arrays.copyOf(hashes, Math.max(count + number, hashes.length * 3 / 2));
      }
      for (int i = 0; i < number; i++) {
        hashes[count] = from[i];
        count += (int) (from[i] >>> 1 >>> (63 - shardBits)) == shard ? 1 : 0;
      }
    }

    long[] hashes() {
      return Arrays.copyOf(hashes, count);
    }
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
    }
  }
}
