package io.woodbird.filter;

/** The pairs of a quotient filter, wherever they are stored: finds them, changes nothing. */
abstract class QuotientReader {
  /*
   * A pair wants to lie in the slot of its quotient. Pairs of one quotient form a run, sorted by
   * payload; runs lie in the order of their quotients, each as far left as it can: at its own slot or
   * behind the run before it. So the slots need not name their quotients. Two bits per slot suffice:
   *
   *   slot       0    1    2    3    4    5    6    7
   *   occupied   0    1    0    1    1    0    0    0      some pair has this quotient
   *   run end    0    0    1    1    0    1    0    0      a run ends here
   *   payload    -   1:a  1:b  3:c  4:d  4:e   -    -
   *
   * The n-th occupied bit belongs to the n-th run end. To find the n-th without counting from the
   * beginning, every block of 64 slots has an offset: how many of its first slots are taken by runs of
   * earlier blocks. A byte per block; 255 stands for "at least 255, count", which only happens when
   * the table is nearly full.
   *
   * Putting shifts the slots up to the next free one to the right, removing shifts them back. What
   * lies where depends on the pairs alone, not on the order in which they came.
   *
   * Pandey, Bender, Johnson, Patro: A General-Purpose Counting Filter: Making Every Bit Count (2017).
   *
   * Behind the last quotient there is room for the last runs to spill over.
   */
  static final int FULL_OFFSET = 255;

  private static final int SHORT_RUN = 16;
  private static final long BYTES = 0x0101010101010101L;
  private static final long MARKS = 0x8080808080808080L;

  /** For each byte, the places of its set bits. */
  private static final byte[] IN_BYTE = placesInByte();

  private final int quotients;
  private final int slots;
  private final int width;
  private final long widthMask;

  /** How many payloads fit a word, and a word with the lowest bit of each set. */
  private final int wordPayloads;

  private final long wordOnes;

  /**
   * Sets the dimensions.
   *
   * @param quotients how many there are
   * @param slots a multiple of 64
   * @param width bits of a payload, 1 to 57
   */
  QuotientReader(int quotients, int slots, int width) {
    this.quotients = quotients;
    this.slots = slots;
    this.width = width;
    this.widthMask = -1L >>> (64 - width);
    this.wordPayloads = 64 / width;
    long ones = 0;
    for (int i = 0; i < wordPayloads; i++) {
      ones |= 1L << (i * width);
    }
    this.wordOnes = ones;
  }

  /** The occupied bits of a block. */
  abstract long occupiedBits(int block);

  /** The run ends of a block. */
  abstract long runEnds(int block);

  /** The offset of a block as it is stored. */
  abstract int storedOffset(int block);

  /** A word of payloads. */
  abstract long payloadWord(int word);

  final int quotients() {
    return quotients;
  }

  final int slots() {
    return slots;
  }

  final int blocks() {
    return slots >>> 6;
  }

  final int width() {
    return width;
  }

  final long widthMask() {
    return widthMask;
  }

  /** Whether a pair is in. */
  final boolean contains(int quotient, long payload) {
    /*
     * As find, but for the usual case without branches, which nobody could predict: the run ends in
     * the block where the runs of the quotient's block begin or in the next, and the payloads of the
     * run fit a word. Then all of them are compared at once.
     */
    int block = quotient >>> 6;
    long occupied = occupiedBits(block);
    int runs = Long.bitCount(occupied << (63 - quotient));
    int offset = storedOffset(block);
    int from = (block << 6) + offset;
    int endBlock = from >>> 6;
    if (endBlock + 1 >= blocks()) {
      return find(quotient, payload) >= 0;
    }
    long here = runEnds(endBlock) & (-1L << from);
    int count = Long.bitCount(here);
    int next = (count - runs) >> 31; // -1 if the run ends in the next block, else 0
    long ends = here ^ ((here ^ runEnds(endBlock + 1)) & next);
    int n = runs - (count & next);
    if (n < 1 || n > Long.bitCount(ends) || offset == FULL_OFFSET) {
      return find(quotient, payload) >= 0;
    }
    int last = ((endBlock - next) << 6) + selectInWord(ends, n);
    int length = Math.min(Long.numberOfLeadingZeros(runEndsBefore(last)), last - quotient) + 1;
    if (length > wordPayloads) {
      return find(quotient, payload) >= 0;
    }
    // The payloads up to the last; where they equal the one asked for there are zeros.
    long differences = payloadsUpTo(last) ^ payload * wordOnes;
    differences |= ~(-1L << ((wordPayloads - length) * width)); // Those before the run never are.
    long zeros = (differences - wordOnes) & ~differences & wordOnes << (width - 1);
    return (occupied >>> quotient & (zeros | -zeros) >>> 63) != 0;
  }

  /** The run ends of the 64 slots before one; the nearest is the highest bit. */
  private long runEndsBefore(int slot) {
    int block = slot >>> 6;
    long earlier = block == 0 ? 0 : runEnds(block - 1) >>> slot;
    return runEnds(block) << 1 << (63 - (slot & 63)) | earlier; // In two steps: by 64 is by none.
  }

  /** As many payloads as fit a word, the last of them highest. */
  private long payloadsUpTo(int slot) {
    long lastBit = (slot + 1L) * width - 1;
    int word = (int) (lastBit >>> 6);
    int shift = 63 - ((int) lastBit & 63);
    long earlier = word == 0 ? 0 : payloadWord(word - 1) >>> 1 >>> (63 - shift);
    return (payloadWord(word) << shift | earlier) >>> (64 - wordPayloads * width);
  }

  /** The last slot of a pair, or -1. */
  final int find(int quotient, long payload) {
    if (!occupied(quotient)) {
      return -1;
    }
    int last = lastUpTo(quotient);
    int slot = lastNotAbove(quotient, last, payload);
    return slot >= quotient && isInRun(slot, last) && payload(slot) == payload ? slot : -1;
  }

  /** Whether a slot belongs to the run that ends at another: no other run ends in between. */
  private boolean isInRun(int slot, int last) {
    return slot == last || !runEnd(slot);
  }

  /**
   * Of the run that ends at a slot, the last slot whose payload is not above this one; the slot
   * before the run if there is none.
   */
  final int lastNotAbove(int quotient, int last, long payload) {
    int slot = last;
    for (int i = 0; i < SHORT_RUN; i++) {
      if (payload(slot) <= payload) {
        return slot;
      }
      slot--;
      if (slot < quotient || runEnd(slot)) {
        return slot;
      }
    }
    return searchLongRun(quotient, slot, payload);
  }

  /** The same for what is left of a long run, which is where the same key was put many times. */
  private int searchLongRun(int quotient, int last, long payload) {
    int low = Math.max(quotient, quotient == 0 ? 0 : lastUpTo(quotient - 1) + 1) - 1;
    int high = last;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (payload(middle) <= payload) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** The last slot that the runs of all quotients up to this one take; before it if they end so. */
  final int lastUpTo(int quotient) {
    int block = quotient >>> 6;
    int runs = Long.bitCount(occupiedBits(block) << (63 - (quotient & 63)));
    int from = (block << 6) + offset(block);
    return runs == 0 ? from - 1 : select(from, runs);
  }

  /** The slot of the n-th run end from a slot on; n is 1 for the first. */
  private int select(int from, int n) {
    int block = from >>> 6;
    long word = runEnds(block) & (-1L << from);
    int left = n;
    int here = Long.bitCount(word);
    while (here < left) {
      left -= here;
      word = runEnds(++block);
      here = Long.bitCount(word);
    }
    return (block << 6) + selectInWord(word, left);
  }

  /** The place of the n-th set bit; n is 1 for the first. */
  private static int selectInWord(long word, int n) {
    // Counts the bits of each byte and of all bytes below it, at once.
    long counts = word - (word >>> 1 & 0x5555555555555555L);
    counts = (counts & 0x3333333333333333L) + (counts >>> 2 & 0x3333333333333333L);
    counts = (counts + (counts >>> 4) & 0x0f0f0f0f0f0f0f0fL) * BYTES;
    // A byte whose count reaches n loses its mark; those with a mark lie below the bit.
    long below = (((n - 1) * BYTES | MARKS) - counts) & MARKS;
    int place = Long.bitCount(below) << 3;
    int left = n - (int) (counts << 8 >>> place & 0xff);
    return place + IN_BYTE[(int) (word >>> place & 0xff) << 3 | (left - 1)];
  }

  private static byte[] placesInByte() {
    byte[] places = new byte[256 * 8];
    for (int value = 0; value < 256; value++) {
      int n = 0;
      for (int bit = 0; bit < 8; bit++) {
        if ((value >>> bit & 1) != 0) {
          places[value << 3 | n++] = (byte) bit;
        }
      }
    }
    return places;
  }

  /** How many of the first slots of a block are taken by runs of earlier blocks. */
  private int offset(int block) {
    int offset = storedOffset(block);
    return offset < FULL_OFFSET ? offset : countOffset(block);
  }

  final int countOffset(int block) {
    int start = block;
    while (storedOffset(start) == FULL_OFFSET) {
      start--; // Block 0 has offset 0.
    }
    int last = lastUpTo((start << 6) + 63);
    for (int next = start + 1; next < block; next++) {
      int runs = Long.bitCount(occupiedBits(next));
      int from = Math.max(last + 1, next << 6);
      last = runs == 0 ? Math.max(last, (next << 6) - 1) : select(from, runs);
    }
    return Math.max(0, last + 1 - (block << 6));
  }

  /** The first free slot from one on. */
  final int firstFree(int from) {
    int slot = from;
    while (slot < slots) {
      int last = lastUpTo(slot);
      if (last < slot) {
        return slot;
      }
      slot = last + 1;
    }
    return slot;
  }

  private int nextOccupied(int from) {
    int block = from >>> 6;
    if (from >= slots) {
      return slots;
    }
    long word = occupiedBits(block) & (-1L << from);
    while (word == 0) {
      if (++block == blocks()) {
        return slots;
      }
      word = occupiedBits(block);
    }
    return (block << 6) + Long.numberOfTrailingZeros(word);
  }

  /**
   * Whether so many pairs lie here as they should, and no search can run astray: for words that
   * somebody else wrote.
   */
  final boolean isSound(long count) {
    long pairs = 0;
    int strayEnds = 0;
    int behind = 0; // all runs so far
    for (int block = 0; block < blocks(); block++) {
      if (storedOffset(block) != Math.min(FULL_OFFSET, Math.max(0, behind - (block << 6)))) {
        return false;
      }
      strayEnds += Long.bitCount(runEnds(block)) - Long.bitCount(occupiedBits(block));
      for (long left = occupiedBits(block); left != 0; left &= left - 1) {
        int quotient = (block << 6) + Long.numberOfTrailingZeros(left);
        int first = Math.max(behind, quotient);
        behind = behindRun(first);
        pairs += behind - first;
        if (quotient >= quotients || behind > slots) {
          return false;
        }
      }
    }
    return strayEnds == 0 && pairs == count;
  }

  /** The slot behind the run that begins at one; beyond the last if it lacks an end or order. */
  private int behindRun(int first) {
    int slot = first;
    while (slot < slots && !runEnd(slot)) {
      if (slot + 1 < slots && payload(slot) > payload(slot + 1)) {
        return slots + 1;
      }
      slot++;
    }
    return slot + 1;
  }

  /** Takes each pair, in the order of quotients and payloads. */
  final void forEach(PairConsumer consumer) {
    int slot = 0;
    for (int quotient = nextOccupied(0);
        quotient < quotients;
        quotient = nextOccupied(quotient + 1)) {
      slot = Math.max(slot, quotient);
      boolean end;
      do {
        end = runEnd(slot);
        consumer.accept(quotient, payload(slot++));
      } while (!end);
    }
  }

  /** Takes a pair. */
  interface PairConsumer {
    void accept(int quotient, long payload);
  }

  final boolean occupied(int quotient) {
    return (occupiedBits(quotient >>> 6) >>> quotient & 1) != 0;
  }

  final boolean runEnd(int slot) {
    return (runEnds(slot >>> 6) >>> slot & 1) != 0;
  }

  final long payload(int slot) {
    long bit = (long) slot * width;
    int word = (int) (bit >>> 6);
    int shift = (int) bit & 63;
    return (payloadWord(word) >>> shift | payloadWord(word + 1) << 1 << (63 - shift)) & widthMask;
  }
}
