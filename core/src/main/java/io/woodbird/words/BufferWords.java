package io.woodbird.words;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import org.jspecify.annotations.Nullable;

/** 64-bit words in byte buffers: a mapped file, or memory of the caller. */
public final class BufferWords implements WordSource {
  /*
   * One buffer holds less than 2^31 bytes, so a large file is an array of segments. All segments
   * but the last have the same size, a power of two. Words are little-endian and aligned, so no
   * word crosses a segment. Most files have one segment, which needs no lookup. Single words are
   * read through views of longs, which have less to check than a read of eight bytes.
   */
  private final ByteBuffer[] segments;
  private final LongBuffer[] views;
  private final @Nullable LongBuffer onlyView;
  private final int segmentShift;
  private final long segmentMask;
  private final long firstByte;
  private final long firstWord;

  /**
   * Joins segments.
   *
   * @param segments all but the last of 2^segmentShift bytes, counted from index 0 of each
   * @param segmentShift at most 30
   * @param firstByte where word 0 begins, a multiple of eight
   */
  public BufferWords(ByteBuffer[] segments, int segmentShift, long firstByte) {
    this.segments = new ByteBuffer[segments.length];
    this.views = new LongBuffer[segments.length];
    for (int i = 0; i < segments.length; i++) {
      this.segments[i] = segments[i].duplicate().clear();
      this.views[i] = this.segments[i].order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
    }
    this.onlyView = segments.length == 1 ? views[0] : null;
    this.segmentShift = segmentShift;
    this.segmentMask = (1L << segmentShift) - 1;
    this.firstByte = firstByte;
    this.firstWord = firstByte >>> 3;
  }

  @Override
  public long get(long word) {
    long at = firstWord + word;
    if (onlyView != null) {
      return onlyView.get((int) at);
    }
    return views[(int) (at >>> (segmentShift - 3))].get((int) (at & segmentMask >>> 3));
  }

  /** Copies one word into {@code target[0]}; the JVM guards it as in {@link #copy}. */
  public void copyWord(long word, long[] target) {
    long at = firstWord + word;
    LongBuffer view = onlyView != null ? onlyView : views[(int) (at >>> (segmentShift - 3))];
    view.get((int) (at & segmentMask >>> 3), target, 0, 1);
  }

  /** Returns the same words, with word 0 moved forward by {@code bytes}, a multiple of eight. */
  public BufferWords from(long bytes) {
    return new BufferWords(segments, segmentShift, firstByte + bytes);
  }

  /**
   * Copies bytes. {@code from} is relative to word 0 and may be negative. If a mapped file was
   * truncated, the target keeps its bytes, and the JVM throws an InternalError now or soon after.
   * It guards bulk copies but not single reads, which then return arbitrary bits.
   */
  public void copy(long from, byte[] target, int length) {
    int done = 0;
    while (done < length) {
      long at = firstByte + from + done;
      int inSegment = (int) (at & segmentMask);
      int count = (int) Math.min(length - done, segmentMask + 1 - inSegment);
      segments[(int) (at >>> segmentShift)].get(inSegment, target, done, count);
      done += count;
    }
  }
}
