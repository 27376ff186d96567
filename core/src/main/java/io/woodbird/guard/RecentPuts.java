package io.woodbird.guard;

import io.woodbird.MutableFilter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The hashes put lately, oldest first. Not thread-safe: belongs to the lock of its filter. */
final class RecentPuts {
  /*
   * Chunks of 4096 hashes, 8 bytes a put. A chunk is forgotten as a whole, when its last put is old
   * enough. A snapshot shares the arrays: what it covers is written no more.
   */
  static final int CHUNK = 4096;

  private static final class Chunk {
    final long[] hashes = new long[CHUNK];
    int count;
    long lastNanos;
  }

  private final ArrayDeque<Chunk> chunks = new ArrayDeque<>();

  void add(long hash, long nanos) {
    Chunk last = chunks.peekLast();
    if (last == null || last.count == CHUNK) {
      last = new Chunk();
      chunks.addLast(last);
    }
    last.hashes[last.count] = hash;
    last.count++;
    last.lastNanos = nanos;
  }

  /** Forgets the chunks whose puts all came before a moment. */
  void forgetBefore(long nanos) {
    Chunk first = chunks.peekFirst();
    while (first != null && first.lastNanos - nanos < 0) {
      chunks.removeFirst();
      first = chunks.peekFirst();
    }
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

  List<Part> snapshot() {
    List<Part> parts = new ArrayList<>(chunks.size());
    for (Chunk chunk : chunks) {
      parts.add(new Part(chunk.hashes, chunk.count));
    }
    return parts;
  }
}
