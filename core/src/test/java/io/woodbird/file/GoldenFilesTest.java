package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Filter;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The files in {@code spec/vectors} mean what they always meant. */
@Tag("jdk")
class GoldenFilesTest {
  @TempDir private Path temporary;

  /** With -Dwoodbird.write the files are written anew; that is right only before a release. */
  @BeforeAll
  static void write() throws IOException {
    if (System.getProperty("woodbird.write") != null) {
      GoldenFiles.main(new String[] {GoldenFiles.folder().toString()});
      Path spec = GoldenFiles.folder().resolve("..");
      rewriteDump(spec.resolve("file-format.md"), dump(golden("two1-strings.wbird")));
      DamagedVectors.write();
      rewriteDump(spec.resolve("journal.md"), squeezed(dump(golden(GoldenFiles.JOURNAL))));
    }
  }

  private static void rewriteDump(Path page, String dump) throws IOException {
    String old = Files.readString(page);
    String block = "```\n00000000: .*?```\n";
    String text =
        Pattern.compile(block, Pattern.DOTALL)
            .matcher(old)
            .replaceFirst(Matcher.quoteReplacement("```\n" + dump + "```\n"));
    Files.writeString(page, text);
  }

  static Stream<GoldenFiles.Case<?>> cases() {
    return GoldenFiles.cases().stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theSameKeysAndSeed_giveTheSameBytes(GoldenFiles.Case<?> golden) throws IOException {
    assertThat(golden.bytes()).isEqualTo(golden(golden.file())).hasSizeLessThan(8192);
  }

  @ParameterizedTest
  @MethodSource("cases")
  <K> void everyWayToRead_givesTheListedAnswers(GoldenFiles.Case<K> golden) throws IOException {
    Path path = GoldenFiles.folder().resolve(golden.file());
    String line =
        Files.readAllLines(GoldenFiles.folder().resolve(GoldenFiles.INDEX)).stream()
            .filter(text -> text.startsWith("{\"file\": \"" + golden.file() + "\""))
            .findFirst()
            .orElseThrow();
    try (OpenFilter<K> mapped = Woodbird.open(path, golden.keys())) {
      mapped.verify();
      Filter<K> wrapped = Woodbird.wrap(ByteBuffer.wrap(golden(golden.file())), golden.keys());
      Filter<K> read = Woodbird.readFrom(Files.newInputStream(path), golden.keys());
      for (Filter<K> filter : List.of(mapped, wrapped, read)) {
        assertThat(golden.line(filter)).isEqualTo(line);
        assertThat(GoldenFiles.bytes(filter)).isEqualTo(golden(golden.file()));
      }
    }
  }

  @Test
  void theIndex_listsExactlyTheFiles() throws IOException {
    assertThat(text(GoldenFiles.INDEX)).isEqualTo(GoldenFiles.index());
    List<String> names = new ArrayList<>();
    try (Stream<Path> files = Files.list(GoldenFiles.folder())) {
      files
          .map(path -> path.getFileName().toString())
          .filter(name -> name.endsWith(".wbird"))
          .forEach(names::add);
    }
    assertThat(names)
        .containsExactlyInAnyOrderElementsOf(cases().map(GoldenFiles.Case::file).toList());
  }

  @Test
  void theHashes_areWhatTheyWere() throws IOException {
    assertThat(text(GoldenFiles.HASHES)).isEqualTo(GoldenFiles.hashes());
  }

  @Test
  void theJournal_isWrittenAndReplayedAsItWas() throws IOException {
    Path path = GoldenFiles.folder().resolve(GoldenFiles.JOURNAL);
    assertThat(GoldenFiles.journal(temporary)).isEqualTo(golden(GoldenFiles.JOURNAL));
    List<Long> hashes = new ArrayList<>();
    assertThat(JournalReader.replay(path, 5, 0x1122_3344, hashes::add))
        .isEqualTo(new JournalReader.Replay(false, 4, 0, false, null));
    assertThat(hashes).containsExactly(1L, -2L, 0x0123_4567_89ab_cdefL, 4L);
  }

  @Test
  void theDumpsInThePages_areThoseOfTheFiles() throws IOException {
    Path spec = GoldenFiles.folder().resolve("..");
    assertThat(Files.readString(spec.resolve("file-format.md")))
        .contains(dump(golden("two1-strings.wbird")));
    assertThat(Files.readString(spec.resolve("journal.md")))
        .contains(squeezed(dump(golden(GoldenFiles.JOURNAL))));
  }

  private static byte[] golden(String name) throws IOException {
    return Files.readAllBytes(GoldenFiles.folder().resolve(name));
  }

  private static String text(String name) throws IOException {
    return new String(golden(name), StandardCharsets.US_ASCII);
  }

  /** With an asterisk for lines of zeros, as xxd -a writes it. */
  private static String squeezed(String dump) {
    return dump.replaceAll(
        "(?m)(^[0-9a-f]{8}:( 00){16} .*\n)(^[0-9a-f]{8}:( 00){16} .*\n)+", "$1*\n");
  }

  /** Sixteen bytes a line, as xxd -g1 writes them. */
  private static String dump(byte[] bytes) {
    StringBuilder dump = new StringBuilder();
    for (int from = 0; from < bytes.length; from += 16) {
      StringBuilder hex = new StringBuilder();
      StringBuilder text = new StringBuilder();
      for (int i = from; i < Math.min(bytes.length, from + 16); i++) {
        hex.append(String.format(Locale.ROOT, " %02x", bytes[i]));
        text.append(bytes[i] >= ' ' && bytes[i] < 0x7f ? (char) bytes[i] : '.');
      }
      dump.append(String.format(Locale.ROOT, "%08x:%-48s  %s%n", from, hex, text));
    }
    return dump.toString();
  }
}
