package io.woodbird.words;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Up to 2^31 64-bit words on the heap, in lines of eight that match cache lines. */
public final class HeapWords implements WordSource {
  /*
   * The data of a Java array starts 16 bytes after the object. A large array (half a G1 region, or
   * a large ZGC object) starts on a page, so word 0 is put at index 6: 16 + 6 * 8 = 64. Otherwise
   * each line would cross two cache lines, 2.5 times slower out of cache (AlignmentBench). A small
   * array may start anywhere, but it fits into the cache.
   */
  private static final int ORIGIN = 6;
  private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] array;

  /** Makes {@code count} words that are zero, at most 2^31 - 16. */
  public HeapWords(long count) {
    array = new long[Math.toIntExact(count + 8)];
  }

  /** Makes a copy of the words of an array. */
  public static HeapWords of(long[] words) {
    HeapWords copy = new HeapWords(words.length);
    System.arraycopy(words, 0, copy.array, ORIGIN, words.length);
    return copy;
  }

  /** Overwrites all words by those of a source, inverted: so filters store them in files. */
  public void setInverted(WordSource source) {
    for (long word = 0; word < count(); word++) {
      set(word, ~source.get(word));
    }
  }

  /** The array, for kernels that read many words; word i is at {@link #index}. */
  public long[] array() {
    return array;
  }

  /** Where word {@code word} is in the array. */
  public static int index(long word) {
    return ORIGIN + (int) word;
  }

  /** The number of words. */
  public long count() {
    return array.length - 8L;
  }

  @Override
  public long get(long word) {
    return getOpaque(index(word));
  }

  /**
   * Reads the current word at an index of the array. The compiler could move a plain read out of a
   * loop, and a thread that asks in a loop would never see the put of another thread.
   */
  public long getOpaque(int index) {
    return getOpaque(array, index);
  }

  /** The same from an {@link #array} that the caller holds. */
  public static long getOpaque(long[] array, int index) {
    return (long) WORDS.getOpaque(array, index);
  }

  /** Reads the word at an index of the array, before any read that follows. */
  public long getAcquire(int index) {
    return (long) WORDS.getAcquire(array, index);
  }

  /**
   * Sets the bits of {@code mask} in the word at an index of the array, losing none that another
   * thread sets at the same time. Returns true if this call set the last missing bit of the mask.
   */
  public boolean setBits(int index, long mask) {
    // Not getAndBitwiseOr: it is a CAS loop too, and it always writes, which claims the cache line.
    long old = (long) WORDS.getOpaque(array, index);
    while ((old & mask) != mask) {
      long seen = (long) WORDS.compareAndExchangeRelease(array, index, old, old | mask);
      if (seen == old) {
        return true;
      }
      old = seen;
    }
    return false;
  }

  /**
   * Overwrites a word. A concurrent write of another thread may be lost. So call this only before
   * the words are shared, or under a lock that every writer of this word holds.
   */
  public void set(long word, long bits) {
    array[index(word)] = bits;
  }
}
