package io.woodbird.filter.frozen;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Filter;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The files in {@code spec/vectors/lists} mean what they always meant. */
@Tag("jdk")
final class ListGoldenTest {
  /** With -Dwoodbird.write the files are written anew; that is right only before a release. */
  @BeforeAll
  static void write() throws IOException {
    if (System.getProperty("woodbird.write") != null) {
      ListGolden.main(new String[] {ListGolden.folder().toString()});
    }
  }

  static Stream<ListGolden> cases() {
    return ListGolden.ALL.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theSameKeysAndSeed_giveTheSameBytes(ListGolden golden) throws IOException {
    assertThat(ListGolden.folder().resolve(golden.file())).hasBinaryContent(golden.bytes());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void everyWayToRead_givesTheListedAnswers(ListGolden golden) throws IOException {
    Path path = ListGolden.folder().resolve(golden.file());
    String line =
        Files.readAllLines(ListGolden.folder().resolve(ListGolden.INDEX)).stream()
            .filter(text -> text.startsWith("{\"file\": \"" + golden.file() + "\""))
            .findFirst()
            .orElseThrow();
    try (OpenFilter<String> opened = Woodbird.open(path, Keys.strings());
        InputStream in = Files.newInputStream(path)) {
      opened.verify();
      byte[] bytes = Files.readAllBytes(path);
      Filter<String> wrapped = Woodbird.wrap(ByteBuffer.wrap(bytes), Keys.strings());
      for (Filter<String> filter :
          List.of(opened, wrapped, Woodbird.readFrom(in, Keys.strings()))) {
        assertThat(golden.line(filter)).isEqualTo(line);
        assertThat(golden.isRight(filter)).isTrue();
      }
    }
  }

  @Test
  void theIndex_listsExactlyTheFiles() throws IOException {
    assertThat(Files.readString(ListGolden.folder().resolve(ListGolden.INDEX)))
        .isEqualTo(ListGolden.index());
    try (Stream<Path> files = Files.list(ListGolden.folder())) {
      assertThat(files.map(path -> path.getFileName().toString()).filter(n -> n.endsWith(".wbird")))
          .containsExactlyInAnyOrderElementsOf(cases().map(ListGolden::file).toList());
    }
  }

  @Test
  void theSecondReader_givesTheListedAnswers() throws Exception {
    Process python;
    try {
      python =
          new ProcessBuilder(
                  "python3",
                  ListGolden.folder().resolve("../../reference/woodbird.py").toString(),
                  ListGolden.folder().toString())
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      Assumptions.abort("python3 is missing: " + e.getMessage());
      return;
    }
    String said = new String(python.getInputStream().readAllBytes());
    assertThat(python.waitFor()).as(said).isZero();
    assertThat(said).contains(ListGolden.ALL.size() + " files").contains("all as they should be");
  }
}
