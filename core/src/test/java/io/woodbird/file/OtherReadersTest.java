package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.woodbird.Filter;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyForm;
import io.woodbird.key.Keys;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The readers in JavaScript and in Go agree with the one in Java. */
class OtherReadersTest {
  /** A reader in another language. */
  enum Reader {
    JAVASCRIPT {
      @Override
      List<String> command(Path folder) {
        assumeTrue(
            ChildJvm.works("node", "--version"),
            "node is missing: not tested is the reader in JavaScript");
        return List.of("node", REFERENCE.resolve("check.mjs").toString());
      }
    },
    GO {
      @Override
      List<String> command(Path folder) throws Exception {
        assumeTrue(
            ChildJvm.works("go", "version"), "go is missing: not tested is the reader in Go");
        Path program = folder.resolve("reader");
        Path source = REFERENCE.resolve("go").toAbsolutePath();
        String build = "cd '" + source + "' && go vet . && go build -o '" + program + "' .";
        ChildJvm.Result built = ChildJvm.run(List.of("sh", "-c", build));
        assertThat(built.exit()).as(built.output()).isZero();
        return List.of(program.toString());
      }
    };

    private static final Path REFERENCE = GoldenFiles.folder().resolve("../reference");

    /** Returns the words that start it, or skips the test where its language is missing. */
    abstract List<String> command(Path folder) throws Exception;
  }

  @TempDir private Path folder;

  private static ChildJvm.Result run(List<String> reader, List<?> arguments) throws Exception {
    List<String> command = new ArrayList<>(reader);
    arguments.forEach(argument -> command.add(argument.toString()));
    return ChildJvm.run(command);
  }

  @ParameterizedTest
  @EnumSource(Reader.class)
  void itPassesTheVectorsAndRefusesWhatIsDamaged(Reader reader) throws Exception {
    List<String> command = reader.command(folder);
    List<Path> folders;
    try (Stream<Path> all = Files.walk(GoldenFiles.folder())) {
      folders = all.filter(path -> Files.exists(path.resolve("index.jsonl"))).sorted().toList();
    }
    ChildJvm.Result result = run(command, folders);
    assertThat(result.exit()).as(result.output()).isZero();
    assertThat(result.output().lines()).hasSameSizeAs(folders).hasSizeGreaterThanOrEqualTo(6);
    assertThat(result.output()).contains("66 files, 3168 answers, 578 hashes").contains("damaged");

    byte[] bytes = Files.readAllBytes(GoldenFiles.folder().resolve("two1-strings.wbird"));
    Path path = folder.resolve("damaged.wbird");
    for (int bit : new int[] {0, 8 * 20, 8 * 130, 8 * 253, 8 * 300, 8 * 577, 8 * 590}) {
      Files.write(path, Surgery.flipBit(bytes, bit));
      ChildJvm.Result refused = run(command, List.of(path, "crow"));
      assertThat(refused.exit()).as("bit " + bit + ": " + refused.output()).isNotZero();
      assertThat(refused.output()).contains("damaged or foreign").doesNotContain("not here");
    }
  }

  @ParameterizedTest
  @EnumSource(Reader.class)
  void itGivesTheSameAnswers(Reader reader) throws Exception {
    List<String> command = reader.command(folder);
    List<String> keys = IntStream.range(0, 3000).mapToObj(i -> "key " + i).toList();
    Map<String, Filter<String>> filters = new LinkedHashMap<>();
    filters.put("bloom", put(Woodbird.bloom(Keys.strings(), 3000).fpp(1e-4).build(), keys));
    filters.put("deletable", put(Woodbird.deletable(Keys.strings(), 3000).build(), keys));
    filters.put("growing", put(Woodbird.growing(Keys.strings()).build(), keys));
    filters.put("ribbon", Woodbird.frozen(Keys.strings()).fpp(0.03).buildFrom(keys));
    filters.put("fuse", Woodbird.frozen(Keys.strings()).fastToAsk().buildFrom(keys));
    for (Map.Entry<String, Filter<String>> filter : filters.entrySet()) {
      Path path = folder.resolve(filter.getKey());
      filter.getValue().save(path);
      List<Object> arguments = new ArrayList<>(List.of(path));
      StringBuilder expected = new StringBuilder();
      for (int i = 2500; i < 4000; i++) {
        String key = "key " + i;
        arguments.add(key);
        boolean maybe = filter.getValue().mightContain(key);
        expected.append(key).append(maybe ? ": maybe here\n" : ": not here\n");
      }
      assertThat(run(command, arguments).output()).as(filter.getKey()).endsWith(expected);
    }
    // A form that it does not know would make other keys of the same text.
    Path lower = folder.resolve("lower");
    Woodbird.frozen(Keys.strings(KeyForm.LOWER)).buildFrom(keys).save(lower);
    ChildJvm.Result refused = run(command, List.of(lower, "KEY 1"));
    assertThat(refused.output())
        .contains("damaged or foreign: keys bytes:rapidhash3+lower")
        .doesNotContain("not here");
  }

  private static Filter<String> put(MutableFilter<String> filter, List<String> keys) {
    filter.putAll(keys);
    return filter;
  }
}
