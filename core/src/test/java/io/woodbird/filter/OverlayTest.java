package io.woodbird.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.CorruptFilterException;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.file.FileReader;
import io.woodbird.file.StoredFile;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.lang.reflect.Proxy;
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

  /** A "maybe" that was only doubt would leave a key out of the delta. */
  @Test
  @SuppressWarnings("unchecked")
  void aBaseThatWasInDoubtOnce_makesNoDelta() throws IOException {
    Path path = folder.resolve("base.wbird");
    Woodbird.bloom(Keys.longs(), 100).build().save(path);
    Answer[] answer = {Answer.NOT_HERE};
    OpenFilter<Long> filter =
        (OpenFilter<Long>)
            Proxy.newProxyInstance(
                OpenFilter.class.getClassLoader(),
                new Class<?>[] {OpenFilter.class},
                (proxy, method, arguments) -> answer[0]);
    try (StoredFile file = FileReader.openToCopy(path)) {
      Deltas.Base base = new Deltas.Base(file, filter);
      assertThat(base.denies(1)).isTrue();
      answer[0] = Answer.MAYBE_HERE;
      assertThat(base.denies(2)).isFalse();
      base.requireSound();
      answer[0] = Answer.UNKNOWN;
      assertThat(base.denies(3)).isFalse();
      answer[0] = Answer.MAYBE_HERE;
      assertThatThrownBy(base::requireSound)
          .isInstanceOf(CorruptFilterException.class)
          .hasMessage("the base can't be trusted: not all of it could be read");
    }
  }
}
