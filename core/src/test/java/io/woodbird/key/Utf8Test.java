package io.woodbird.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The UTF-8 of a String is what {@code getBytes} says, and its hash is that of these bytes. */
final class Utf8Test {
  private static final long SEED = 0x75746638;
  private final byte[] target = new byte[3 * 2000];

  private void check(String text) {
    byte[] expected = text.getBytes(StandardCharsets.UTF_8);
    int length = Utf8.encode(text, target);
    if (length != expected.length || !Arrays.equals(target, 0, length, expected, 0, length)) {
      throw new AssertionError(
          String.format(
              "%s of %d chars: %s, not %s",
              text,
              text.length(),
              Arrays.toString(Arrays.copyOf(target, length)),
              Arrays.toString(expected)));
    }
    if (Keys.strings().hash(text, SEED) != Keys.bytes().hash(expected, SEED)) {
      throw new AssertionError("another hash than that of its bytes: " + text);
    }
  }

  @Test
  void everyCodePointIsEncodedAsGetBytesDoes() {
    for (int point = 0; point <= Character.MAX_CODE_POINT; point++) {
      check(Character.toString(point));
    }
  }

  @Test
  void everyCodePointIsEncodedBetweenOthers() {
    StringBuilder text = new StringBuilder();
    for (int point = 0; point <= Character.MAX_CODE_POINT; point++) {
      text.append('a').appendCodePoint(point);
      if (text.length() > 300) {
        check(text.toString());
        text.setLength(0);
      }
    }
    check(text.toString());
  }

  @Test
  void surrogatesWithoutTheirPartnerBecomeQuestionMarks() {
    char[] units = {'a', '\u00e9', '\u20ac', '\ud800', '\udbff', '\udc00', '\udfff'};
    for (int length = 0; length <= 5; length++) {
      int texts = (int) Math.pow(units.length, length);
      for (int number = 0; number < texts; number++) {
        char[] text = new char[length];
        for (int i = 0, rest = number; i < length; i++, rest /= units.length) {
          text[i] = units[rest % units.length];
        }
        check(new String(text));
      }
    }
    int length = Utf8.encode("\ud800", target);
    assertThat(Arrays.copyOf(target, length)).containsExactly('?');
  }

  @Test
  void randomMixturesOfEveryLengthAreEncodedAsGetBytesDoes() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 20_000; round++) {
      check(mixture(random, random.nextInt(60)));
    }
    for (int length = 0; length <= 1100; length++) {
      check(mixture(random, length));
    }
  }

  /** Chars of one kind, two kinds, or anything, in runs. */
  private static String mixture(SplittableRandom random, int length) {
    char[] text = new char[length];
    int kind = 0;
    for (int i = 0; i < length; i++) {
      if (i == 0 || random.nextInt(8) == 0) {
        kind = random.nextInt(6);
      }
      int limit = new int[] {0x80, 0x100, 0x800, 0x10000, 0, 0}[kind];
      text[i] = (char) (limit > 0 ? random.nextInt(limit) : 0xd800 + random.nextInt(0x800));
    }
    return new String(text);
  }

  @Test
  void theLengthsAroundTheBufferAreEncodedAsGetBytesDoes() {
    // The buffer of a hasher holds 512 chars of three bytes, 1536 bytes; 170 and 171 chars are 510
    // and 513 bytes.
    String[] units = {"a", "\u00e9", "\u20ac", "\ud83d\udc26", "\ud800", "\udc00", "a\u20ac"};
    int[] lengths = {
      1, 127, 128, 129, 169, 170, 171, 172, 255, 256, 257, 510, 511, 512, 513, 514, 1023, 1024, 1025
    };
    for (String unit : units) {
      for (int length : lengths) {
        String text = unit.repeat(length).substring(0, length); // May end within a pair.
        check(text);
        check(text.substring(1) + "z");
        check("z" + text.substring(1));
      }
    }
  }

  @Test
  void aLongKeyDoesNotLeaveTracesInTheHashOfAShortOne() {
    long alone = Keys.strings().hash("crow", SEED);
    check("\u20ac".repeat(512));
    assertThat(Keys.strings().hash("crow", SEED)).isEqualTo(alone);
  }
}
