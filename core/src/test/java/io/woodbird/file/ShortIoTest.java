package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every read and every write of a program is short: it makes the same files, and denies no key. */
@Tag("slow")
class ShortIoTest {
  @TempDir private Path folder;

  @Test
  void shortReadsAndWrites_changeNoFile_andNoAnswer() throws Exception {
    Path library = library();
    Path plain = Files.createDirectory(folder.resolve("plain"));
    Path shortened = Files.createDirectory(folder.resolve("short"));
    String expected = run(plain, List.of());
    String output =
        run(shortened, List.of("env", "LD_PRELOAD=" + library, "WOODBIRD_SHORT=" + shortened));
    int calls = CrashPoints.lastNumber(output, "shortened ");
    System.out.println("short reads and writes: " + calls);
    assertThat(calls).isGreaterThan(1000);
    assertThat(output).isEqualTo(expected + "shortened " + calls + "\n");
    assertThat(expected)
        .contains("recovered false: denied 0\n")
        .doesNotContainPattern("denied [1-9]");
    List<Path> names = names(plain);
    assertThat(names).hasSizeGreaterThan(10).isEqualTo(names(shortened));
    for (Path name : names) {
      assertThat(shortened.resolve(name)).hasSameBinaryContentAs(plain.resolve(name));
    }
  }

  private static String run(Path own, List<String> prefix) throws Exception {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(ChildJvm.command(ChildJvm.SHORT_LIVED, ShortIoProgram.class, own));
    ChildJvm.Result result = ChildJvm.run(command);
    assertThat(result.exit()).as(result.output()).isZero();
    return result.output();
  }

  private static List<Path> names(Path of) throws IOException {
    try (Stream<Path> files = Files.walk(of)) {
      return files.filter(Files::isRegularFile).map(of::relativize).sorted().toList();
    }
  }

  private Path library() throws IOException {
    Path source = folder.resolve("short_io.c");
    try (InputStream in = ShortIoTest.class.getResourceAsStream("short_io.c")) {
      Files.copy(in, source);
    }
    Path library = folder.resolve("short_io.so");
    assumeTrue(
        ChildJvm.works("cc", "-shared", "-fPIC", "-o", library.toString(), source.toString()),
        "there is no C compiler: not tested are short reads and writes of the system");
    return library;
  }
}
