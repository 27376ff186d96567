package io.woodbird.bench;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Starts JVMs of the same JDK, one after another, and reads what they measured. */
final class Forks {
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

  /**
   * Runs a main class, and returns the lines "name=number,number" that it printed.
   *
   * @throws IllegalStateException if it failed
   */
  Map<String, List<Double>> run(List<String> jvm, Class<?> main, Object... args)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvm);
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    Arrays.stream(args).map(String::valueOf).forEach(command::add);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    Properties lines = new Properties();
    try (Reader reader = process.inputReader()) {
      lines.load(reader);
    } finally {
      if (Thread.currentThread().isInterrupted()) {
        process.destroy();
      }
    }
    int code = process.waitFor();
    if (code != 0) {
      throw new IllegalStateException("its JVM ended with exit code " + code);
    }
    Map<String, List<Double>> values = new TreeMap<>();
    lines.stringPropertyNames().forEach(name -> values.put(name, split(lines.getProperty(name))));
    return values;
  }

  /** A line that {@link #run} reads. */
  static String line(String name, List<Double> values) {
    return values.stream().map(String::valueOf).collect(Collectors.joining(",", name + "=", "\n"));
  }

  static String line(String name, double value) {
    return line(name, List.of(value));
  }

  private static List<Double> split(String text) {
    return text.isEmpty()
        ? List.of()
        : Arrays.stream(text.split(",", -1)).map(Double::valueOf).toList();
  }
}
