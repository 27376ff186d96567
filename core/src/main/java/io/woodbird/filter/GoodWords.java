package io.woodbird.filter;

import io.woodbird.file.StoredFile;
import io.woodbird.words.WordSource;

/** The words of a file in our own memory. Reading a word of a damaged page throws. */
public record GoodWords(StoredFile file) implements WordSource {
  /** Returns a word; throws {@link Unproven} if its page is not good. */
  @Override
  public long get(long word) {
    if (!file.pageGood(word)) {
      throw new Unproven();
    }
    return file.word(word);
  }

  /** Thrown when a word proves nothing. It has no stack trace, as it only ends a question. */
  public static final class Unproven extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Unproven() {
      super(null, null, false, false);
    }
  }
}
