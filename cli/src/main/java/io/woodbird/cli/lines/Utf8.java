package io.woodbird.cli.lines;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Whether bytes are a text in UTF-8: what Java makes of a String. */
final class Utf8 {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long NOT_ASCII = 0x8080_8080_8080_8080L;

  private Utf8() {}

  /** Whether these bytes are well-formed UTF-8. */
  static boolean isText(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to) {
      if (at <= to - 8 && ((long) LONGS.get(bytes, at) & NOT_ASCII) == 0) {
        at += 8; // Nearly all lines are ASCII.
        continue;
      }
      int length = length(bytes, at, to);
      if (length == 0) {
        return false;
      }
      at += length;
    }
    return true;
  }

  /** Returns the length of the character that begins at a position, or 0 if none does. */
  private static int length(byte[] bytes, int at, int to) {
    int first = bytes[at];
    if (first >= 0) {
      return 1;
    }
    int length = Integer.numberOfLeadingZeros(~first << 24);
    if (length < 2 || length > 4 || to - at < length) {
      return 0;
    }
    int code = first & 0x7f >>> length;
    for (int i = 1; i < length; i++) {
      if ((bytes[at + i] & 0xc0) != 0x80) {
        return 0;
      }
      code = code << 6 | (bytes[at + i] & 0x3f);
    }
    boolean shortest = code >= (length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000);
    boolean surrogate = code >= 0xd800 && code <= 0xdfff;
    return shortest && !surrogate && code <= 0x10ffff ? length : 0;
  }
}
