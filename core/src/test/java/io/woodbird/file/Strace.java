package io.woodbird.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs a program so that it is killed, or an error happens, at a chosen system call. */
final class Strace {
  /** What the traced programs print before what is to be tested; calls before it do not count. */
  static final String START = "start";

  /** The question marks allow names that an architecture does not have. */
  private static final String CALLS =
      "openat,write,?pwrite64,fsync,fdatasync,?rename,?renameat,?renameat2,close,?unlink,?unlinkat,"
          + "?ftruncate";

  /**
   * Stops the program only at the calls asked for, where that can be done; else there is -f twice.
   */
  private static final String FAST = traces("--seccomp-bpf") ? "--seccomp-bpf" : "-f";

  private static final Pattern LINE = Pattern.compile("(\\d+) +(\\w+)\\((.*)");

  private Strace() {}

  /** A system call: the when-th of its name that the main thread makes. */
  record Point(String call, int when, String arguments) {
    @Override
    public String toString() {
      return call + " " + when + " (" + arguments + ")";
    }
  }

  static boolean works() {
    return traces("-f");
  }

  private static boolean traces(String option) {
    return ChildJvm.works(
        "strace", "-f", option, "-o", "/dev/null", "-e", "inject=fsync:error=EIO", "true");
  }

  /** Runs a program undisturbed and lists its calls after {@link #START}. */
  static List<Point> points(List<String> program, Path log)
      throws IOException, InterruptedException {
    ChildJvm.Result result =
        ChildJvm.run(command(List.of(FAST, "-o", log.toString(), "-e", "trace=" + CALLS), program));
    if (result.exit() != 0) {
      throw new AssertionError("exit " + result.exit() + ": " + result.output());
    }
    List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
    String start = "write(1, \"" + START;
    String thread =
        lines.stream()
            .filter(line -> line.contains(start))
            .map(line -> line.substring(0, line.indexOf(' ')))
            .findFirst()
            .orElseThrow();
    Map<String, Integer> counts = new HashMap<>();
    List<Point> points = new ArrayList<>();
    boolean started = false;
    for (String line : lines) {
      Matcher matcher = LINE.matcher(line);
      if (matcher.matches() && matcher.group(1).equals(thread)) {
        int when = counts.merge(matcher.group(2), 1, Integer::sum);
        if (started) {
          points.add(new Point(matcher.group(2), when, matcher.group(3)));
        }
        started |= line.contains(start);
      }
    }
    return points;
  }

  /** Runs a program that is killed as it makes a call; exit code 137 says that it was. */
  static ChildJvm.Result kill(Point point, List<String> program)
      throws IOException, InterruptedException {
    // Signals are not sent where only some calls stop.
    return inject(point, "signal=KILL", program, Path.of("/dev/null"), "-f");
  }

  /**
   * Runs a program in which a call fails.
   *
   * @param files the folder of the program's files
   * @return empty if that call had to do with another file: the JVM makes calls of its own
   */
  static Optional<ChildJvm.Result> fail(Point point, String error, List<String> program, Path files)
      throws IOException, InterruptedException {
    Path log = files.resolveSibling(files.getFileName() + ".strace");
    ChildJvm.Result result = inject(point, "error=" + error, program, log, FAST);
    boolean hit =
        Files.readAllLines(log, StandardCharsets.ISO_8859_1).stream()
            .anyMatch(line -> line.contains("(INJECTED)") && line.contains(files.toString()));
    return hit ? Optional.of(result) : Optional.empty();
  }

  private static ChildJvm.Result inject(
      Point point, String what, List<String> program, Path log, String option)
      throws IOException, InterruptedException {
    String trace = "trace=" + point.call;
    String inject = "inject=" + point.call + ":" + what + ":when=" + point.when;
    List<String> options = List.of(option, "-y", "-o", log.toString(), "-e", trace, "-e", inject);
    return ChildJvm.run(command(options, program));
  }

  private static List<String> command(List<String> options, List<String> program) {
    List<String> command = new ArrayList<>(List.of("strace", "-f"));
    command.addAll(options);
    command.addAll(program);
    return command;
  }
}
