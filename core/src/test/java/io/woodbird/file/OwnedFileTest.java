package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.CorruptFilterException;
import io.woodbird.layout.BlockShape;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file whose pages are read when they are first needed. */
final class OwnedFileTest {
  @TempDir private Path folder;

  private final Sample sample = Sample.ofBytes(64 << 10, BlockShape.TWO_3);

  private Path saved() throws IOException {
    return Files.write(folder.resolve("f.wbird"), sample.bytes());
  }

  @Test
  void aPageThatIsNotKept_hasTheWordsOfTheFile() throws IOException {
    try (StoredFile file = AsLarge.opened(saved());
        StoredFile buffer = FileReader.of(ByteBuffer.wrap(sample.bytes()))) {
      StoredFile pageless = file.withoutPages();
      for (long word = 0; word < sample.dataBytes() / 8; word++) {
        assertThat(pageless.get(word)).as("word %d", word).isEqualTo(buffer.get(word));
      }
    }
  }

  /** The page in memory still answers; what is in the file may not be called whole, or copied. */
  @Test
  void aPageThatIsKept_isStillCheckedInTheFile() throws IOException {
    Path path = saved();
    try (StoredFile file = AsLarge.opened(path)) {
      assertThat(file.readable(0)).isTrue();
      file.verify();
      byte[] damaged = Surgery.flipBit(sample.bytes(), 8L * file.frame().dataAt());
      Files.write(path, damaged);
      assertThatThrownBy(file::verify)
          .isInstanceOf(CorruptFilterException.class)
          .hasMessageContaining("damaged");
      assertThatThrownBy(() -> file.copyData(0, ByteBuffer.allocate(Header.PAGE_BYTES)))
          .isInstanceOf(CorruptFilterException.class);
    }
  }
}
