package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.woodbird.testkit.RedisServer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real jar, started by the real launcher. Runs after the jar is packed. */
final class LauncherIT {
  private static final Path JAR = Path.of("target/woodbird.jar").toAbsolutePath();
  private static final Path LAUNCHER = Path.of("src/dist/bin/woodbird").toAbsolutePath();

  @TempDir Path folder;
  @TempDir static Path cache;

  @BeforeEach
  void needsAPosixShell() {
    assumeThat(Path.of("/bin/sh")).exists();
    assertThat(JAR).exists();
  }

  /** What a process said. */
  private record Said(int code, String out, String err) {}

  private ProcessBuilder builder(List<String> words) {
    // A suite that runs in the background ignores Ctrl-C, and so would all that it starts.
    List<String> all = new ArrayList<>(List.of("env", "--default-signal=INT"));
    all.addAll(words);
    ProcessBuilder builder = new ProcessBuilder(all).directory(folder.toFile());
    builder.environment().put("WOODBIRD_JAR", JAR.toString());
    builder.environment().put("WOODBIRD_CACHE", cache.toString());
    builder.environment().put("WOODBIRD_TRAIN", "now");
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    return builder;
  }

  private Said run(String... words) throws Exception {
    List<String> all = new ArrayList<>(List.of(LAUNCHER.toString()));
    all.addAll(List.of(words));
    return run(builder(all));
  }

  private Said shell(String script) throws Exception {
    return run(
        builder(List.of("bash", "-c", "woodbird() { '" + LAUNCHER + "' \"$@\"; }; " + script)));
  }

  private Said run(ProcessBuilder builder) throws Exception {
    Path out = folder.resolve(".out");
    Path err = folder.resolve(".err");
    Process process =
        builder
            .redirectInput(new java.io.File("/dev/null"))
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
    Said said = new Said(process.exitValue(), Files.readString(out), Files.readString(err));
    Files.delete(out);
    Files.delete(err);
    return said;
  }

  @Test
  void theJar_runsWithoutTheLauncherToo() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Said said = run(builder(List.of(java, "-jar", JAR.toString(), "--version")));
    assertThat(said.out).matches("woodbird [0-9][^\n]*\n");
    assertThat(said.err).isEmpty();
  }

  @Test
  void classes_comeFromTheSharedArchive() throws Exception {
    Said version = run("--version");
    assertThat(version.out).matches("woodbird [0-9][^\n]*\n");
    assertThat(version.err).isEmpty();
    Path log = folder.resolve("classes.log");
    ProcessBuilder builder = builder(List.of(LAUNCHER.toString(), "plan", "-n", "1M"));
    builder.environment().put("WOODBIRD_JAVA_OPTS", "-Xlog:class+load=info:file=" + log);
    assertThat(run(builder).code).isZero();
    assertThat(Files.readString(log))
        .containsPattern("io\\.woodbird\\.cli\\.verb\\.PlanVerb source: shared objects file");
  }

  @Test
  void aWholeDay_buildCheckDiffNewOverPipes() throws Exception {
    Said said =
        shell(
            """
            set -e -o pipefail
            seq 1 1000 > a.txt; seq 501 1500 > b.txt
            gzip -k a.txt
            woodbird build -q a.txt.gz -p 1e-9
            woodbird check a.wbird 7 > /dev/null
            seq 900 1100 | woodbird check -s a.wbird
            woodbird diff -q a.txt b.txt | sort | cmp - <(comm -23 <(sort a.txt) <(sort b.txt))
            woodbird common -q a.txt <(cat b.txt) | wc -l
            cat a.txt b.txt | woodbird new -q -s seen.wbird | wc -l
            cat a.txt b.txt | woodbird new -q -s seen.wbird | wc -l
            """);
    assertThat(said.err).isEmpty();
    assertThat(said.code).isZero();
    assertThat(said.out.lines().map(String::strip)).containsExactly("500", "1500", "0");
  }

  @Test
  void theArchive_isInstalledByUnpacking() throws Exception {
    Said said =
        shell(
            """
            set -e
            unset WOODBIRD_JAR
            tar xzf '%s'/woodbird-*.tar.gz
            ln -s woodbird-*/bin/woodbird link
            ./link --version
            ls woodbird-*/share/man/man1 woodbird-*/LICENSE woodbird-*/THIRD-PARTY.txt
            """
                .formatted(JAR.getParent()));
    assertThat(said.err).isEmpty();
    assertThat(said.code).isZero();
    assertThat(said.out).startsWith("woodbird ").contains("woodbird.1");
  }

  @Test
  void zstd_worksFromTheJarWithoutAWarning() throws Exception {
    byte[] lines = "alice\nbob\n".getBytes(StandardCharsets.UTF_8);
    Files.write(folder.resolve("k.zst"), com.github.luben.zstd.Zstd.compress(lines));
    Said said = run("build", "-q", "k.zst", "-o", "k.wbird");
    assertThat(said.err).isEmpty();
    assertThat(run("check", "k.wbird", "alice").out).isEqualTo("maybe here\n");
  }

  @Test
  void bench_runsFromTheJar() throws Exception {
    Said said = run("bench", "-n", "1000");
    assertThat(said.err).isEmpty();
    assertThat(said.out).contains("Guava BloomFilter").contains("HashSet<String>");
  }

  @Test
  void keysOnTheCommandLine_areTakenAsTheyAreOrNotAtAll() throws Exception {
    Said said =
        shell(
            """
            printf 'caf\\xc3\\xa9\\n\\xff\\n' | woodbird build -q -p 1e-9 -o caf$'\\xc3\\xa9'.wbird
            for locale in C C.UTF-8 de_DE.ISO-8859-1; do
              LC_ALL=$locale woodbird check caf$'\\xc3\\xa9'.wbird caf$'\\xc3\\xa9'; echo $?
              LC_ALL=$locale woodbird check caf$'\\xc3\\xa9'.wbird $'\\xff'; echo $?
            done
            """);
    assertThat(said.out.lines())
        .containsExactly("maybe here", "0", "3", "maybe here", "0", "3", "maybe here", "0", "3");
    assertThat(said.err).contains("WB-122  a key can't be taken from the command line");
  }

  @Test
  void aReaderThatGoesAway_endsItQuietly() throws Exception {
    Said said =
        shell("seq 1 2000000 > n; woodbird diff n /dev/null | head -1; echo ${PIPESTATUS[0]}");
    assertThat(said.out).isEqualTo("1\n141\n");
    assertThat(said.err).isEmpty();
  }

  @Test
  void aFullDisk_isAnErrorAndNotALoss() throws Exception {
    assumeThat(Path.of("/dev/full")).exists();
    for (String words : List.of("help", "--version", "console")) {
      Said said = shell("woodbird " + words + " > /dev/full");
      assertThat(said.code).as(words).isEqualTo(3);
      assertThat(said.err)
          .contains("WB-130  stdout can't be written.")
          .contains("No space left")
          .doesNotContain("Exception");
    }
    Said closed = shell("woodbird --version >&-");
    assertThat(closed.code).isEqualTo(3);
    assertThat(closed.err).contains("WB-130").contains("stdout is not open");
  }

  @Test
  void aClosedStdin_isAnErrorAndNoFileOfTheJvm() throws Exception {
    Said said =
        shell(
            """
            echo alice | woodbird build -q -o a.wbird
            for words in 'build -o b.wbird' 'check a.wbird' 'new -s seen.wbird' 'diff - a.wbird'; do
              woodbird $words <&-; echo $?
            done
            woodbird check a.wbird alice <&-; woodbird check a.wbird alice <&- 2>&-
            woodbird check -s a.wbird alice <&- >&- 2>&-; echo $?
            """);
    assertThat(said.out.lines())
        .containsExactly("3", "3", "3", "3", "maybe here", "maybe here", "0");
    assertThat(said.err.split("WB-120  stdin can't be read.\\n", -1)).hasSize(5);
    assertThat(said.err).contains("< FILE (stdin is not open)");
  }

  @Test
  void theOutput_mayBeADescriptorOfTheShell() throws Exception {
    Said said =
        shell(
            """
            seq 1 1000 > k.txt
            woodbird build -q --seed 1 k.txt
            woodbird build -q --seed 1 k.txt -o /dev/stdout | cmp - k.wbird && echo piped
            woodbird build -q --seed 1 k.txt -f -o /dev/fd/1 > a && cmp a k.wbird && echo redirected
            echo before > b; woodbird build -q --seed 1 k.txt -o /dev/stdout >> b
            tail -c +8 b | cmp - k.wbird && echo appended
            woodbird build -q --seed 1 k.txt -o /dev/fd/3 3> c && cmp c k.wbird && echo third
            echo before > d; woodbird build -q --seed 1 k.txt -f -o /dev/fd/3 3>> d
            tail -c +8 d | cmp - k.wbird && echo third appended
            ln -s /dev/stdout link; woodbird build -q --seed 1 k.txt -o link | cmp - k.wbird && echo link
            mkfifo p; cat p > e & woodbird build -q --seed 1 k.txt -o >(cat > p); wait
            cmp e k.wbird && echo substituted
            ls -A
            """);
    assertThat(said.err).isEmpty();
    assertThat(said.out.lines())
        .containsExactly(
            "piped",
            "redirected",
            "appended",
            "third",
            "third appended",
            "link",
            "substituted",
            ".err",
            ".out",
            "a",
            "b",
            "c",
            "d",
            "e",
            "k.txt",
            "k.wbird",
            "link",
            "p");
  }

  /** Reads what must come while the process goes on; a test must not wait for ever. */
  private static <T> T soon(Callable<T> read) throws Exception {
    FutureTask<T> task = new FutureTask<>(read);
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
    return task.get(5, TimeUnit.MINUTES);
  }

  @Test
  void theConsole_printsItsAddressAtOnce() throws Exception {
    Process process =
        builder(List.of(LAUNCHER.toString(), "console", "-q"))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      // Stdout is a pipe, and the process goes on.
      String line = soon(() -> process.inputReader(StandardCharsets.UTF_8).readLine());
      assertThat(line).startsWith("http://127.0.0.1:");
      assertThat(process.isAlive()).isTrue();
    } finally {
      interrupt(process);
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    }
  }

  @Test
  void lines_comeWhileTheInputIsOpen() throws Exception {
    assertThat(shell("seq 1 9 | woodbird build -q -p 1e-9 -o f.wbird").code).isZero();
    for (boolean gzip : new boolean[] {false, true}) {
      Process process =
          builder(List.of(LAUNCHER.toString(), "check", "-q", "f.wbird"))
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      OutputStream to = process.getOutputStream();
      try (OutputStream out = gzip ? new GZIPOutputStream(to, true) : to) {
        for (String line : List.of("1\n", "x\n7\n", "9\n")) {
          out.write(line.getBytes(StandardCharsets.UTF_8));
          out.flush();
          String last = line.substring(line.length() - 2);
          byte[] passed = soon(() -> process.getInputStream().readNBytes(2));
          assertThat(passed).asString().isEqualTo(last);
        }
      }
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    }
  }

  /** Starts a command, gives it more than fits into a pipe, and kills it. */
  private void killWhileItReads(String... words) throws Exception {
    List<String> all = new ArrayList<>(List.of(LAUNCHER.toString()));
    all.addAll(List.of(words));
    Process process = builder(all).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    byte[] line = "x".repeat(1023).concat("\n").getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < 4096; i++) {
      process.getOutputStream().write(line);
    }
    process.getOutputStream().flush();
    assertThat(process.destroyForcibly().waitFor()).isEqualTo(137);
  }

  private List<String> files(String name) throws IOException {
    try (var files = Files.list(folder.resolve(name))) {
      return files.map(file -> "" + file.getFileName()).sorted().toList();
    }
  }

  @Test
  void whatAKilledBuildLeft_isRemovedByTheNext() throws Exception {
    Files.createDirectories(folder.resolve("out"));
    killWhileItReads("build", "--family", "ribbon", "-o", "out/a.wbird");
    assertThat(files("out")).hasSize(1).allMatch(name -> name.endsWith(".wbird.tmp"));
    assertThat(shell("seq 1 9 | woodbird build -q -o out/b.wbird").code).isZero();
    assertThat(files("out")).containsExactly("b.wbird");
  }

  @Test
  void aKilledProcess_leavesNothingInTheTemporaryFolder() throws Exception {
    Files.createDirectories(folder.resolve("tmp"));
    Files.writeString(folder.resolve("b.txt"), "x\n");
    killWhileItReads("diff", "-", "b.txt", "--tmp", "tmp");
    assertThat(files("tmp")).isEmpty();
    killWhileItReads("build", "--memory", "1KB", "-o", "f.wbird", "--tmp", "tmp");
    assertThat(files("tmp")).isEmpty();
  }

  @Test
  void ctrlC_leavesNothingHalfDone() throws Exception {
    for (String family : List.of("bloom", "ribbon")) {
      Process process =
          builder(List.of(LAUNCHER.toString(), "build", "--family", family, "-o", "f.wbird"))
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      // It reads: the pipe takes more than fits into its buffer.
      byte[] line = "x".repeat(1023).concat("\n").getBytes(StandardCharsets.UTF_8);
      for (int i = 0; i < 4096; i++) {
        process.getOutputStream().write(line);
      }
      process.getOutputStream().flush();
      interrupt(process);
      assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
      assertThat(process.exitValue()).isEqualTo(130);
      try (var files = Files.list(folder)) {
        assertThat(files).isEmpty();
      }
    }
  }

  @Test
  void ctrlC_endsNewWithEverythingRemembered() throws Exception {
    ProcessBuilder builder =
        builder(List.of(LAUNCHER.toString(), "new", "-s", "seen.wbird", "-n", "1000"));
    Process process = builder.redirectError(folder.resolve("err").toFile()).start();
    process.getOutputStream().write("crow\nowl\n".getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
    // They come although the input is not at its end.
    assertThat(new String(process.getInputStream().readNBytes(9), StandardCharsets.UTF_8))
        .isEqualTo("crow\nowl\n");
    interrupt(process);
    assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).isEqualTo(130);
    assertThat(Files.readString(folder.resolve("err"))).contains("2 lines: 2 new");
    Said again = shell("printf 'owl\\nwren\\n' | woodbird new -s seen.wbird");
    assertThat(again.err).contains("closed cleanly");
    assertThat(again.out).isEqualTo("wren\n");
  }

  private static void interrupt(Process process) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("sh", "-c", "kill -INT " + process.pid()).start();
    assertThat(kill.waitFor()).isZero();
  }

  @Test
  void theRepositorysLauncher_isGoodShell() throws Exception {
    for (String script : List.of("../woodbird", "src/dist/bin/woodbird")) {
      Process process = new ProcessBuilder("bash", "-n", script).inheritIO().start();
      assertThat(process.waitFor()).isZero();
    }
  }

  @Test
  void redis_isInTheJarWithItsClientAndIsLoadedOnlyWhenItRuns() throws Exception {
    Files.writeString(folder.resolve("a.txt"), "a\nb\n");
    assertThat(run("build", "a.txt").code()).isZero();
    try (RedisServer server = RedisServer.start()) {
      String url = "--url=redis://127.0.0.1:" + server.port();
      Said pushed = run("redis", "push", "a.wbird", "keys", url);
      assertThat(pushed.err()).contains("is generation 2").doesNotContain("SLF4J");
      assertThat(pushed.code()).isZero();
      assertThat(run("redis", "pull", "keys", "-o", "b.wbird", url).code()).isZero();
      assertThat(folder.resolve("b.wbird")).hasSameBinaryContentAs(folder.resolve("a.wbird"));
      server.kill();
      Said away = run("redis", "status", url);
      assertThat(away.code()).isEqualTo(6);
      assertThat(away.err()).contains("WB-301").doesNotContain("SLF4J").doesNotContain("\tat ");
    }
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    for (List<String> words : List.of(List.of("--version"), List.of("help", "redis"))) {
      List<String> all = new ArrayList<>(List.of(java, "-verbose:class", "-jar", JAR.toString()));
      all.addAll(words);
      Said loaded = run(builder(all));
      assertThat(loaded.code()).isZero();
      assertThat(loaded.out()).contains("io.woodbird.cli.Main");
      assertThat(loaded.out()).doesNotContain("redis.clients").doesNotContain("io.woodbird.redis");
    }
  }
}
