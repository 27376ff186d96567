package io.woodbird.cli.lines;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.testkit.Trials;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class Utf8Test {
  private static boolean isTextForJava(byte[] bytes) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  private static void compare(byte[] bytes) {
    byte[] inMiddle = new byte[bytes.length + 2];
    Arrays.fill(inMiddle, (byte) 0x80); // Must not be looked at.
    System.arraycopy(bytes, 0, inMiddle, 1, bytes.length);
    if (Utf8.isText(inMiddle, 1, bytes.length + 1) != isTextForJava(bytes)) {
      throw new AssertionError(Arrays.toString(bytes));
    }
  }

  @Test
  void isText_isWhatJavaDecodes() {
    for (int first = 0; first < 256; first++) {
      for (int second = 0; second < 256; second++) {
        compare(new byte[] {(byte) first, (byte) second});
        // With the edges of what may follow, and what is next to them.
        for (int third : new int[] {0x7f, 0x80, 0xbf, 0xc0}) {
          compare(new byte[] {(byte) first, (byte) second, (byte) third});
          compare(new byte[] {(byte) first, (byte) second, (byte) third, (byte) 0x80});
        }
      }
    }
    Trials.run(
        "texts, most of them with a damaged byte",
        2000,
        random -> {
          StringBuilder text = new StringBuilder();
          for (int i = random.nextInt(20); i >= 0; i--) {
            int most = new int[] {0x80, 0x800, 0x10000, 0x110000}[random.nextInt(4)];
            text.appendCodePoint(random.nextInt(most));
          }
          byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
          compare(bytes);
          bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
          compare(bytes);
        });
    assertThat(Utf8.isText(new byte[0], 0, 0)).isTrue();
  }
}
