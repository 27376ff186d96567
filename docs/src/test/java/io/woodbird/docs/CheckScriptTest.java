package io.woodbird.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code check}, with a Maven that only pretends: what it starts, counts and says. */
final class CheckScriptTest {
  private static final String REPORT =
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuite name="io.woodbird.ATest" tests="4" errors="1" skipped="1" failures="1">
        <testcase name="one" classname="io.woodbird.ATest" time="0.1">
          <system-out><![CDATA[<testsuite tests="9">
      <failure
      ]]></system-out>
        </testcase>
        <testcase name="two{int}[1]" classname="io.woodbird.ATest" time="0.1">
          <failure message="no"><![CDATA[no]]></failure>
        </testcase>
        <testcase name="three" classname="io.woodbird.ATest" time="0.1">
          <error message="worse"><![CDATA[worse]]></error>
        </testcase>
        <testcase name="four" classname="io.woodbird.ATest" time="0.1">
          <skipped message="not here"/>
        </testcase>
      </testsuite>
      """;
  private static final String GOOD =
      "<testsuite tests=\"3\" errors=\"0\" skipped=\"1\" failures=\"0\">\n</testsuite>\n";

  @TempDir private Path folder;

  private record Said(int code, List<String> lines, List<String> calls) {
    String last() {
      return lines.get(lines.size() - 1);
    }

    boolean called(String words) {
      return calls.stream().anyMatch(call -> call.contains(words));
    }
  }

  @BeforeEach
  void pretend() throws IOException {
    Files.copy(Page.root().resolve("check"), folder.resolve("check"));
    Files.createDirectories(folder.resolve("examples/hello/src"));
    Files.writeString(folder.resolve("examples/hello/pom.xml"), "<project/>");
    Files.writeString(folder.resolve("examples/hello/build.gradle"), "");
    program("bin/gradle", "echo gradle \"$@\" >> calls");
    // Nobody who could install anything.
    program("bin/id", "echo 1000");
    program("jdk/bin/javac", "echo javac 17.0.1");
    program("jdk/bin/java", "echo java \"$@\" >> calls");
    program(
        "release/rehearse",
        "echo rehearse >> calls; mkdir -p target/rehearsal/repository/io/woodbird");
    program("jdk25/bin/java", "echo 'openjdk version \"25.0.1\"'");
    maven(GOOD, "exit 0");
  }

  private void program(String name, String body) throws IOException {
    ScriptRun.program(folder.resolve(name), body);
  }

  /** A Maven that leaves a report of "verify", and then ends as it is told. */
  private void maven(String report, String end) throws IOException {
    Files.writeString(folder.resolve("report"), report);
    program(
        "bin/mvn",
        """
        echo "$*" >> calls
        case "$*" in
          *spotless:check*)
            test ! -e ugly || echo '[ERROR] The following files had format violations:'
            ;;
          *verify*)
            mkdir -p core/target/surefire-reports
            cp report core/target/surefire-reports/TEST-a.xml
            %s
            ;;
          *-Djvm=*)
            echo said by the other
            test ! -e broken
            ;;
        esac
        """
            .formatted(end));
  }

  private Said check(String... options) throws Exception {
    Map<String, String> environment =
        Map.of(
            "JAVA_HOME", folder.resolve("jdk").toString(),
            "JAVA25_HOME", folder.resolve("jdk25").toString(),
            "HOME", folder.toString());
    ScriptRun run = ScriptRun.of(folder, folder.resolve("out"), environment, "check", options);
    return new Said(run.code(), run.lines(), Files.readAllLines(folder.resolve("calls")));
  }

  @Test
  void whenAllIsWell_everyPartRunsAndTheLastLineCounts() throws Exception {
    Said said = check();
    assertThat(said.code).as("%s", said.lines).isZero();
    assertThat(said.last()).isEqualTo("2 passed, 0 failed, 1 skipped");
    assertThat(said.calls).hasSize(6);
    assertThat(said.called("rehearse")).isFalse();
    assertThat(said.called("verify")).isTrue();
    assertThat(said.called("install")).isTrue();
    assertThat(said.called("package -f " + folder.toRealPath().resolve("target/hello"))).isTrue();
    assertThat(said.called("-Djvm=" + folder.resolve("jdk25/bin/java"))).isTrue();
    assertThat(said.calls.stream().filter(call -> call.startsWith("java "))).hasSize(1);
  }

  @Test
  void theSlowCheck_rehearsesAReleaseAndRunsAProjectThatUsesIt() throws Exception {
    Said said = check("--slow");
    assertThat(said.code).as("%s", said.lines).isZero();
    assertThat(said.called("rehearse")).isTrue();
    assertThat(said.called("gradle ")).isTrue();
    assertThat(said.calls.stream().filter(call -> call.startsWith("java ")))
        .hasSize(3)
        .last()
        .asString()
        .contains("hello-gradle", "woodbird-core-0.1.0.jar");
  }

  @Test
  void whenTheProjectThatUsesIt_doesNotRun_theCheckFails() throws Exception {
    program("jdk/bin/java", "exit 1");
    assertThat(check().code).isEqualTo(1);
  }

  @Test
  void whenTestsFail_theyAreNamedAndEveryPartRuns() throws Exception {
    maven(REPORT, "exit 0");
    Said said = check();
    assertThat(said.code).isEqualTo(1);
    assertThat(said.last()).isEqualTo("1 passed, 2 failed, 1 skipped");
    assertThat(said.lines.stream().filter(line -> line.startsWith("failed: ")))
        .containsExactly(
            "failed: io.woodbird.ATest.three (core)",
            "failed: io.woodbird.ATest.two{int}[1] (core)");
    assertThat(said.calls).hasSize(6);
    assertThat(said.called("--fail-at-end -Dmaven.test.failure.ignore=true")).isTrue();
  }

  @Test
  void whenAModuleDoesNotCompile_theCheckFailsAndTheOtherJdkRuns() throws Exception {
    maven(GOOD, "exit 1");
    Said said = check();
    assertThat(said.code).isEqualTo(1);
    assertThat(said.lines).contains("failed: mvn verify on JDK 17, see above");
    assertThat(said.last()).isEqualTo("2 passed, 1 failed, 1 skipped");
    assertThat(said.called("-Djvm=")).isTrue();
    assertThat(said.called("install")).isFalse();
  }

  @Test
  void whenCoreIsTested_theOtherJdkRunsBesideTheOtherModules() throws Exception {
    maven(
        GOOD,
        """
        echo '[INFO] --- maven-jar-plugin:3.5.1:jar (default-jar) @ woodbird-core ---'
                for i in {1..600}; do
                  ! grep -q -- -Djvm= calls || exit 0
                  sleep 0.1
                done
                exit 1""");
    Said said = check();
    assertThat(said.code).as("%s", said.lines).isZero();
    assertThat(said.calls).hasSize(6);
    assertThat(said.lines).containsOnlyOnce("said by the other");
  }

  @Test
  void whenTheOtherJdkBreaks_theCheckFails() throws Exception {
    Files.createFile(folder.resolve("broken"));
    Said said = check();
    assertThat(said.code).isEqualTo(1);
    assertThat(said.lines)
        .contains(
            "said by the other",
            "failed: the tests of core that are tagged jdk on JDK 25, see above");
    assertThat(said.last()).isEqualTo("2 passed, 1 failed, 1 skipped");
  }

  /** Maven itself calls that a success if it is to look at all modules. */
  @Test
  void whenTheFormatIsWrong_theCheckFailsAndEveryPartRuns() throws Exception {
    Files.createFile(folder.resolve("ugly"));
    Said said = check();
    assertThat(said.code).isEqualTo(1);
    assertThat(said.lines).contains("failed: the format of the code, see above");
    assertThat(said.last()).isEqualTo("2 passed, 1 failed, 1 skipped");
    assertThat(said.calls).hasSize(6);
  }

  @Test
  void theFormatIsCheckedOnce() throws Exception {
    Said said = check("--slow");
    assertThat(said.calls.stream().filter(call -> call.matches(".* (verify|install) .*")))
        .hasSize(2)
        .allMatch(call -> call.contains("-Dspotless.check.skip"));
    assertThat(said.calls.stream().filter(call -> call.contains("spotless:check"))).hasSize(1);
  }

  /** Maven itself calls that a success if it is to go on after tests that fail. */
  @Test
  void whenTestsHang_theCheckFails() throws Exception {
    maven(GOOD, "echo '[ERROR] There was a timeout in the fork'");
    assertThat(check().code).isEqualTo(1);
  }

  @Test
  void whatIsInstalled_staysOutOfTheUsersRepository() throws Exception {
    Path usual = folder.resolve("usual");
    Files.createDirectories(usual.resolve("org/other"));
    Files.createDirectories(usual.resolve("io/other"));
    Files.createDirectories(usual.resolve("io/woodbird"));
    Said said = check("--", "-Dmaven.repo.local=" + usual);
    assertThat(said.code).as("%s", said.lines).isZero();
    Path own = folder.toRealPath().resolve("target/repository");
    assertThat(said.calls.stream().filter(call -> call.matches(".* (install|package) .*")))
        .hasSize(2)
        .allMatch(call -> call.endsWith("-Dmaven.repo.local=" + own));
    assertThat(own.resolve("org")).isSymbolicLink();
    assertThat(own.resolve("io/other")).isSymbolicLink();
    assertThat(own.resolve("io/woodbird")).doesNotExist();
  }
}
