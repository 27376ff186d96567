package io.woodbird.cli.lines;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The values that stand beside the keys of a batch: whole numbers of up to 64 bits. */
final class ValueField {
  private static final int LONGEST = 20; // 2^64 - 1 has 20 digits.

  private final FieldPick pick;
  private final FieldPick.Arena text = new FieldPick.Arena();
  private final long[] values = new long[Lines.BATCH];

  ValueField(FieldPick pick) {
    this.pick = pick;
  }

  /** Reads the value of a line; returns null, or what is wrong with it. */
  @Nullable String read(int index, byte[] bytes, int from, int to) {
    text.reset();
    String wrong = pick.pick(bytes, from, to, text);
    if (wrong != null) {
      return wrong;
    }
    String digits = text.toString(StandardCharsets.ISO_8859_1);
    try {
      if (digits.length() <= LONGEST && !digits.startsWith("+")) {
        values[index] = Long.parseUnsignedLong(digits);
        return null;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    int shown = Math.min(digits.length(), 2 * LONGEST);
    return "its value \""
        + LineKeys.shown(digits.substring(0, shown))
        + "\" is no whole number from 0 to 2^64 - 1";
  }

  long value(int index) {
    return values[index];
  }
}
