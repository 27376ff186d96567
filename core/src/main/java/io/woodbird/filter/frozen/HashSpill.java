package io.woodbird.filter.frozen;

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

/** Holds the hashes for a frozen filter, split by their first bits, in memory and on disk. */
public final class HashSpill implements AutoCloseable {
  /*
   * The first hashes go into one array. When there are many, they are distributed to 1024 parts by
   * their first ten bits. A part is a chain of blocks of 4096 hashes. Blocks stay in memory up to
   * the limit. Further full blocks go to one temporary file. The file is deleted as soon as it is
   * open, so nothing is left behind whatever happens. If a part is much larger than the others,
   * duplicates are removed from its full block first, so a source that repeats one key a billion
   * times takes no room.
   *
   * Hashes are buffered per part and written to its block 16 at a time. The buffers of all parts
   * fit into the cache of a core, the blocks do not. Blocks are slices of large arrays, which no
   * garbage collector moves. Parts are sorted one by one, also in the cache. Together this halves
   * the time.
   */
  static final int PART_BITS = 10;

  private static final int PARTS = 1 << PART_BITS;
  private static final int BLOCK = 4096;
  private static final int BLOCKS_PER_SLAB = 256;
  private static final int FEW = 1 << 18;

  /** The hashes of a buffer. All 1024 buffers take 128 KiB. */
  private static final int BUFFERED = 16;

  /** A gigabyte of hashes. If a shard has more, duplicates are dropped before its array grows. */
  private static final int MOST_AT_ONCE = 1 << 27;

  private final long memoryLimit;
  private final @Nullable Path tempDir;
  private long[] few = new long[1024];
  private final @Nullable Part[] parts = new Part[PARTS];
  private final long[] buffered = new long[PARTS * BUFFERED];
  private final int[] bufferedCount = new int[PARTS];
  private final List<long[]> slabs = new ArrayList<>();
  private int blocks;
  private boolean distributed;
  private long count;
  private long inMemory;
  private @Nullable FileChannel file;
  private long fileBytes;
  private final ByteBuffer buffer =
      ByteBuffer.allocateDirect(BLOCK * 8).order(ByteOrder.LITTLE_ENDIAN);

  /**
   * Begins without hashes.
   *
   * @param memoryLimit about how many bytes of hashes may stay in memory
   * @param tempDir the folder for the others; null for the system's
   */
  public HashSpill(long memoryLimit, @Nullable Path tempDir) {
    this.memoryLimit = memoryLimit;
    this.tempDir = tempDir;
  }

  /** One part: full blocks in memory, full blocks in the file, and the block being filled. */
  private static final class Part {
    private int[] kept = new int[0];
    private int keptCount;
    private long[] spilled = new long[0];
    private int spilledCount;
    private int open;
    private int openCount;

    Part(int open) {
      this.open = open;
    }

    long size() {
      return (long) (keptCount + spilledCount) * BLOCK + openCount;
    }
  }

  private int newBlock() {
    if (blocks == slabs.size() * BLOCKS_PER_SLAB) {
      slabs.add(new long[BLOCKS_PER_SLAB * BLOCK]);
    }
    return blocks++;
  }

  private long[] slab(int block) {
    return slabs.get(block / BLOCKS_PER_SLAB);
  }

  /** Where a block begins in its slab. */
  private static int offset(int block) {
    return block % BLOCKS_PER_SLAB * BLOCK;
  }

  /** Adds the first {@code number} hashes. */
  public void add(long[] hashes, int number) throws IOException {
    if (!distributed && count + number <= FEW) {
      if (count + number > few.length) {
        few = Arrays.copyOf(few, Math.max(2 * few.length, (int) count + number));
      }
      System.arraycopy(hashes, 0, few, (int) count, number);
    } else {
      if (!distributed) {
        distributed = true;
        distribute(few, (int) count);
        few = new long[0];
      }
      distribute(hashes, number);
    }
    count += number;
  }

  private void distribute(long[] hashes, int number) throws IOException {
    for (int i = 0; i < number; i++) {
      int index = (int) (hashes[i] >>> (64 - PART_BITS));
      int waiting = bufferedCount[index];
      buffered[index * BUFFERED + waiting] = hashes[i];
      if (waiting + 1 < BUFFERED) {
        bufferedCount[index] = waiting + 1;
      } else {
        bufferedCount[index] = 0;
        writeBuffered(index);
      }
    }
  }

  /** Writes the full buffer of a part to its block, which holds a whole number of buffers. */
  private void writeBuffered(int index) throws IOException {
    Part part = parts[index];
    if (part == null) {
      part = new Part(newBlock());
      parts[index] = part;
    }
    if (part.openCount > BLOCK - BUFFERED) {
      flush(part);
    }
    int at = offset(part.open) + part.openCount;
    System.arraycopy(buffered, index * BUFFERED, slab(part.open), at, BUFFERED);
    part.openCount += BUFFERED;
  }

  private void flush(Part part) throws IOException {
    long[] slab = slab(part.open);
    int start = offset(part.open);
    // Duplicates matter only in a part that is much larger than the others.
    if (part.size() > 4 * (count / PARTS + BLOCK)) {
      int end = start + part.openCount;
      part.openCount = HashSort.sortDistinct(slab, start, end, PART_BITS, new long[BLOCK]) - start;
      if (part.openCount < BLOCK / 2) {
        return;
      }
    }
    // A stored block must be full. The room that duplicates left is filled with one of the hashes.
    Arrays.fill(slab, start + part.openCount, start + BLOCK, slab[start]);
    part.openCount = 0;
    if (8 * (inMemory + BLOCK) <= memoryLimit) {
      inMemory += BLOCK;
      if (part.keptCount == part.kept.length) {
        part.kept = Arrays.copyOf(part.kept, Math.max(16, 2 * part.keptCount));
      }
      part.kept[part.keptCount++] = part.open;
      part.open = newBlock();
    } else {
      spill(part);
    }
  }

  private void spill(Part part) throws IOException {
    try {
      write(slab(part.open), offset(part.open));
    } catch (ClosedByInterruptException e) {
      throw e; // The build was cancelled; the disk did not fail.
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

  private void write(long[] slab, int start) throws IOException {
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
    buffer.asLongBuffer().put(slab, start, BLOCK);
    while (buffer.hasRemaining()) {
      channel.write(buffer, fileBytes + buffer.position());
    }
  }

  /** How many hashes were added, duplicates included. */
  public long count() {
    return count;
  }

  /** The hashes of a shard, sorted and without duplicates. Reused for the next shard. */
  public final class Shard {
    private final int shardBits;
    private final int commonBits;
    private int shard;
    private long[] hashes = new long[0];
    private long[] scratch = new long[0];
    private int sorted;
    private int count;
    private long raw;

    /** Prepares to read shards of a filter that has {@code 2^shardBits}. */
    public Shard(int shardBits) {
      this.shardBits = shardBits;
      this.commonBits = distributed ? Math.max(shardBits, PART_BITS) : shardBits;
    }

    private void clear(int newShard, long expected) {
      shard = newShard;
      sorted = 0;
      count = 0;
      raw = 0;
      if (hashes.length < expected && hashes.length < MOST_AT_ONCE) {
        hashes = new long[(int) Math.min(expected, MOST_AT_ONCE)];
      }
    }

    /** The hashes; the array may be longer than {@link #count}. */
    long[] hashes() {
      return hashes;
    }

    /** How many there are. */
    public int count() {
      return count;
    }

    /** How many there were, duplicates included. */
    public long raw() {
      return raw;
    }

    /** Reads a shard. Call it when all hashes are added; threads may read different shards. */
    public void read(int newShard) throws IOException {
      if (!distributed) {
        clear(newShard, HashSpill.this.count);
        take(few, 0, (int) HashSpill.this.count);
        endPart();
        return;
      }
      int spread = Math.max(0, PART_BITS - shardBits);
      int among = Math.max(0, shardBits - PART_BITS);
      int first = newShard >>> among << spread;
      long expected = 0;
      for (int index = first; index < first + (1 << spread); index++) {
        Part part = parts[index];
        expected += bufferedCount[index] + (part == null ? 0 : part.size());
      }
      // If a part has several shards, twice the average share.
      clear(newShard, among == 0 ? expected : expected >>> among << 1);
      for (int index = first; index < first + (1 << spread); index++) {
        HashSpill.this.read(parts[index], this);
        take(buffered, index * BUFFERED, bufferedCount[index]);
        endPart();
      }
    }

    private void take(long[] from, int start, int number) {
      if (hashes.length - count < number) {
        sort();
        if (hashes.length - count < Math.max(number, hashes.length / 2)) {
          hashes = Arrays.copyOf(hashes, Math.addExact(number, Math.multiplyExact(2, count)));
        }
      }
      if (shardBits <= PART_BITS && distributed) {
        System.arraycopy(from, start, hashes, count, number);
        count += number;
        raw += number;
        return;
      }
      for (int i = start; i < start + number; i++) {
        hashes[count] = from[i];
        int kept = (int) (from[i] >>> 1 >>> (63 - shardBits)) == shard ? 1 : 0;
        count += kept;
        raw += kept;
      }
    }

    /** Sorts the hashes of the current part. */
    private void sort() {
      if (scratch.length < count - sorted) {
        scratch = new long[count - sorted];
      }
      count = HashSort.sortDistinct(hashes, sorted, count, commonBits, scratch);
    }

    private void endPart() {
      sort();
      sorted = count;
    }
  }

  private void read(@Nullable Part part, Shard result) throws IOException {
    if (part == null) {
      return;
    }
    for (int i = 0; i < part.keptCount; i++) {
      result.take(slab(part.kept[i]), offset(part.kept[i]), BLOCK);
    }
    if (part.spilledCount > 0) {
      readSpilled(part, result);
    }
    result.take(slab(part.open), offset(part.open), part.openCount);
  }

  private void readSpilled(Part part, Shard result) throws IOException {
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
      result.take(block, 0, BLOCK);
    }
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
    }
  }
}
