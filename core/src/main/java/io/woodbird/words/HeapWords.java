package io.woodbird.words;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Up to 2^31 64-bit words on the heap, in lines of eight that fall on cache lines. */
public final class HeapWords implements WordSource {
  /*
   * The data of a Java array starts 16 bytes after the object. A large array (half a G1 region, or a
   * large ZGC object) starts on a page, so word 0 is put at index 6: 16 + 6 * 8 = 64. Without it
   * seven of eight lines would straddle two cache lines, 2.5 times slower out of cache
   * (AlignmentBench). A small array may lie anywhere, but then it is in the cache anyhow.
   */
  private static final int ORIGIN = 6;
  private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] array;

  /**
   * Makes {@code count} words of zero.
   *
   * @param count at most 2^31 - 16
   */
  public HeapWords(long count) {
    array = new long[Math.toIntExact(count + 8)];
  }

  /** Makes words out of a copy. */
  public static HeapWords of(long[] words) {
    HeapWords copy = new HeapWords(words.length);
    System.arraycopy(words, 0, copy.array, ORIGIN, words.length);
    return copy;
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
   * Reads the word at an index of the array as it is now. A plain read could be taken out of a loop
   * by the compiler, and a thread that asks again and again would never see a put of another.
   */
  public long getOpaque(int index) {
    return (long) WORDS.getOpaque(array, index);
  }

  /** Reads the word at an index of the array, before any read that follows. */
  public long getAcquire(int index) {
    return (long) WORDS.getAcquire(array, index);
  }

  /**
   * Sets the bits of {@code mask} in the word at an index of the array, losing none that another
   * thread sets at the same time.
   *
   * @return true if this call was the one that completed the mask
   */
  public boolean setBits(int index, long mask) {
    // Not getAndBitwiseOr: it is a CAS loop too, and writes (and so takes the cache line) always.
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
   * Overwrites a word. What other threads write to it at the same time is lost: only before the
   * words are shared, or under a lock that all who write this word take.
   */
  public void set(long word, long bits) {
    array[index(word)] = bits;
  }
}
