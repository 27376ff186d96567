package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.Jazzer;
import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lets Jazzer search for inputs that a reader can't stand, each target in a JVM of its own. */
@Tag("slow")
class LongFuzzTest {
  /** How long each; -Dwoodbird.fuzz.seconds=3600 for more. */
  private static final int SECONDS = Integer.getInteger("woodbird.fuzz.seconds", 120);

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(
      classes = {
        Filter.class,
        SealedFilter.class,
        SealedForeign.class,
        Journal.class,
        SealedJournal.class
      })
  void noInputDoesHarm(Class<?> target) throws Exception {
    String name = target.getSimpleName();
    Path corpus = Files.createDirectory(folder.resolve("corpus"));
    List<String> command =
        ChildJvm.command(
            List.of("-Xmx1g", "-XX:+EnableDynamicAgentLoading"),
            List.of(target, FuzzedDataProvider.class),
            Jazzer.class,
            "--target_class=" + target.getName(),
            "--instrumentation_includes=io.woodbird.**",
            "--reproducer_path=" + folder,
            "-artifact_prefix=" + folder + "/",
            "-max_total_time=" + SECONDS,
            "-max_len=20000",
            "-seed=1",
            corpus,
            Path.of(System.getProperty("basedir", "."), "src/test/resources/io/woodbird/file")
                .resolve("FileFuzzTestInputs")
                .resolve(Character.toLowerCase(name.charAt(0)) + name.substring(1)));
    ChildJvm.Result result = ChildJvm.run(command);
    String[] lines = result.output().split("\n");
    System.out.println(name + ": " + lines[lines.length - 1]);
    assertThat(result.exit()).as(result.output()).isZero();
  }

  /** {@link FuzzTargets#filter}. */
  public static final class Filter {
    private Filter() {}

    /** Called by Jazzer. */
    public static void fuzzerTestOneInput(byte[] bytes) {
      FuzzTargets.filter(bytes);
    }
  }

  /** {@link FuzzTargets#sealedFilter}. */
  public static final class SealedFilter {
    private SealedFilter() {}

    /** Called by Jazzer. */
    public static void fuzzerTestOneInput(byte[] bytes) {
      FuzzTargets.sealedFilter(bytes);
    }
  }

  /** {@link FuzzTargets#sealedForeign}. */
  public static final class SealedForeign {
    private SealedForeign() {}

    /** Called by Jazzer. */
    public static void fuzzerTestOneInput(byte[] bytes) {
      FuzzTargets.sealedForeign(bytes);
    }
  }

  /** {@link FuzzTargets#journal}. */
  public static final class Journal {
    private Journal() {}

    /** Called by Jazzer. */
    public static void fuzzerTestOneInput(byte[] bytes) {
      FuzzTargets.journal(bytes);
    }
  }

  /** {@link FuzzTargets#sealedJournal}. */
  public static final class SealedJournal {
    private SealedJournal() {}

    /** Called by Jazzer. */
    public static void fuzzerTestOneInput(byte[] bytes) {
      FuzzTargets.sealedJournal(bytes);
    }
  }
}
