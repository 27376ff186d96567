package io.woodbird.filter.quotient;

import io.woodbird.layout.Quotient;
import io.woodbird.words.WordSource;

/** The pairs of a quotient filter on the heap: a multiset, little larger than its payloads. */
final class QuotientTable extends QuotientReader {
  private final long[] bits; // per block of 64 slots: occupied, then run ends
  private final byte[] offsets;
  private final long[] payloads;
  private long count;

  /** The slot behind the appended pairs; -1 if a pair was added or removed by another method. */
  private int tail;

  /** The quotient and the first slot of the last appended run. */
  private int tailQuotient;

  private int tailStart;

  /**
   * Whether a put or a removal has begun and has not ended. If an Error broke it off, as a
   * StackOverflowError may between any two calls, it stays so: other pairs would be missed.
   */
  private boolean changing;

  QuotientTable(int quotients, int slots, int width) {
    super(quotients, slots, width);
    this.bits = new long[2 * blocks()];
    this.offsets = new byte[blocks()];
    this.payloads = new long[payloadWords(slots, width)];
  }

  /** One word more than needed, so that a payload can be read as two words. */
  static int payloadWords(int slots, int width) {
    return Math.toIntExact((long) slots * width / 64 + 1);
  }

  /** Returns the words of a table in a file: bits, offsets (eight per word), payloads, count. */
  static int storedWords(int slots, int width) {
    return Quotient.words(slots, width);
  }

  /** Returns a word of the table as it is stored in a file. */
  long storedWord(int index) {
    int offsetsAt = 2 * blocks();
    int payloadsAt = offsetsAt + (blocks() + 7) / 8;
    if (index < offsetsAt) {
      return bits[index];
    }
    if (index < payloadsAt) {
      long word = 0;
      int first = 8 * (index - offsetsAt);
      for (int block = first; block < Math.min(first + 8, blocks()); block++) {
        word |= (long) storedOffset(block) << (8 * (block - first));
      }
      return word;
    }
    return index < payloadsAt + payloads.length ? payloads[index - payloadsAt] : count;
  }

  /** Makes a table from stored words. */
  static QuotientTable load(int quotients, int slots, int width, WordSource words, long at) {
    QuotientTable table = new QuotientTable(quotients, slots, width);
    for (int i = 0; i < table.bits.length; i++) {
      table.bits[i] = words.get(at + i);
    }
    StoredQuotientShard stored = new StoredQuotientShard(quotients, slots, width, words, at);
    for (int block = 0; block < table.offsets.length; block++) {
      table.offsets[block] = (byte) stored.storedOffset(block);
    }
    for (int i = 0; i < table.payloads.length; i++) {
      table.payloads[i] = stored.payloadWord(i);
    }
    table.count = stored.count();
    table.tail = -1;
    return table;
  }

  QuotientTable copy() {
    requireSound();
    QuotientTable copy = new QuotientTable(quotients(), slots(), width());
    System.arraycopy(bits, 0, copy.bits, 0, bits.length);
    System.arraycopy(offsets, 0, copy.offsets, 0, offsets.length);
    System.arraycopy(payloads, 0, copy.payloads, 0, payloads.length);
    copy.count = count;
    copy.tail = -1;
    return copy;
  }

  @Override
  long occupiedBits(int block) {
    return bits[2 * block];
  }

  @Override
  long runEnds(int block) {
    return bits[2 * block + 1];
  }

  @Override
  int storedOffset(int block) {
    return offsets[block] & 0xff;
  }

  @Override
  long payloadWord(int word) {
    return payloads[word];
  }

  long count() {
    return count;
  }

  /** Loads what a question about a quotient reads first. */
  long touch(int quotient) {
    return bits[2 * (quotient >>> 6)] | payloads[(int) (((long) quotient * width()) >>> 6)];
  }

  /**
   * Adds a pair, also if it is in already; returns false if there is no room, and nothing has
   * changed.
   */
  boolean add(int quotient, long payload) {
    return put(quotient, payload) >= 0;
  }

  /**
   * Whether a change was broken off, or goes on. Ask before an optimistic read is validated, or
   * under the lock.
   */
  boolean isChanging() {
    return changing;
  }

  /** Throws if a change was broken off. Call it under the lock. */
  void requireSound() {
    if (changing) {
      throw new IllegalStateException(
          "an Error, such as a StackOverflowError, broke off a change of the filter, which may miss"
              + " keys since; build it again");
    }
  }

  /** What follows must come to its end, or nothing more is read: {@link #endChange}. */
  void beginChange() {
    changing = true;
  }

  void endChange() {
    changing = false;
  }

  /**
   * Adds a pair; returns 1 if it was not in, 0 if it was, -1 if there is no room and nothing has
   * changed.
   */
  int put(int quotient, long payload) {
    requireSound();
    tail = -1;
    int last = lastUpTo(quotient);
    if (last < quotient) { // The slot of the quotient is free.
      changing = true;
      setPayload(quotient, payload);
      setOccupied(quotient, true);
      setRunEnd(quotient, true);
      count++;
      changing = false;
      return 1;
    }
    int free = firstFree(last + 1);
    if (free >= slots()) {
      return -1;
    }
    boolean first = !occupied(quotient);
    int before = first ? last : lastNotAbove(quotient, last, payload);
    int fresh = !first && isAt(before, quotient, last, payload) ? 0 : 1;
    changing = true;
    insert(before + 1, free, payload);
    if (first) {
      setOccupied(quotient, true);
    } else {
      setRunEnd(last, false);
    }
    setRunEnd(last + 1, true);
    moveOffsets(quotient, free, 1);
    count++;
    changing = false;
    return fresh;
  }

  /** Removes a pair once; returns false if it is not in. */
  boolean remove(int quotient, long payload) {
    requireSound();
    tail = -1;
    int slot = find(quotient, payload);
    if (slot < 0) {
      return false;
    }
    int last = lastUpTo(quotient);
    boolean first = slot == quotient || runEnd(slot - 1);
    int end = last + 1; // The first slot that is not shifted.
    int taken = takenUpTo(end - 1);
    while (taken >= end) {
      end = taken + 1;
      taken = takenUpTo(end - 1);
    }
    changing = true;
    if (slot == last) {
      if (first) {
        setOccupied(quotient, false);
      } else {
        setRunEnd(slot - 1, true);
      }
    }
    delete(slot, end);
    moveOffsets(quotient, end - 1, -1);
    count--;
    changing = false;
    return true;
  }

  /** Changes the offsets of the blocks after a quotient's, up to that of the last shifted slot. */
  private void moveOffsets(int quotient, int lastSlot, int by) {
    int first = (quotient >>> 6) + 1;
    for (int block = first; block <= lastSlot >>> 6; block++) {
      int old = offsets[block] & 0xff;
      if (old < FULL_OFFSET) {
        offsets[block] = (byte) (old + by);
      } else if (by < 0) {
        block = lowerFullOffsets(block, lastSlot >>> 6);
      }
    }
  }

  /**
   * Counts the offsets of the blocks from {@code first} on whose stored offset is 255, as they may
   * be lower now; returns the last of them, at most {@code most}.
   */
  private int lowerFullOffsets(int first, int most) {
    // All in one pass: if one key was put very often, there may be thousands.
    int behind = (first << 6) + countOffset(first);
    int block = first;
    while (true) {
      offsets[block] = (byte) Math.min(FULL_OFFSET, Math.max(0, behind - (block << 6)));
      if (block == most || (offsets[block + 1] & 0xff) < FULL_OFFSET) {
        return block;
      }
      behind = behindRuns(block++, behind);
    }
  }

  /**
   * Adds a pair whose quotient is not below any other, to a table that was filled by this method
   * alone. This is fast, as little must be moved. Returns false if there is no room or a condition
   * is violated; nothing has changed then.
   */
  boolean append(int quotient, long payload) {
    int slot = Math.max(tail, quotient);
    if (tail < 0 || quotient < tailQuotient || slot >= slots()) {
      return false;
    }
    int place = slot;
    if (quotient > tailQuotient || count == 0) {
      tailStart = slot;
      setOccupied(quotient, true);
    } else {
      setRunEnd(slot - 1, false);
      while (place > tailStart && payload(place - 1) > payload) {
        place--;
      }
      shiftPayloadsUp((long) place * width(), (long) slot * width());
    }
    setPayload(place, payload);
    setRunEnd(slot, true);
    // Offsets of earlier blocks are 255 already.
    int first = Math.max((quotient >>> 6) + 1, (slot >>> 6) - FULL_OFFSET / 64 - 1);
    for (int block = first; block <= slot >>> 6; block++) {
      offsets[block] = (byte) Math.min(FULL_OFFSET, slot + 1 - (block << 6));
    }
    tail = slot + 1;
    tailQuotient = quotient;
    count++;
    return true;
  }

  private void setOccupied(int quotient, boolean value) {
    set(2 * (quotient >>> 6), quotient, value);
  }

  private void setRunEnd(int slot, boolean value) {
    set(2 * (slot >>> 6) + 1, slot, value);
  }

  private void set(int word, int bit, boolean value) {
    bits[word] = value ? bits[word] | 1L << bit : bits[word] & ~(1L << bit);
  }

  private void setPayload(int slot, long payload) {
    long bit = (long) slot * width();
    int word = (int) (bit >>> 6);
    int shift = (int) bit & 63;
    payloads[word] = (payloads[word] & ~(widthMask() << shift)) | payload << shift;
    if (shift + width() > 64) {
      int high = 64 - shift;
      payloads[word + 1] = (payloads[word + 1] & ~(widthMask() >>> high)) | payload >>> high;
    }
  }

  /** Shifts the slots from {@code slot} to {@code free - 1} to the right and fills the gap. */
  private void insert(int slot, int free, long payload) {
    shiftRunEndsUp(slot, free);
    shiftPayloadsUp((long) slot * width(), (long) free * width());
    setRunEnd(slot, false);
    setPayload(slot, payload);
  }

  /** Overwrites a slot by shifting those behind it, up to {@code end - 1}, to the left. */
  private void delete(int slot, int end) {
    shiftRunEndsDown(slot, end - 1);
    shiftPayloadsDown((long) slot * width(), (long) (end - 1) * width());
    setRunEnd(end - 1, false);
    setPayload(end - 1, 0);
  }

  /** Run ends slot .. free-1 go to slot+1 .. free. */
  private void shiftRunEndsUp(int slot, int free) {
    int first = (slot + 1) >>> 6;
    for (int block = free >>> 6; block >= first; block--) {
      long below = block == 0 ? 0 : bits[2 * block - 1] >>> 63;
      long shifted = bits[2 * block + 1] << 1 | below;
      long mask = between(block, slot + 1, free + 1L);
      bits[2 * block + 1] = (bits[2 * block + 1] & ~mask) | (shifted & mask);
    }
  }

  /** Run ends slot+1 .. last go to slot .. last-1. */
  private void shiftRunEndsDown(int slot, int last) {
    for (int block = slot >>> 6; block <= (last - 1) >>> 6 && slot < last; block++) {
      long above = 2 * block + 3 < bits.length ? bits[2 * block + 3] << 63 : 0;
      long shifted = bits[2 * block + 1] >>> 1 | above;
      long mask = between(block, slot, last);
      bits[2 * block + 1] = (bits[2 * block + 1] & ~mask) | (shifted & mask);
    }
  }

  /** Payload bits from .. to-1 go up by one payload. */
  private void shiftPayloadsUp(long from, long to) {
    int first = (int) ((from + width()) >>> 6);
    for (int word = (int) ((to + width() - 1) >>> 6); word >= first; word--) {
      long below = word == 0 ? 0 : payloads[word - 1] >>> (64 - width());
      long shifted = payloads[word] << width() | below;
      long mask = between(word, from + width(), to + width());
      payloads[word] = (payloads[word] & ~mask) | (shifted & mask);
    }
  }

  /** Payload bits from+width() .. to+width()-1 go down by one payload. */
  private void shiftPayloadsDown(long from, long to) {
    for (int word = (int) (from >>> 6); word <= (int) ((to - 1) >>> 6) && from < to; word++) {
      long above = payloads[word + 1] << (64 - width());
      long shifted = payloads[word] >>> width() | above;
      long mask = between(word, from, to);
      payloads[word] = (payloads[word] & ~mask) | (shifted & mask);
    }
  }

  /** Returns a mask of the bits of a word from {@code from} to {@code to - 1}, of all words. */
  private static long between(int word, long from, long to) {
    long start = (long) word << 6;
    long low = from <= start ? -1L : -1L << from;
    return to >= start + 64 ? low : low & ~(-1L << to);
  }
}
