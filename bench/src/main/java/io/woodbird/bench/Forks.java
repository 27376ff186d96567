package io.woodbird.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Starts JVMs of the same JDK, of which only one runs at a time, and reads what they measured. */
final class Forks {
  /*
   * On a machine that is shared with others, what a cache miss costs can double from one minute to
   * the next. So rivals are not measured one after another: all are started and prepared first, and
   * then each takes one timed pass, in turn, and again. A JVM that waits for its turn is blocked in
   * a read and takes no processor time.
   */
  private static final String TURNS = "woodbird.bench.turns";
  private static final String TURN = "turn";

  private final List<String> options;
  private final Progress progress;

  /**
   * Makes one.
   *
   * @param options further options of every JVM
   */
  Forks(List<String> options, Progress progress) {
    this.options = List.copyOf(options);
    this.progress = progress;
  }

  List<String> options() {
    return options;
  }

  Progress progress() {
    return progress;
  }

  /** What a JVM shall run. */
  record Job(List<String> jvm, Class<?> main, List<?> args) {}

  /**
   * Runs a main class, and returns the lines "name=number,number" that it printed.
   *
   * @throws IllegalStateException if it failed
   */
  Map<String, List<Double>> run(List<String> jvm, Class<?> main, Object... args)
      throws IOException, InterruptedException {
    return runInTurns(List.of(new Job(jvm, main, Arrays.asList(args)))).get(0).values();
  }

  /** Runs several, which take turns in {@link #awaitTurn}; returns them when all have ended. */
  List<Fork> runInTurns(List<Job> jobs) throws IOException, InterruptedException {
    List<Fork> forks = new ArrayList<>();
    try {
      for (Job job : jobs) {
        Fork fork = new Fork(command(job));
        forks.add(fork);
        fork.readUntil(TURN);
      }
      while (forks.stream().anyMatch(fork -> !fork.ended())) {
        for (Fork fork : forks) {
          if (!fork.ended()) {
            fork.answer();
            fork.readUntil(TURN);
          }
        }
      }
      return forks;
    } finally {
      forks.forEach(Fork::close);
    }
  }

  private List<String> command(Job job) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(job.jvm());
    command.addAll(options);
    command.add("-D" + TURNS + "=true");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), job.main().getName()));
    job.args().forEach(arg -> command.add(String.valueOf(arg)));
    return command;
  }

  /** Waits, in a JVM that was started here, until no other one runs. */
  static void awaitTurn() {
    if (!Boolean.getBoolean(TURNS)) {
      return;
    }
    System.out.println(TURN);
    System.out.flush();
    try {
      if (System.in.read() < 0) {
        throw new IllegalStateException("nobody measures any more");
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A line that {@link #run} reads. */
  static String line(String name, List<Double> values) {
    return values.stream().map(String::valueOf).collect(Collectors.joining(",", name + "=", "\n"));
  }

  static String line(String name, double value) {
    return line(name, List.of(value));
  }
}
