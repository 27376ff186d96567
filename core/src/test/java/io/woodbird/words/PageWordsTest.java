package io.woodbird.words;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("jdk")
final class PageWordsTest {
  private static final int PAGE = 512;
  private static final int SEGMENT = 64 * PAGE;

  private static byte[] page(long firstWord, int words) {
    ByteBuffer bytes = ByteBuffer.allocate(8 * PAGE).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < words; i++) {
      bytes.putLong(~(firstWord + i));
    }
    return bytes.array();
  }

  /** Sizes around a page and around a segment of 64 pages. */
  @ParameterizedTest
  @ValueSource(ints = {1, PAGE, PAGE + 1, SEGMENT, SEGMENT + 1, 2 * SEGMENT + PAGE - 1})
  void eachPageIsThereOnceItIsSet_andNoOther(int wordCount) {
    PageWords words = new PageWords(wordCount);
    int pages = (wordCount + PAGE - 1) / PAGE;
    for (int page = pages - 1; page >= 0; page--) { // Backwards: the last segment is the shortest.
      long first = (long) page * PAGE;
      int length = Math.min(PAGE, wordCount - page * PAGE);
      assertThat(words.isComplete()).isFalse();
      assertThat(words.has(first)).isFalse();
      words.set(first, page(first, length), 8 * length);
      assertThat(words.has(first)).isTrue();
      assertThat(words.has(first + length - 1)).isTrue();
      assertThat(page > 0 && words.has(first - 1)).isFalse();
    }
    assertThat(words.isComplete()).isTrue();
    for (long word = 0; word < wordCount; word++) {
      if (words.get(word) != ~word
          || words.segment(word)[PageWords.index(word)] != ~word
          || !PageWords.has(words.segment(word), word)) {
        throw new AssertionError("word " + word + " is " + words.get(word));
      }
    }
  }

  /** The rest of the last page can be read by kernels that read whole lines; it is zero. */
  @Test
  void theLastPageIsWhole_andTheRestIsZero() {
    PageWords words = new PageWords(SEGMENT + 3);
    words.set(SEGMENT, page(SEGMENT, PAGE), 8 * 3);
    assertThat(words.get(SEGMENT + 2)).isEqualTo(~(SEGMENT + 2L));
    assertThat(words.get(SEGMENT + 3)).isZero();
    assertThat(words.get(SEGMENT + PAGE - 1)).isZero();
    assertThatThrownBy(() -> words.get(SEGMENT + PAGE))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void afterClear_noPageIsThere() {
    PageWords words = new PageWords(2 * SEGMENT);
    words.set(SEGMENT, page(SEGMENT, PAGE), 8 * PAGE);
    words.clear();
    assertThat(words.has(SEGMENT)).isFalse();
    assertThatThrownBy(() -> words.get(SEGMENT)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  /** As HeapWords: 16 bytes of object header and length, then 8 bytes a word. */
  @Test
  void everyPageBeginsOnACacheLine() {
    assertThat(16 + 8 * PageWords.index(0)).isEqualTo(64);
    assertThat(PageWords.index(SEGMENT + PAGE)).isEqualTo(PageWords.index(0) + PAGE);
  }
}
