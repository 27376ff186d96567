package io.woodbird.words;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("jdk")
final class BufferWordsTest {
  private static final int SHIFT = 6;
  private static final int SEGMENT = 1 << SHIFT;

  /** The bytes 1, 2, 3 ... in segments of 64 bytes, the last of which may have fewer. */
  private static ByteBuffer[] segments(int bytes) {
    ByteBuffer[] segments = new ByteBuffer[(bytes + SEGMENT - 1) / SEGMENT];
    for (int i = 0; i < bytes; i++) {
      if (i % SEGMENT == 0) {
        segments[i / SEGMENT] = ByteBuffer.allocate(Math.min(SEGMENT, bytes - i));
      }
      segments[i / SEGMENT].put((byte) (i + 1));
    }
    return segments;
  }

  private static long expected(int firstByte) {
    long word = 0;
    for (int i = 7; i >= 0; i--) {
      word = word << 8 | ((firstByte + i + 1) & 0xff);
    }
    return word;
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 64, 208})
  void words_areTheSame_howeverTheyAreRead(int bytes) {
    for (int firstByte : new int[] {0, 8, 16}) {
      BufferWords words = new BufferWords(segments(bytes), SHIFT, 0).from(firstByte);
      long[] copy = new long[1];
      for (int word = 0; word < (bytes - firstByte) / 8; word++) {
        assertThat(words.get(word)).isEqualTo(expected(firstByte + 8 * word));
        words.copyWord(word, copy);
        assertThat(copy[0]).isEqualTo(words.get(word));
      }
      long end = (bytes - firstByte) / 8;
      assertThatThrownBy(() -> words.get(end)).isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 208})
  void copy_goesAcrossSegments_andBeforeTheFirstWord(int bytes) {
    BufferWords words = new BufferWords(segments(bytes), SHIFT, 16);
    byte[] copy = new byte[bytes + 1];
    words.copy(-13, copy, bytes - 3);
    for (int i = 0; i < bytes - 3; i++) {
      assertThat(copy[i]).as("byte %d", i).isEqualTo((byte) (i + 4));
    }
    assertThat(Arrays.copyOfRange(copy, bytes - 3, copy.length)).containsOnly(0);
  }
}
