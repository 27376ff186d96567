package io.woodbird.words;

/** Words that can be read, wherever they live. */
public interface WordSource {
  /** Reads word {@code word}, counted from 0. */
  long get(long word);

  /**
   * Makes sure of word {@code word} before long work is done because of it; throws if it is not.
   */
  default void prove(long word) {}
}
