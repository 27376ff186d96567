package io.woodbird;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.key.Keys;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One writer at a time, under whatever name. */
@SuppressWarnings("try") // The lock is held, and not looked at.
@Tag("jdk")
class FilterLockTest {
  @TempDir private Path folder;

  @Test
  void aSecondWriter_isRefusedUntilTheFirstIsDone() throws Exception {
    Path file = folder.resolve("f.wbird");
    Woodbird.deletable(Keys.strings(), 10).build().save(file);
    Path link = Files.createSymbolicLink(folder.resolve("link"), file);
    try (Closeable held = Woodbird.lock(link);
        InputStream in = Files.newInputStream(link)) {
      assertThatThrownBy(() -> Woodbird.lock(file))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("is open in another process");
      var filter = (DeletableFilter<String>) Woodbird.readFrom(in, Keys.strings());
      filter.put("alice");
      filter.save(link);
      assertThat(link).isSymbolicLink();
    }
    try (Closeable held = Woodbird.lock(file);
        OpenFilter<String> filter = Woodbird.open(file, Keys.strings())) {
      assertThat(filter.mightContain("alice")).isTrue();
    }
  }

  /** The files of a lock look left over. Without them it keeps nobody out, and must say so. */
  @Test
  void aLockThatWasRemoved_isToldWhenItEnds() throws Exception {
    Path file = folder.resolve("f.wbird");
    Closeable first = Woodbird.lock(file);
    Files.delete(folder.resolve("f.wbird.lock"));
    Files.delete(folder.resolve("f.wbird.lock2"));
    try (Closeable second = Woodbird.lock(file)) {
      assertThatThrownBy(first::close)
          .isInstanceOf(IOException.class)
          .hasMessageContaining(".lock2 was removed while the filter was open");
      assertThatThrownBy(() -> Woodbird.lock(file)).hasMessageContaining("is open in another");
    }
    Woodbird.lock(file).close();
  }

  /** A user of the command line reads what to do about it. */
  @Test
  void aLockFileThatCannotBeMade_isNamedWithTheReason() throws Exception {
    Path file = folder.resolve("f.wbird");
    Path lock = Files.createDirectory(folder.resolve("f.wbird.lock")).toRealPath();
    assertThatThrownBy(() -> Woodbird.lock(file))
        .isInstanceOfSatisfying(
            FileSystemException.class,
            e -> {
              assertThat(e.getFile()).isEqualTo(lock.toString());
              assertThat(e.getReason()).isNotEmpty();
            });
  }

  @Test
  void aDurableFilter_hasTheSameLock() throws Exception {
    Path file = folder.resolve("f.wbird");
    try (DurableFilter<String> open = Woodbird.bloom(Keys.strings(), 10).file(file)) {
      open.put("alice");
      assertThatThrownBy(() -> Woodbird.lock(file)).hasMessageContaining("is open in another");
    }
    try (Closeable held = Woodbird.lock(file)) {
      assertThatThrownBy(() -> Woodbird.bloom(Keys.strings(), 10).file(file))
          .hasMessageContaining("is open in another");
    }
  }
}
