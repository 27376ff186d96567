package io.woodbird.cli.lines;

import java.io.ByteArrayOutputStream;

/** Finds the key in a line. */
interface FieldPick {
  /**
   * Appends the key of a line; returns null, or what is wrong with it. Then what was appended means
   * nothing.
   */
  @org.jspecify.annotations.Nullable
  String pick(byte[] bytes, int from, int to, Arena key);

  /** Bytes that grow and can be looked at without being copied. */
  final class Arena extends ByteArrayOutputStream {
    Arena() {
      super(1 << 16);
    }

    byte[] array() {
      return buf;
    }
  }
}
