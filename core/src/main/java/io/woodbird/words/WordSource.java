package io.woodbird.words;

/** Words that can be read, wherever they live. */
public interface WordSource {
  /** Reads word {@code word}, counted from 0. */
  long get(long word);
}
