package io.woodbird.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code release/rehearse}, with a Maven that only pretends: what it finds out. */
final class RehearseScriptTest {
  /** Deploys what a release has of one module; the last lines are each test's own. */
  private static final String MAVEN =
      """
      for option in "$@"; do
        case $option in *=rehearsal::file://*) repository=${option#*file://} ;; esac
      done
      for name in bom parent core; do
        base=$repository/io/woodbird/woodbird-$name/1.2/woodbird-$name-1.2
        mkdir -p "$(dirname "$base")"
        for file in .pom .jar -sources.jar -javadoc.jar -cyclonedx.json; do
          for end in "" .sha1 .asc; do echo same > "$base$file$end"; done
        done
      done
      core=$repository/io/woodbird/woodbird-core/1.2/woodbird-core-1.2
      """;

  private static final String POM =
      """
      <project>
        <parent><artifactId>woodbird-parent</artifactId></parent>
        <artifactId>%s</artifactId>
        <version>1.2-SNAPSHOT</version>
        <modules>
          %s
        </modules>
        %s
      </project>
      """;

  @TempDir private Path folder;
  @TempDir private Path elsewhere;

  @BeforeEach
  void pretend() throws IOException {
    write("release/rehearse", Files.readString(Page.root().resolve("release/rehearse")));
    String modules = "<module>bom</module>\n<module>core</module>\n<module>docs</module>";
    write(
        "pom.xml",
        POM.formatted("woodbird-parent", modules, "").replace("</parent>", "\n  </parent>"));
    write(
        "bom/pom.xml",
        POM.formatted("woodbird-bom", "", "").replaceFirst("<parent>.*</parent>", ""));
    write(
        "core/pom.xml",
        POM.formatted("woodbird-core", "", "").replace("</parent>", "\n  </parent>"));
    write("docs/pom.xml", "<maven.deploy.skip>true</maven.deploy.skip>");
    program("gpg", "exit 0");
  }

  private void write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private void program(String name, String body) throws IOException {
    ScriptRun.program(folder.resolve("bin").resolve(name), body);
  }

  private String rehearse(int code, String... options) throws Exception {
    ScriptRun run =
        ScriptRun.of(folder, elsewhere.resolve("out"), Map.of(), "release/rehearse", options);
    String said = String.join("\n", run.lines());
    assertThat(run.code()).as(said).isEqualTo(code);
    return said;
  }

  @Test
  void aWholeRelease_isBuiltTwiceAndCompared() throws Exception {
    program("mvn", MAVEN + "date +%N > \"$core.jar.asc\"");
    assertThat(rehearse(0))
        .contains("7 files of 3 modules")
        .contains("two builds are equal, byte for byte");
    Path core = folder.resolve("target/rehearsal/repository/io/woodbird/woodbird-core/1.2");
    assertThat(core.resolve("woodbird-core-1.2.jar")).exists();
    assertThat(folder.resolve("target/rehearsal/one/core/pom.xml"))
        .content()
        .doesNotContain("SNAPSHOT");
  }

  @Test
  void aByteThatDiffers_isNamed() throws Exception {
    program("mvn", MAVEN + "pwd > \"$core-sources.jar\"");
    assertThat(rehearse(1)).contains("two builds differ").contains("woodbird-core-1.2-sources.jar");
    assertThat(rehearse(0, "--once")).doesNotContain("differ");
  }

  @Test
  void aFileThatIsMissing_isNamed() throws Exception {
    program("mvn", MAVEN + "rm \"$core-javadoc.jar.asc\"");
    assertThat(rehearse(1)).contains("missing: ").contains("woodbird-core-1.2-javadoc.jar.asc");
  }

  /** The plugin that makes it does nothing then. */
  @Test
  void offline_theBillOfMaterialsMayBeMissing() throws Exception {
    program("mvn", MAVEN + "rm \"$core-cyclonedx.json\"");
    assertThat(rehearse(1, "--once")).contains("cyclonedx");
    rehearse(0, "--once", "--", "-o");
  }

  @Test
  void aBuildThatFails_failsTheRehearsal() throws Exception {
    program("mvn", "exit 1");
    rehearse(1);
  }
}
