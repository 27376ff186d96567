package io.woodbird.words;

/** Words that can be read, wherever they are stored. */
public interface WordSource {
  /** Reads word {@code word}, counted from 0. */
  long get(long word);

  /** Checks word {@code word} before long work depends on it; throws if the word is damaged. */
  default void prove(long word) {}
}
