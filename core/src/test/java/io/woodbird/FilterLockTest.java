package io.woodbird;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One writer at a time, under whatever name. */
class FilterLockTest {
  @TempDir private Path folder;

  @Test
  void aSecondWriter_isRefusedUntilTheFirstIsDone() throws Exception {
    Path file = folder.resolve("f.wbird");
    Woodbird.deletable(Keys.strings(), 10).build().save(file);
    Path link = Files.createSymbolicLink(folder.resolve("link"), file);
    try (FilterLock lock = FilterLock.of(link);
        InputStream in = Files.newInputStream(lock.file())) {
      assertThat(lock.file()).isEqualTo(file.toRealPath());
      assertThatThrownBy(() -> FilterLock.of(file))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("is open in another process");
      var filter = (DeletableFilter<String>) Woodbird.readFrom(in, Keys.strings());
      filter.put("alice");
      filter.save(lock.file());
    }
    try (FilterLock lock = FilterLock.of(file);
        OpenFilter<String> filter = Woodbird.open(lock.file(), Keys.strings())) {
      assertThat(filter.mightContain("alice")).isTrue();
    }
  }

  @Test
  void aDurableFilter_hasTheSameLock() throws Exception {
    Path file = folder.resolve("f.wbird");
    try (DurableFilter<String> open = Woodbird.bloom(Keys.strings(), 10).file(file)) {
      open.put("alice");
      assertThatThrownBy(() -> FilterLock.of(file)).hasMessageContaining("is open in another");
    }
    try (FilterLock lock = FilterLock.of(file)) {
      assertThatThrownBy(() -> Woodbird.bloom(Keys.strings(), 10).file(lock.file()))
          .hasMessageContaining("is open in another");
    }
  }
}
