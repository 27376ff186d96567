package io.woodbird.docs;

/**
 * A piece of a page that a test has to do with.
 *
 * @param kind what it is
 * @param line where it begins in the file, from 1
 * @param name of a block its language; of a note its first word
 * @param text the lines of a block; of a note what follows its first word
 */
record Part(Kind kind, int line, String name, String text) {
  /** What a piece is. */
  enum Kind {
    /** Lines between two fences. */
    BLOCK,
    /** A comment that readers do not see. */
    NOTE
  }

  boolean isBlock() {
    return kind == Kind.BLOCK;
  }

  boolean isNote(String word) {
    return kind == Kind.NOTE && name.equals(word);
  }
}
