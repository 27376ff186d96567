package io.woodbird.filter.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.woodbird.BloomBuilder;
import io.woodbird.DurableFilter;
import io.woodbird.DurableFilter.Recovery;
import io.woodbird.Woodbird;
import io.woodbird.file.ChildJvm;
import io.woodbird.filter.FilterSpec;
import io.woodbird.key.Keys;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.BlockedBloomSize;
import io.woodbird.words.HeapWords;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One durable filter under several names is one filter, or is refused. */
@Tag("jdk")
class DurableNamesTest {
  @TempDir private Path folder;

  private static BloomBuilder<Long> builder() {
    return Woodbird.bloom(Keys.longs(), 10_000);
  }

  private void assertOne(Path one, Path two) throws IOException {
    try (DurableFilter<Long> filter = builder().file(one)) {
      assertThatThrownBy(() -> builder().file(two))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("is open in another process, or elsewhere in this one");
      filter.put(1L);
    }
    try (DurableFilter<Long> filter = builder().file(two)) {
      assertThat(filter.mightContain(1L)).isTrue();
      filter.put(2L);
    }
    try (DurableFilter<Long> filter = builder().file(one)) {
      assertThat(filter.mightContain(2L)).isTrue();
    }
  }

  @Test
  void aSymbolicLink_isFollowed() throws IOException {
    Path real = folder.resolve("real.wbird");
    Path link = folder.resolve("link.wbird");
    Files.createSymbolicLink(link, real.getFileName());
    assertOne(link, real); // Made through the link.
    assertOne(real, link);
    assertThat(link).isSymbolicLink();
    assertThat(Files.isSymbolicLink(real)).isFalse();
  }

  @Test
  void aLinkedFolder_orARelativePath_isFollowed() throws IOException {
    Path real = Files.createDirectory(folder.resolve("real"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), real);
    assertOne(real.resolve("seen.wbird"), link.resolve("seen.wbird"));
    assertOne(link.resolve("../real/seen.wbird"), link.resolve("./seen.wbird"));
    Path here = Path.of("").toAbsolutePath().relativize(real.toRealPath());
    assertOne(here.resolve("seen.wbird"), real.resolve("seen.wbird"));
  }

  private static void removeLocks(Path path) throws IOException {
    for (String end : List.of(".lock", ".lock2")) {
      Files.delete(path.resolveSibling(path.getFileName() + end));
    }
  }

  @Test
  void aLockThatIsRemoved_letsAnotherTakeOver_andTheFirstPromisesNothingMore() throws IOException {
    Path path = folder.resolve("seen.wbird");
    DurableFilter<Long> first = builder().file(path);
    first.put(1L);
    first.checkpoint();
    removeLocks(path);
    try (DurableFilter<Long> second = builder().file(path)) {
      first.put(2L);
      assertThatThrownBy(first::checkpoint)
          .isInstanceOf(IOException.class)
          .hasMessageContaining(".lock2 was removed while the filter was open");
      second.put(3L);
      second.checkpoint();
      assertThatThrownBy(() -> first.mightContain(3L)).isInstanceOf(UncheckedIOException.class);
      assertThatThrownBy(() -> first.put(3L)).isInstanceOf(UncheckedIOException.class);
      assertThatThrownBy(first::close).isInstanceOf(IOException.class);
    }
    try (DurableFilter<Long> filter = builder().file(path)) {
      assertThat(filter.mightContain(1L)).isTrue();
      assertThat(filter.mightContain(3L)).isTrue();
    }
  }

  /** A copy would deny what the other process has put, on whatever machine it is opened. */
  @Test
  void aLockThatIsRemoved_stopsCopies() throws IOException {
    Path path = folder.resolve("seen.wbird");
    Path copy = folder.resolve("copy.wbird");
    DurableFilter<Long> first = builder().file(path);
    first.put(1L);
    first.save(copy);
    byte[] before = Files.readAllBytes(copy);
    removeLocks(path);
    try (DurableFilter<Long> second = builder().file(path)) {
      second.put(2L);
      second.checkpoint();
      assertThatThrownBy(() -> first.save(copy)).hasMessageContaining("was removed");
      assertThatThrownBy(() -> first.writeTo(OutputStream.nullOutputStream()))
          .hasMessageContaining("was removed");
      assertThat(copy).hasBinaryContent(before);
      assertThatThrownBy(() -> first.mightContain(2L)).isInstanceOf(UncheckedIOException.class);
      assertThatThrownBy(first::close).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> first.save(copy)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void aFilterThatIsClosed_isNotCopied() throws IOException {
    Path path = folder.resolve("seen.wbird");
    DurableFilter<Long> first = builder().file(path);
    first.close();
    try (DurableFilter<Long> second = builder().file(path)) {
      second.put(2L);
      assertThatThrownBy(() -> first.save(folder.resolve("copy.wbird")))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> first.writeTo(OutputStream.nullOutputStream()))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {".lock", ".lock2"})
  void oneOfTheLockFilesIsEnough_toNoticeThatItIsRemoved(String end) throws IOException {
    Path path = folder.resolve("seen.wbird");
    DurableFilter<Long> filter = builder().file(path);
    filter.put(1L);
    Files.delete(folder.resolve("seen.wbird" + end));
    assertThatThrownBy(filter::checkpoint)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(end + " was removed while the filter was open");
    assertThatThrownBy(filter::close).isInstanceOf(IOException.class);
  }

  /**
   * On POSIX a process loses its lock on a file when it closes any channel of that file, as a
   * backup does that copies the folder. The files stay, and the Java runtime notices nothing.
   */
  @Test
  void aLockThatIsLostThroughABackup_letsAnotherTakeOver_andTheFirstPromisesNothingMore()
      throws Exception {
    Path path = folder.resolve("seen.wbird");
    DurableFilter<Long> first = DurableProgram.builder().file(path);
    first.put(-1L);
    first.checkpoint();
    for (String end : List.of(".lock", ".lock2")) {
      Files.readAllBytes(folder.resolve("seen.wbird" + end));
    }
    first.checkpoint();
    ChildJvm.Result second =
        ChildJvm.run(
            ChildJvm.command(ChildJvm.SHORT_LIVED, DurableProgram.class, path, 1, "every-put"));
    assumeTrue(second.exit() == 0, second.output()); // Elsewhere a process keeps its locks.
    first.put(-2L);
    assertThatThrownBy(first::checkpoint)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(".lock2 was locked by somebody else while the filter was open");
    assertThatThrownBy(() -> first.mightContain(0L))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("the lock of the filter was lost");
    assertThatThrownBy(() -> first.put(0L)).isInstanceOf(UncheckedIOException.class);
    assertThatThrownBy(first::close).isInstanceOf(IOException.class);
    try (DurableFilter<Long> filter = DurableProgram.builder().file(path)) {
      assertThat(filter.mightContain(-1L)).isTrue();
      assertThat(filter.mightContain(0L)).as("what the second process put").isTrue();
    }
  }

  /** The lock is looked at when all is on disk, and not only before a long write. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFileThatIsWrittenWhileTheLockIsLost_doesNotReplaceTheFileOfAnother(boolean fold)
      throws IOException {
    Path path = DurableLock.realPath(folder.resolve("seen.wbird"));
    FilterSpec<Long> spec = new FilterSpec<>(Keys.longs(), 1, 10_000, 0.01);
    BlockedBloom layout = BlockedBloomSize.forFpp(10_000, 0.01);
    BloomShape shape = new BloomShape.Blocked(layout);
    DurableFiles files = new DurableFiles(path, BloomCodec.header(shape, spec).crc());
    Runnable[] meanwhile = {() -> {}};
    HeapBloomFilter<Long> heap =
        new BlockedBloomFilter<>(spec, layout, new OverfullNotices(null, spec, shape)) {
          @Override
          HeapWords words() {
            Runnable once = meanwhile[0];
            meanwhile[0] = () -> {};
            once.run();
            return super.words();
          }
        };
    DurableLock.Held lock = DurableLock.lock(path);
    files.save(heap, 0, lock::requireHeld);
    DurableBloomFilter<Long> first =
        new DurableBloomFilter<>(
            files, heap, false, new Recovery(true, true, 0, 0, List.of()), lock, 0);
    first.put(1L);
    first.checkpoint();
    meanwhile[0] =
        () -> {
          try {
            removeLocks(path);
            try (DurableFilter<Long> second = builder().file(path)) {
              second.put(2L);
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };
    if (fold) {
      assertThatThrownBy(first::fold).hasMessageContaining("was removed");
    }
    assertThatThrownBy(first::close).hasMessageContaining("was removed");
    try (DurableFilter<Long> filter = builder().acceptLostKeys().file(path)) {
      assertThat(filter.mightContain(1L)).isTrue();
      assertThat(filter.mightContain(2L)).isTrue();
    }
  }

  @Test
  void aLockThatIsRemoved_stopsPutsThatMustBeOnDisk() throws IOException {
    Path path = folder.resolve("seen.wbird");
    DurableFilter<Long> filter = builder().journalEveryPut().file(path);
    filter.put(1L);
    removeLocks(path);
    assertThatThrownBy(() -> filter.put(2L)).isInstanceOf(UncheckedIOException.class);
    assertThatThrownBy(() -> filter.put(1L)).isInstanceOf(UncheckedIOException.class);
    assertThatThrownBy(filter::close).isInstanceOf(IOException.class);
    try (DurableFilter<Long> again = builder().file(path)) {
      assertThat(again.mightContain(1L)).isTrue();
      assertThat(again.mightContain(2L)).as("it is in the journal").isTrue();
    }
  }

  @Test
  void aLinkInACircle_isRefused() throws IOException {
    Path one = folder.resolve("one");
    Files.createSymbolicLink(one, Path.of("two"));
    Files.createSymbolicLink(folder.resolve("two"), Path.of("one"));
    assertThatThrownBy(() -> builder().file(one)).isInstanceOf(IOException.class);
  }

  @Test
  void aFileWithHardLinks_isRefused_asOneOfThemWouldStayOld() throws IOException {
    Path path = folder.resolve("seen.wbird");
    builder().file(path).close();
    Path link = Files.createLink(folder.resolve("link.wbird"), path);
    for (Path name : new Path[] {path, link}) {
      assertThatThrownBy(() -> builder().file(name))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("has 2 names (hard links)");
    }
    Files.delete(link);
    builder().file(path).close();
  }

  @Test
  void whatIsNoFile_isRefused() {
    assertThatThrownBy(() -> builder().file(folder))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not a regular file");
    assertThatThrownBy(() -> builder().file(folder.resolve("no/such/folder")))
        .isInstanceOf(IOException.class);
  }
}
