package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file that is written piece by piece is the one that is written at once. */
final class FileBuilderTest {
  private static final long SEED = 5;
  private static final int BUFFER_WORDS = FileWriter.BUFFER_BYTES / 8;

  @TempDir private Path folder;

  private static Header header(int words) {
    return new Header(LayoutId.RIBBON, 7, "x", 10, 0.01, 10, 8L * words, List.of(1L));
  }

  private static long[] words(int count) {
    return new SplittableRandom(SEED).longs(count).toArray();
  }

  private static void fill(ByteBuffer target, long[] words, long offset) {
    for (int word = (int) (offset / 8); target.hasRemaining(); word++) {
      target.putLong(words[word]);
    }
  }

  /** Small and large files, and pieces below, at and above the size of the buffer. */
  @ParameterizedTest
  @ValueSource(
      ints = {1, 512, BUFFER_WORDS, BUFFER_WORDS + 1, 3 * BUFFER_WORDS + 5, (1 << 21) + 600})
  void piecesOfAnyLength_inAnyOrder_makeTheSameFile(int count) throws IOException {
    long[] words = words(count);
    Path whole = folder.resolve("whole");
    FileWriter.save(header(count), (offset, target) -> fill(target, words, offset), whole);
    for (int piece : new int[] {count, Math.max(1, count / 3), count / 2 + 1}) {
      Path built = folder.resolve("built");
      try (FileBuilder builder = new FileBuilder(built)) {
        for (int from = (count - 1) / piece * piece; from >= 0; from -= piece) { // Backwards.
          int end = Math.min(count, from + piece);
          builder.write(from, Arrays.copyOfRange(words, from, end));
        }
        builder.finish(header(count));
      }
      assertThat(Files.mismatch(built, whole)).as("pieces of %d", piece).isEqualTo(-1);
    }
  }

  @Test
  void aFileThatIsNotFinished_leavesNothing_andTheOldOneStays() throws IOException {
    Path built = Files.writeString(folder.resolve("built"), "as it was");
    try (FileBuilder builder = new FileBuilder(built)) {
      builder.write(0, words(100));
    }
    assertThat(built).hasContent("as it was");
    try (FileBuilder builder = new FileBuilder(built)) {
      builder.write(0, words(100));
      assertThatThrownBy(() -> builder.finish(header(101)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the new file became shorter");
    }
    assertThat(built).hasContent("as it was");
    try (var files = Files.list(folder)) {
      assertThat(files).containsExactly(built);
    }
  }
}
