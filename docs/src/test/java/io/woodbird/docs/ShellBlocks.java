package io.woodbird.docs;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The commands of one page, run by bash in one empty folder. There, {@code ./woodbird} is the
 * command line from this build.
 */
final class ShellBlocks {
  private static final long SECONDS = 600;
  private static final Pattern OF_THE_COMMAND =
      Pattern.compile(
          "/(woodbird-)?(cli|core|console|redis|jdbc)[-/]|/(jackson-core|zstd-jni|jedis|slf4j)-");

  private final String page;
  private final Path folder;
  private final Path output;
  private String hidden = "";
  private String printed = "";

  ShellBlocks(Page page, Path folder) throws IOException {
    this.page = page.name();
    this.folder = folder;
    this.output = Files.createTempFile("woodbird-page", ".out");
    output.toFile().deleteOnExit();
    Path launcher = folder.resolve("woodbird");
    Files.writeString(
        launcher,
        "#!/bin/sh\nexec '"
            + Path.of(System.getProperty("java.home"), "bin", "java")
            + "' -Xshare:auto -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '"
            + classPath()
            + "' io.woodbird.cli.Main \"$@\"\n");
    if (!launcher.toFile().setExecutable(true)) {
      throw new IOException("can't make it executable: " + launcher);
    }
  }

  /**
   * That of this JVM, with what the command needs before all others, which it need not open then.
   */
  private static String classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .sorted(Comparator.comparing(entry -> !OF_THE_COMMAND.matcher(entry).find()))
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Lines that the next block begins with. */
  void hidden(String text) {
    hidden += text + "\n";
  }

  /** Runs a block of commands; the first that fails ends it. */
  void script(int line, String text) throws Exception {
    printed = bash(line, text);
  }

  /** Runs a block of commands after "$ ", each followed by what it prints. */
  void console(int line, String text) throws Exception {
    String command = null;
    StringBuilder shown = new StringBuilder();
    int number = line;
    for (String one : (text + "$ ").lines().toList()) {
      number++;
      if (!one.startsWith("$ ")) {
        shown.append(one).append('\n');
        continue;
      }
      if (command != null) {
        String came = bash(number - 1, command);
        try {
          Stage.compare(shown.toString(), came);
        } catch (AssertionError e) {
          throw new AssertionError(page + ":" + line + ": " + command + ": " + e.getMessage(), e);
        }
      } else if (!shown.toString().isBlank()) {
        throw new AssertionError(page + ":" + line + ": begins with no command");
      }
      command = one.substring(2);
      shown.setLength(0);
    }
  }

  /** Expects that the last block printed this. */
  void prints(int line, String expected) {
    try {
      Stage.compare(expected, printed);
    } catch (AssertionError e) {
      throw new AssertionError(page + ":" + line + ": " + e.getMessage(), e);
    }
  }

  private String bash(int line, String text) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-c", "set -eo pipefail\n" + hidden + text)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    hidden = "";
    Process process = builder.start();
    process.getOutputStream().close();
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError(page + ":" + line + ": no end after " + SECONDS + " s: " + text);
    }
    String came = Files.readString(output, StandardCharsets.UTF_8);
    if (process.exitValue() != 0) {
      throw new AssertionError(
          page + ":" + line + ": exit code " + process.exitValue() + " of\n" + text + came);
    }
    return came;
  }
}
