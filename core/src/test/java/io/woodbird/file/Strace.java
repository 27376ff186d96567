package io.woodbird.file;

import java.io.BufferedReader;
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
public final class Strace {
  /** What a program says when it is ready to be traced, and when what is to be tested begins. */
  private static final String READY = "ready";

  private static final String START = "start";
  private static final String STARTED = "write(1, \"" + START;

  private static final String STOP = ":signal=STOP";

  /** The question marks allow names that an architecture does not have. */
  private static final String CALLS =
      "openat,write,?pwrite64,fsync,fdatasync,?rename,?renameat,?renameat2,close,?unlink,?unlinkat,"
          + "?ftruncate";

  private static final Pattern LINE = Pattern.compile("(\\d+) +(\\w+)\\((.*)");

  private Strace() {}

  /** A system call: the when-th of its name that the main thread makes. */
  public record Point(String call, int when, String arguments) {
    @Override
    public String toString() {
      return call + " " + when + " (" + arguments + ")";
    }
  }

  /** Whether it is there, and may trace a program that runs already: not everybody may. */
  public static boolean works() {
    try {
      Process program = ChildJvm.start(List.of("sleep", "60"));
      try {
        Process strace = attach(program, "-o", "/dev/null", "-e", "inject=fsync:error=EIO");
        return awaitLine(strace, "attached", new StringBuilder());
      } finally {
        program.destroyForcibly(); // And with it ends the one that traces it.
      }
    } catch (IOException e) { // There is no such program.
      return false;
    }
  }

  private static Process attach(Process program, String... options) throws IOException {
    List<String> command = new ArrayList<>(List.of("strace", "-f", "-p", "" + program.pid()));
    command.addAll(List.of(options));
    return ChildJvm.start(command);
  }

  /**
   * Called by a traced program once it has loaded all that it needs: waits until it is traced.
   * Tracing a JVM that starts would take three times as long as the rest.
   */
  public static void begin() throws IOException {
    System.out.println(READY);
    int go = System.in.read(); // Or the end of the input, if nobody traces.
    System.out.println(START + (go < 0 ? " alone" : ""));
  }

  /** Runs a program undisturbed and lists its calls after {@link #START}. */
  public static List<Point> points(List<String> program, Path log)
      throws IOException, InterruptedException {
    return points(program, log, CALLS);
  }

  /** The same with its reads. */
  static List<Point> pointsWithReads(List<String> program, Path log)
      throws IOException, InterruptedException {
    return points(program, log, CALLS + ",read,?pread64");
  }

  private static List<Point> points(List<String> program, Path log, String calls)
      throws IOException, InterruptedException {
    ChildJvm.Result result = run(program, "-o", log.toString(), "-e", "trace=" + calls);
    if (result.exit() != 0) {
      throw new AssertionError("exit " + result.exit() + ": " + result.output());
    }
    List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
    String thread =
        lines.stream()
            .filter(line -> line.contains(STARTED))
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
        started |= line.contains(STARTED);
      }
    }
    return points;
  }

  /** Runs a program undisturbed, and writes its calls into a log with all bytes in hex. */
  static void record(List<String> program, Path log) throws IOException, InterruptedException {
    String calls = "trace=" + CALLS + ",lseek";
    ChildJvm.Result result =
        run(program, "-o", log.toString(), "-xx", "-s", "10000000", "-e", calls);
    if (result.exit() != 0) {
      throw new AssertionError("exit " + result.exit() + ": " + result.output());
    }
  }

  /** Runs a program that is killed as it makes a call; exit code 137 says that it was. */
  public static ChildJvm.Result kill(Point point, List<String> program)
      throws IOException, InterruptedException {
    return inject(point, "signal=KILL", program, Path.of("/dev/null"));
  }

  /**
   * Runs a program in which a call fails.
   *
   * @param files the folder of the program's files
   * @return empty if that call had to do with another file: the JVM makes calls of its own
   */
  public static Optional<ChildJvm.Result> fail(
      Point point, String error, List<String> program, Path files)
      throws IOException, InterruptedException {
    Path log = files.resolveSibling(files.getFileName() + ".strace");
    ChildJvm.Result result = inject(point, "error=" + error, program, log);
    boolean hit =
        Files.readAllLines(log, StandardCharsets.ISO_8859_1).stream()
            .anyMatch(line -> line.contains("(INJECTED)") && line.contains(files.toString()));
    return hit ? Optional.of(result) : Optional.empty();
  }

  /** Looks at the files of a program while it stands still. */
  public interface Look {
    /**
     * Looks.
     *
     * @param where the call that the program has made last
     * @param output what it has written so far
     */
    void at(String where, String output) throws Exception;
  }

  /**
   * Runs a program that is stopped after each of its calls: a look at its files then sees what a
   * kill would leave there, and a single run has them all.
   *
   * @return how often it was stopped
   */
  public static int eachState(List<String> program, Look look) throws Exception {
    Process child = ChildJvm.start(program);
    try {
      StringBuilder said = new StringBuilder();
      requireReady(child, said);
      Process strace =
          attach(
              child, "-o", "/dev/stdout", "-e", "trace=" + CALLS, "-e", "inject=" + CALLS + STOP);
      requireAttached(strace);
      child.getOutputStream().write('\n');
      child.getOutputStream().close();
      String thread = "";
      String where = "";
      int stops = 0;
      BufferedReader log = strace.inputReader(StandardCharsets.ISO_8859_1);
      for (String line = log.readLine(); line != null; line = log.readLine()) {
        if (thread.isEmpty() && line.contains(STARTED)) {
          thread = line.substring(0, line.indexOf(' ') + 1);
        }
        boolean own = !thread.isEmpty() && line.startsWith(thread);
        if (own && LINE.matcher(line).matches()) {
          where = line;
        }
        boolean stopped = line.endsWith("--- stopped by SIGSTOP ---");
        if (own && stopped) {
          byte[] more = child.getInputStream().readNBytes(child.getInputStream().available());
          said.append(new String(more, StandardCharsets.UTF_8));
          look.at(where, said.toString());
          stops++;
        }
        if (stopped && (own || thread.isEmpty())) {
          ChildJvm.run(List.of("kill", "-CONT", "" + child.pid()));
        }
      }
      if (child.waitFor() != 0) {
        throw new AssertionError("exit " + child.exitValue() + " after " + where);
      }
      return stops;
    } finally {
      child.destroyForcibly();
    }
  }

  private static ChildJvm.Result inject(Point point, String what, List<String> program, Path log)
      throws IOException, InterruptedException {
    String trace = "trace=" + point.call;
    String inject = "inject=" + point.call + ":" + what + ":when=" + point.when;
    return run(program, "-y", "-o", log.toString(), "-e", trace, "-e", inject);
  }

  /** Runs a program that calls {@link #begin}, and traces it from there on. */
  private static ChildJvm.Result run(List<String> program, String... options)
      throws IOException, InterruptedException {
    Process child = ChildJvm.start(program);
    try {
      StringBuilder said = new StringBuilder();
      requireReady(child, said);
      Process strace = attach(child, options);
      requireAttached(strace);
      child.getOutputStream().write('\n');
      child.getOutputStream().close();
      said.append(new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
      strace.getInputStream().readAllBytes();
      strace.waitFor();
      return new ChildJvm.Result(child.waitFor(), said.toString());
    } finally {
      child.destroyForcibly();
    }
  }

  private static void requireReady(Process child, StringBuilder said) throws IOException {
    if (!awaitLine(child, READY, said)) {
      throw new AssertionError("ended before it was traced: " + said);
    }
  }

  private static void requireAttached(Process strace) throws IOException {
    StringBuilder trouble = new StringBuilder();
    if (!awaitLine(strace, "attached", trouble)) {
      throw new AssertionError("can't trace: " + trouble);
    }
  }

  /** Reads what a process says up to a line with this text; false if it ends before. */
  private static boolean awaitLine(Process process, String text, StringBuilder said)
      throws IOException {
    int line = said.length();
    int next = process.getInputStream().read();
    while (next >= 0) {
      said.append((char) next);
      if (next == '\n') {
        if (said.indexOf(text, line) >= 0) {
          return true;
        }
        line = said.length();
      }
      next = process.getInputStream().read();
    }
    return false;
  }
}
