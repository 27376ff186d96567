package io.woodbird.cli.say;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/**
 * What the command is connected to.
 *
 * @param in keys
 * @param out data, and nothing else
 * @param err everything that is said to people
 * @param terminals which of {@code "in"}, {@code "out"} and {@code "err"} are terminals
 * @param environment the variables
 */
public record Streams(
    InputStream in,
    DataOut out,
    PrintStream err,
    Set<String> terminals,
    Map<String, String> environment) {
  /*
   * Java can't tell whether stderr is a terminal. The launcher says it in a property; without the
   * launcher, Linux says it in /proc.
   */
  private static final String PROPERTY = "woodbird.terminals";

  /** Finds out which streams of this process are terminals. */
  public static Set<String> findTerminals() {
    String said = System.getProperty(PROPERTY);
    if (said != null) {
      return Set.of(said.isEmpty() ? new String[0] : said.split(","));
    }
    Set<String> found = new java.util.HashSet<>();
    String[] names = {"in", "out", "err"};
    for (int i = 0; i < names.length; i++) {
      try {
        String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + i)).toString();
        if (target.startsWith("/dev/pts/") || target.startsWith("/dev/tty")) {
          found.add(names[i]);
        }
      } catch (java.io.IOException | RuntimeException e) {
        return Set.of(); // No /proc: say nothing that needs a terminal.
      }
    }
    return found;
  }
}
