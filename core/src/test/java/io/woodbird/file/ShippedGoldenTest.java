package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files in {@code spec/vectors/shipped} mean what they always meant. */
@Tag("jdk")
final class ShippedGoldenTest {
  @TempDir private Path work;

  /** With -Dwoodbird.write the files are written anew; that is right only before a release. */
  @BeforeAll
  static void write(@TempDir Path folder) throws IOException {
    if (System.getProperty("woodbird.write") != null) {
      ShippedGolden.write(folder);
    }
  }

  @Test
  void theSameKeysAndSeed_giveTheSameBytes() throws IOException {
    for (var file : ShippedGolden.make(work).entrySet()) {
      assertThat(ShippedGolden.folder().resolve(file.getKey())).hasBinaryContent(file.getValue());
    }
  }

  @Test
  void aDelta_makesTheNewFile() throws IOException {
    Path folder = ShippedGolden.folder();
    assertThat(folder.resolve("patches.jsonl")).hasContent(ShippedGolden.patches());
    for (String pair : ShippedGolden.PAIRS) {
      Path made = work.resolve("made.wbird");
      Woodbird.patch(
          folder.resolve(ShippedGolden.old(pair)),
          folder.resolve(ShippedGolden.difference(pair)),
          made);
      assertThat(made).hasSameBinaryContentAs(folder.resolve(ShippedGolden.now(pair)));
    }
  }

  @Test
  void everyFile_givesTheListedAnswers() throws IOException {
    List<String> lines = Files.readAllLines(ShippedGolden.folder().resolve(GoldenFiles.INDEX));
    assertThat(lines).hasSameSizeAs(ShippedGolden.FILES);
    for (int i = 0; i < lines.size(); i++) {
      String file = ShippedGolden.FILES.get(i);
      try (OpenFilter<String> filter =
          ShippedGolden.open(ShippedGolden.folder().resolve(file), work)) {
        filter.verify();
        assertThat(ShippedGolden.line(file, filter, work)).isEqualTo(lines.get(i));
        assertThat(ShippedGolden.denied(file, filter)).isZero();
      }
    }
  }

  @Test
  void theSecondReader_givesTheListedAnswers() throws Exception {
    assumeTrue(ChildJvm.works("python3", "--version"), "python3 is missing: the second reader");
    Path script = GoldenFiles.folder().resolve("../reference/woodbird.py");
    ChildJvm.Result result =
        ChildJvm.run(
            List.of("python3", "-B", script.toString(), ShippedGolden.folder().toString()));
    assertThat(result.exit()).as(result.output()).isZero();
    assertThat(result.output()).contains("4 files");
  }
}
