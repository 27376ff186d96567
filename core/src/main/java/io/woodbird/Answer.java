package io.woodbird;

/** What a filter says about a key. */
public enum Answer {
  /** Certain: the key was never put, or was removed. */
  NOT_HERE,

  /** The key was put, or it is one of the few false positives. */
  MAYBE_HERE,

  /**
   * The filter can't tell: its page is damaged, its store does not answer, it is not built yet.
   * Treat the key as if it might be here. Why is in {@link FilterStats#doubts()}.
   */
  UNKNOWN
}
