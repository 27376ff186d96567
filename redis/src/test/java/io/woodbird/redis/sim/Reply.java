package io.woodbird.redis.sim;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Replies of the model: {@code byte[]}, {@link Long}, {@link List}, null or {@link Failure}. */
final class Reply {
  static final byte[] OK = bytes("OK");

  private static final HexFormat HEX = HexFormat.of();

  private Reply() {}

  /** An error that the server sends. */
  record Failure(String message) {}

  /** Ends a command with an error. */
  static final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    Refusal(String message) {
      super(message, null, false, false);
    }
  }

  static Refusal wrongType() {
    return new Refusal("WRONGTYPE Operation against a key holding the wrong kind of value");
  }

  static Refusal syntax() {
    return new Refusal("ERR syntax error");
  }

  static byte[] bytes(String latin1) {
    return latin1.getBytes(StandardCharsets.ISO_8859_1);
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  static long number(byte[] digits) {
    return number(digits, 0);
  }

  /** The number that begins at a place. */
  static long number(byte[] digits, int from) {
    int length = digits.length;
    boolean negative = length > from && digits[from] == '-';
    int at = negative ? from + 1 : from;
    if (length == at || length - from > 20) {
      throw notAnInteger();
    }
    long value = 0;
    if (length - at > 18) {
      try {
        return Long.parseLong(text(digits).substring(from));
      } catch (NumberFormatException e) {
        throw notAnInteger();
      }
    }
    for (; at < length; at++) {
      int digit = digits[at] - '0';
      if (digit < 0 || digit > 9) {
        throw notAnInteger();
      }
      value = 10 * value + digit;
    }
    return negative ? -value : value;
  }

  static Refusal notAnInteger() {
    return new Refusal("ERR value is not an integer or out of range");
  }

  /** Says a reply in words, for histories and comparisons. */
  static String show(@Nullable Object reply) {
    if (reply instanceof byte[] bytes) {
      StringBuilder out = new StringBuilder("\"");
      int shown = Math.min(bytes.length, 48);
      for (int i = 0; i < shown; i++) {
        int c = bytes[i] & 0xff;
        out.append(c >= 32 && c < 127 ? "" + (char) c : "\\" + HEX.toHexDigits(bytes[i]));
      }
      return out.append(shown < bytes.length ? "...\" " + bytes.length : "\"").toString();
    }
    if (reply instanceof List<?> list) {
      List<String> parts = new ArrayList<>();
      for (Object part : list) {
        parts.add(show(part));
      }
      return parts.toString();
    }
    return reply instanceof Failure failure ? "(" + failure.message() + ")" : "" + reply;
  }
}
