package io.woodbird.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A JVM that measures; see {@link Forks}. */
final class Fork {
  private final Process process;
  private final BufferedReader said;
  private final OutputStream told;
  private final Map<String, List<Double>> values = new TreeMap<>();
  private boolean ended;
  private int code;

  Fork(List<String> command) throws IOException {
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    said = process.inputReader();
    told = process.getOutputStream();
  }

  /** Reads what it says, until it says this or ends. */
  void readUntil(String word) throws IOException, InterruptedException {
    for (String line = said.readLine(); line != null; line = said.readLine()) {
      if (line.equals(word)) {
        return;
      }
      int equals = line.indexOf('=');
      if (equals > 0) {
        values.put(line.substring(0, equals), split(line.substring(equals + 1)));
      }
    }
    code = process.waitFor();
    ended = true;
  }

  /** Lets it go on. */
  void answer() {
    try {
      told.write('\n');
      told.flush();
    } catch (IOException e) {
      // It has ended, as what it says will show.
    }
  }

  boolean ended() {
    return ended;
  }

  /**
   * What it measured.
   *
   * @throws IllegalStateException if it failed
   */
  Map<String, List<Double>> values() {
    if (code != 0) {
      throw new IllegalStateException("its JVM ended with exit code " + code);
    }
    return values;
  }

  void close() {
    process.destroy();
  }

  private static List<Double> split(String text) {
    return text.isEmpty()
        ? List.of()
        : Arrays.stream(text.split(",", -1)).map(Double::valueOf).toList();
  }
}
