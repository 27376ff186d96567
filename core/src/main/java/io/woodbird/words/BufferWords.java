package io.woodbird.words;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import org.jspecify.annotations.Nullable;

/** 64-bit words in byte buffers: a mapped file, a slice of somebody's memory. */
public final class BufferWords implements WordSource {
  /*
   * One buffer holds less than 2^31 bytes, so a large file is a row of segments of equal, power of
   * two size. Words are little-endian and aligned, so none straddles two segments. Where there is but
   * one segment, as in most files, it needs not be looked up. Single words are read through views of
   * longs, which have less to check than a read of eight bytes.
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

  /** Copies one word into the first of an array, guarded as {@link #copy}. */
  public void copyWord(long word, long[] target) {
    long at = firstWord + word;
    LongBuffer view = onlyView != null ? onlyView : views[(int) (at >>> (segmentShift - 3))];
    view.get((int) (at & segmentMask >>> 3), target, 0, 1);
  }

  /** Returns the same words, counted from a later byte on, a multiple of eight. */
  public BufferWords from(long bytes) {
    return new BufferWords(segments, segmentShift, firstByte + bytes);
  }

  /**
   * Copies bytes, counted from word 0 and possibly before it. Where memory is gone (a mapped file
   * was cut short) the target keeps what it held, and an InternalError follows, now or soon after:
   * the JVM guards bulk copies, but not single reads, whose result is then arbitrary.
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
