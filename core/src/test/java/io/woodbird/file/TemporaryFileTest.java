package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.woodbird.BloomFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a save replaces, and what it removes. */
@Tag("jdk")
final class TemporaryFileTest {
  @TempDir private Path temporary;
  private Path folder;
  private final BloomFilter<Long> filter = Woodbird.bloom(Keys.longs(), 100).seed(1).build();

  @BeforeEach
  void realFolder() throws IOException {
    folder = temporary.toRealPath();
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> "" + file.getFileName()).sorted().toList();
    }
  }

  private void holdsTheFilter(Path file) throws IOException {
    assertThat(Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)).isTrue();
    assertThat(Files.readAllBytes(file)).isEqualTo(GoldenFiles.bytes(filter));
  }

  @Test
  void save_followsLinks_whichStay() throws IOException {
    Path inner = Files.createDirectories(folder.resolve("a/b"));
    Path target = Files.writeString(folder.resolve("a/real.wbird"), "old");
    Path second = Files.createSymbolicLink(inner.resolve("second"), Path.of("../real.wbird"));
    Path folderLink = Files.createSymbolicLink(folder.resolve("short"), inner);
    Path first = Files.createSymbolicLink(folder.resolve("first"), folderLink.resolve("second"));
    filter.save(first);
    holdsTheFilter(target);
    assertThat(Files.isSymbolicLink(first)).isTrue();
    assertThat(Files.isSymbolicLink(second)).isTrue();
    assertThat(names(folder)).containsExactly("a", "first", "short");
    assertThat(names(inner)).containsExactly("second");
    assertThat(names(target.getParent())).containsExactly("b", "real.wbird");
  }

  @Test
  void save_byAnInterruptedThread_isDone_andLeavesItInterrupted() throws IOException {
    Path file = folder.resolve("f.wbird");
    Thread.currentThread().interrupt();
    filter.save(file);
    assertThat(Thread.interrupted()).isTrue();
    holdsTheFilter(file);
  }

  @Test
  void save_makesWhatADanglingLinkPointsTo() throws IOException {
    Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("new.wbird"));
    filter.save(link);
    assertThat(Files.isSymbolicLink(link)).isTrue();
    holdsTheFilter(folder.resolve("new.wbird"));
  }

  /** A list that only its owner may read stays so, also while the next one is written. */
  @Test
  void save_keepsPermissions() throws IOException {
    assumeTrue(Files.getFileStore(folder).supportsFileAttributeView("posix"));
    Path file = Files.writeString(folder.resolve("secret.wbird"), "old");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r-----"));
    try (TemporaryFile written = TemporaryFile.create(file)) {
      Path part = folder.resolve(names(folder).get(0));
      assertThat(part).isNotEqualTo(file);
      assertThat(permissions(part)).isEqualTo("rw-------");
      written.finish();
    }
    assertThat(permissions(file)).isEqualTo("r--r-----");
    filter.save(file);
    assertThat(permissions(file)).isEqualTo("r--r-----");
    holdsTheFilter(file);
    // Permissions of this moment count, not those of the beginning.
    try (TemporaryFile written = TemporaryFile.create(file)) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
      written.finish();
    }
    assertThat(permissions(file)).isEqualTo("rw-rw----");
    // A new file has those that the system gives to every file.
    Path usual = Files.createFile(folder.resolve("usual"));
    filter.save(folder.resolve("new.wbird"));
    assertThat(permissions(folder.resolve("new.wbird"))).isEqualTo(permissions(usual));
    try (TemporaryFile written = TemporaryFile.create(file)) {
      Files.delete(file);
      written.finish();
    }
    assertThat(permissions(file)).isEqualTo("rw-rw----");
  }

  private static String permissions(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void save_refusesALinkToItself() throws IOException {
    Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("link"));
    assertThatExceptionOfType(FileSystemException.class)
        .isThrownBy(() -> filter.save(link))
        .withMessage(link + ": too many symbolic links");
    assertThat(names(folder)).containsExactly("link");
  }

  @Test
  void save_refusesWhatIsNoFile_alsoBehindALink() throws Exception {
    Path pipe = folder.resolve("pipe");
    assumeTrue(ChildJvm.works("mkfifo", pipe.toString()), "mkfifo is missing");
    Path link = Files.createSymbolicLink(folder.resolve("link"), pipe);
    for (Path path : List.of(pipe, link, folder)) {
      assertThatExceptionOfType(FileSystemException.class)
          .isThrownBy(() -> filter.save(path))
          .withMessage(path + ": not a regular file");
      assertThatExceptionOfType(FileSystemException.class)
          .isThrownBy(() -> Woodbird.frozen(Keys.longs()).buildTo(path, List.of(1L, 2L).iterator()))
          .withMessage(path + ": not a regular file");
    }
    assertThat(Files.readAttributes(pipe, "*", LinkOption.NOFOLLOW_LINKS))
        .containsEntry("isOther", true);
    assertThat(names(folder)).containsExactly("link", "pipe");
  }

  @Test
  void failures_nameTheFileAndNotTheTemporaryOne() throws IOException {
    Path tooLong = folder.resolve("x".repeat(300));
    assertThatExceptionOfType(FileSystemException.class)
        .isThrownBy(() -> filter.save(tooLong))
        .withMessageStartingWith(tooLong + ": ")
        .withMessageNotContaining(".tmp");
    assertThat(names(folder)).isEmpty();
  }

  @Test
  void aFile_mayHaveALongName() throws IOException {
    Path longest = folder.resolve("x".repeat(255));
    filter.save(longest);
    holdsTheFilter(longest);
  }

  /** Begins a file and waits: to be killed. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) throws IOException {
      try (FileBuilder file = new FileBuilder(Path.of(args[0]))) {
        file.write(0, new long[1000]);
        System.out.println("writing");
        int end = System.in.read();
        System.out.println("ended " + end);
      }
    }
  }

  private static Process writer(Path path) throws IOException {
    Process process = ChildJvm.start(ChildJvm.command(ChildJvm.SHORT_LIVED, Writer.class, path));
    byte[] said = process.getInputStream().readNBytes("writing\n".length());
    assertThat(new String(said, StandardCharsets.UTF_8)).isEqualTo("writing\n");
    return process;
  }

  private List<String> temporaries() throws IOException {
    return names(folder).stream().filter(name -> name.endsWith(".tmp")).toList();
  }

  @Test
  void theFileOfAKilledProcess_isRemovedByTheNextSaveInTheFolder_andThatOfALivingOneIsNot()
      throws Exception {
    Process killed = writer(folder.resolve("a.wbird"));
    Process living = writer(folder.resolve("b.wbird"));
    try {
      filter.save(folder.resolve("b.wbird"));
      filter.save(folder.resolve("c.wbird"));
      assertThat(temporaries()).hasSize(2);
      killed.destroyForcibly().waitFor();
      assertThat(temporaries()).hasSize(2);
      filter.save(folder.resolve("c.wbird"));
      assertThat(temporaries()).hasSize(1).allMatch(name -> name.startsWith(".b.wbird."));
    } finally {
      killed.destroyForcibly();
      living.destroyForcibly().waitFor();
    }
    FileWriter.removeUnfinished(folder.resolve("d.wbird"));
    assertThat(names(folder)).containsExactly("b.wbird", "c.wbird");
  }

  /** One that removes what is not locked, as another process would. */
  static final class Remover {
    private Remover() {}

    public static void main(String[] args) throws IOException {
      FileWriter.removeUnfinished(Path.of(args[0]));
    }
  }

  @Test
  void aSaveBesideAnotherOfThisProcess_leavesThatOneItsLock() throws Exception {
    Path path = folder.resolve("a.wbird");
    try (FileBuilder file = new FileBuilder(path)) {
      file.write(0, new long[1000]);
      filter.save(folder.resolve("b.wbird")); // Had it opened the file, the lock would be gone.
      ChildJvm.Result result =
          ChildJvm.run(ChildJvm.command(ChildJvm.SHORT_LIVED, Remover.class, path));
      assertThat(result.exit()).as(result.output()).isZero();
      assertThat(temporaries()).hasSize(1);
    }
    assertThat(names(folder)).containsExactly("b.wbird");
  }

  @Test
  void filesOfOthers_areNotRemoved() throws IOException {
    List<String> theirs =
        List.of(
            ".a.wbird.tmp",
            ".a.wbird.0f0e0d0c-0b0a-0908-0706-050403020100.tmp",
            "a.wbird.0f0e0d0c-0b0a-0908-0706-050403020100.wbird.tmp");
    for (String name : theirs) {
      Files.writeString(folder.resolve(name), "x");
    }
    filter.save(folder.resolve("a.wbird"));
    assertThat(names(folder)).containsAll(theirs);
  }
}
