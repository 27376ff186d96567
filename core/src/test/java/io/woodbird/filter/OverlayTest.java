package io.woodbird.filter;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.CorruptFilterException;
import io.woodbird.Woodbird;
import io.woodbird.file.FileReader;
import io.woodbird.file.StoredFile;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OverlayTest {
  @TempDir Path folder;

  @Test
  void aDamagedDelta_isClosed() throws IOException {
    Path path = folder.resolve("damaged.wbird");
    Woodbird.bloom(Keys.longs(), 10_000).build().save(path);
    byte[] bytes = Files.readAllBytes(path);
    bytes[1000] ^= 1;
    Files.write(path, bytes);
    StoredFile[] opened = new StoredFile[1];
    assertThatThrownBy(
            () ->
                Overlay.verified(
                    () -> {
                      opened[0] = FileReader.openToCopy(path);
                      return opened[0];
                    }))
        .isInstanceOf(CorruptFilterException.class)
        .hasMessageStartingWith("the delta is damaged: ");
    assertThatThrownBy(opened[0]::ended).isInstanceOf(IllegalStateException.class);
  }
}
