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
   *
   * For a map, each hash is followed by its value. Then repeated keys are dropped only when a shard
   * is read.
   */
  static final int PART_BITS = 10;

  private static final int PARTS = 1 << PART_BITS;
  private static final int BLOCK = 4096;
  private static final int BLOCKS_PER_SLAB = 256;
  private static final int FEW = 1 << 18;

  /** The hashes of a buffer. All 1024 buffers take 128 KiB. */
  private static final int BUFFERED = 16;

  private final long memoryLimit;
  private final @Nullable Path tempDir;

  /** The words of an entry: a hash, and perhaps its value. */
  private final int stride;

  private final ValueMerge merge;
  private long[] few = new long[1024];
  private final @Nullable Part[] parts = new Part[PARTS];
  private long[] buffered = new long[0];
  private int[] bufferedCount = new int[0];
  private final List<long[]> slabs = new ArrayList<>();
  private int blocks;
  private boolean distributed;
  private long count;
  private long inMemory;
  private @Nullable FileChannel file;
  private long fileBytes;
  private @Nullable ByteBuffer buffer;

  /**
   * Begins without hashes. About {@code memoryLimit} bytes of them stay in memory, the others go to
   * the folder, or to the system's.
   */
  public HashSpill(long memoryLimit, @Nullable Path tempDir) {
    this(memoryLimit, tempDir, 1, (hash, first, second) -> first);
  }

  private HashSpill(long memoryLimit, @Nullable Path tempDir, int stride, ValueMerge merge) {
    this.memoryLimit = memoryLimit;
    this.tempDir = tempDir;
    this.stride = stride;
    this.merge = merge;
  }

  /** Makes one in which a value follows each hash. */
  static HashSpill ofPairs(long memoryLimit, @Nullable Path tempDir, ValueMerge merge) {
    return new HashSpill(memoryLimit, tempDir, 2, merge);
  }

  /** Decides which value a hash has that was given two. */
  interface ValueMerge {
    long merge(long hash, long first, long second);
  }

  /** Receives words of the spill. */
  interface Taker {
    void take(long[] from, int start, int number);
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

  /** Adds the first {@code number} hashes, each followed by its value if there are values. */
  public void add(long[] entries, int number) throws IOException {
    int words = number * stride;
    int used = distributed ? 0 : (int) count * stride;
    if (!distributed && used + words <= FEW) {
      if (used + words > few.length) {
        few = Arrays.copyOf(few, Math.max(2 * few.length, used + words));
      }
      System.arraycopy(entries, 0, few, used, words);
    } else {
      if (!distributed) {
        distributed = true;
        buffered = new long[PARTS * BUFFERED];
        bufferedCount = new int[PARTS];
        distribute(few, used);
        few = new long[0];
      }
      distribute(entries, words);
    }
    count += number;
  }

  private void distribute(long[] entries, int words) throws IOException {
    if (stride == 2) {
      distributePairs(entries, words);
      return;
    }
    for (int i = 0; i < words; i++) {
      int index = (int) (entries[i] >>> (64 - PART_BITS));
      int waiting = bufferedCount[index];
      buffered[index * BUFFERED + waiting] = entries[i];
      if (waiting + 1 < BUFFERED) {
        bufferedCount[index] = waiting + 1;
      } else {
        bufferedCount[index] = 0;
        writeBuffered(index);
      }
    }
  }

  private void distributePairs(long[] entries, int words) throws IOException {
    for (int i = 0; i < words; i += 2) {
      int index = (int) (entries[i] >>> (64 - PART_BITS));
      int at = index * BUFFERED + bufferedCount[index];
      buffered[at] = entries[i];
      buffered[at + 1] = entries[i + 1];
      bufferedCount[index] += 2;
      if (bufferedCount[index] == BUFFERED) {
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
    if (stride == 1 && part.size() > 4 * (count / PARTS + BLOCK)) {
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
    ByteBuffer bytes = buffer;
    if (bytes == null) {
      bytes = ByteBuffer.allocateDirect(BLOCK * 8).order(ByteOrder.LITTLE_ENDIAN);
      buffer = bytes;
    }
    bytes.clear();
    bytes.asLongBuffer().put(slab, start, BLOCK);
    while (bytes.hasRemaining()) {
      channel.write(bytes, fileBytes + bytes.position());
    }
  }

  /** How many hashes were added, duplicates included. */
  public long count() {
    return count;
  }

  /** Passes the words of the parts that a shard of {@code 2^shardBits} is in, part by part. */
  void scan(int shard, int shardBits, Taker taker, Runnable endOfPart) throws IOException {
    if (!distributed) {
      taker.take(few, 0, (int) count * stride);
      endOfPart.run();
      return;
    }
    int first = firstPart(shard, shardBits);
    for (int index = first; index < first + parts(shardBits); index++) {
      read(parts[index], taker);
      taker.take(buffered, index * BUFFERED, bufferedCount[index]);
      endOfPart.run();
    }
  }

  private static int parts(int shardBits) {
    return 1 << Math.max(0, PART_BITS - shardBits);
  }

  private static int firstPart(int shard, int shardBits) {
    return shardBits > PART_BITS
        ? shard >>> (shardBits - PART_BITS)
        : shard << (PART_BITS - shardBits);
  }

  /** Returns how many hashes the parts of a shard have. */
  long inParts(int shard, int shardBits) {
    if (!distributed) {
      return count;
    }
    int first = firstPart(shard, shardBits);
    long words = 0;
    for (int index = first; index < first + parts(shardBits); index++) {
      Part part = parts[index];
      words += bufferedCount[index] + (part == null ? 0 : part.size());
    }
    return words / stride;
  }

  /** Whether the hashes were distributed to parts, so that those of a scan agree in ten bits. */
  boolean distributed() {
    return distributed;
  }

  /** Whether a value follows each hash. */
  boolean hasValues() {
    return stride == 2;
  }

  /** Decides between two values of a hash. */
  long merge(long hash, long first, long second) {
    return merge.merge(hash, first, second);
  }

  /** Returns whether a hash belongs to a shard of {@code 2^shardBits}. */
  static boolean isIn(long hash, int shard, int shardBits) {
    return (int) (hash >>> 1 >>> (63 - shardBits)) == shard;
  }

  private void read(@Nullable Part part, Taker result) throws IOException {
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

  private void readSpilled(Part part, Taker result) throws IOException {
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
