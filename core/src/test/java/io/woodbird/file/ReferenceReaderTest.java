package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.woodbird.BloomBuilder;
import io.woodbird.BloomFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reader in Python, written from the specification alone, agrees with the one in Java. */
class ReferenceReaderTest {
  @TempDir private Path folder;

  @BeforeAll
  static void needsPython() {
    assumeTrue(
        ChildJvm.works("python3", "--version"),
        "python3 is missing: not tested is the second reader in spec/reference");
  }

  private static ChildJvm.Result python(Object... arguments) throws Exception {
    Path reader = GoldenFiles.folder().resolve("../reference/woodbird.py");
    List<String> command = new ArrayList<>(List.of("python3", reader.toString()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return ChildJvm.run(command);
  }

  @Test
  void itPassesTheVectors() throws Exception {
    ChildJvm.Result result = python(GoldenFiles.folder());
    assertThat(result.exit()).as(result.output()).isZero();
    assertThat(result.output()).contains("66 files, 3168 answers");
  }

  /** With -Dwoodbird.write the pages are written anew. */
  @Test
  void theWorkedExamples_areThoseOfTheVectors() throws Exception {
    Path spec = GoldenFiles.folder().resolve("..");
    List<String> command = new ArrayList<>(List.of("python3", "-B"));
    command.add(spec.resolve("reference/examples.py").toString());
    command.add(spec.toString());
    if (System.getProperty("woodbird.write") != null) {
      command.add("--write");
    }
    ChildJvm.Result result = ChildJvm.run(command);
    assertThat(result.exit()).as(result.output()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void itGivesTheSameAnswers(boolean classic) throws Exception {
    for (double fpp : new double[] {0.3, 0.05, 0.01, 1e-3, 1e-4, 1e-8}) {
      BloomBuilder<String> builder = Woodbird.bloom(Keys.strings(), 300).fpp(fpp);
      BloomFilter<String> filter = (classic ? builder.classic() : builder).build();
      for (int i = 0; i < 300; i++) {
        filter.put("key " + i);
      }
      Path path = folder.resolve("filter.wbird");
      filter.save(path);
      List<Object> arguments = new ArrayList<>(List.of(path));
      StringBuilder expected = new StringBuilder();
      for (int i = 0; i < 600; i++) {
        String key = "key " + i;
        arguments.add(key);
        expected.append(key).append(filter.mightContain(key) ? ": maybe here\n" : ": not here\n");
      }
      ChildJvm.Result result = python(arguments.toArray());
      assertThat(result.output()).endsWith(expected);
    }
  }

  @Test
  void itRefusesWhatIsDamaged() throws Exception {
    byte[] bytes = Files.readAllBytes(GoldenFiles.folder().resolve("two1-strings.wbird"));
    Path path = folder.resolve("damaged.wbird");
    for (int bit :
        new int[] {0, 8 * 20, 8 * 130, 8 * 253, 8 * 300, 8 * 577, 8 * 582, 8 * 590, 8 * 595}) {
      Files.write(path, Surgery.flipBit(bytes, bit));
      ChildJvm.Result result = python(path, "crow");
      assertThat(result.exit()).as("bit " + bit + ": " + result.output()).isNotZero();
      assertThat(result.output()).contains("damaged or foreign").doesNotContain("not here");
    }
  }
}
