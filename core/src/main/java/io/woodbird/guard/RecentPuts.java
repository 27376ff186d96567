package io.woodbird.guard;

import io.woodbird.MutableFilter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The hashes of the latest puts, oldest first. Not thread-safe: belongs to the lock of its filter.
 */
final class RecentPuts {
  /*
   * At most 1024 chunks of equal length, 8 bytes a put. A chunk is forgotten as a whole, when its
   * last put is old enough: so a thousandth of the room is kept too long at most. A snapshot shares
   * the arrays: what it covers is written no more.
   *
   * The room is bounded. If more is put in a short time, the oldest hashes are left out, and the time
   * of the youngest of these is remembered. A build that needs them waits until their rows are
   * visible.
   */
  static final int CHUNKS = 1024;

  /** The most hashes that are kept: 32 MiB. */
  static final int MOST = 1 << 22;

  private static final class Chunk {
    final long[] hashes;
    int count;
    long lastNanos;

    Chunk(int length) {
      hashes = new long[length];
    }
  }

  private final ArrayDeque<Chunk> chunks = new ArrayDeque<>();
  private final int chunkLength;
  private boolean anyLeftOut;
  private long leftOutNanos;

  /** Makes an empty list with room for {@code most} hashes, a multiple of {@link #CHUNKS}. */
  RecentPuts(int most) {
    chunkLength = most / CHUNKS;
  }

  /** Adds hashes whose put was complete at a moment that is not before any earlier one. */
  void add(long[] hashes, int count, long nanos) {
    int from = 0;
    while (from < count) {
      Chunk last = chunks.peekLast();
      if (last == null || last.count == chunkLength) {
        makeRoom();
        last = new Chunk(chunkLength);
        chunks.addLast(last);
      }
      int length = Math.min(count - from, chunkLength - last.count);
      System.arraycopy(hashes, from, last.hashes, last.count, length);
      last.count += length;
      last.lastNanos = nanos;
      from += length;
    }
  }

  private void makeRoom() {
    if (chunks.size() == CHUNKS) {
      leftOutNanos = chunks.removeFirst().lastNanos;
      anyLeftOut = true;
    }
  }

  /** Forgets the chunks whose puts all came before a moment. */
  void forgetBefore(long nanos) {
    Chunk first = chunks.peekFirst();
    while (first != null && first.lastNanos - nanos < 0) {
      chunks.removeFirst();
      first = chunks.peekFirst();
    }
    anyLeftOut &= leftOutNanos - nanos >= 0;
  }

  void clear() {
    chunks.clear();
  }

  long count() {
    return chunks.stream().mapToLong(chunk -> chunk.count).sum();
  }

  /** Some hashes in an array. */
  static final class Part {
    private final long[] hashes;
    private final int count;

    private Part(long[] hashes, int count) {
      this.hashes = hashes;
      this.count = count;
    }

    /** Puts them; returns how many the filter did not have. */
    int putInto(MutableFilter<?> filter) {
      return filter.putHashes(hashes, count);
    }
  }

  /**
   * The hashes of one moment.
   *
   * @param complete whether none was left out that was not yet to be forgotten
   * @param leftOutNanos if it is not complete, when the youngest of those that are missing was put
   */
  record Snapshot(List<Part> parts, boolean complete, long leftOutNanos) {
    long putInto(MutableFilter<?> filter) {
      long fresh = 0;
      for (Part part : parts) {
        fresh += part.putInto(filter);
      }
      return fresh;
    }
  }

  Snapshot snapshot() {
    List<Part> parts = new ArrayList<>(chunks.size());
    for (Chunk chunk : chunks) {
      parts.add(new Part(chunk.hashes, chunk.count));
    }
    return new Snapshot(parts, !anyLeftOut, leftOutNanos);
  }
}
