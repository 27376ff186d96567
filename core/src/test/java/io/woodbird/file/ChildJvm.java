package io.woodbird.file;

import io.woodbird.Woodbird;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another JVM, for tests that kill it or may crash it. */
public final class ChildJvm {
  /** Options for a JVM that lives a tenth of a second. */
  public static final List<String> SHORT_LIVED =
      List.of("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m");

  private static final long MINUTES = 10;

  private ChildJvm() {}

  /**
   * What became of a process.
   *
   * @param exit its exit code, 137 if it was killed
   * @param output what it wrote, errors too
   */
  public record Result(int exit, String output) {}

  /** The command that runs a main class of the tests. */
  public static List<String> command(List<String> options, Class<?> main, Object... arguments) {
    return command(options, List.of(), main, arguments);
  }

  /** The command that runs a main class, with the places of further classes on its class path. */
  public static List<String> command(
      List<String> options, List<Class<?>> classes, Class<?> main, Object... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    StringBuilder path = new StringBuilder(origin(Woodbird.class));
    path.append(File.pathSeparator).append(origin(main));
    classes.forEach(type -> path.append(File.pathSeparator).append(origin(type)));
    command.addAll(List.of("-cp", path.toString(), main.getName()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return command;
  }

  private static String origin(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  public static Process start(List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    return builder.start();
  }

  /** Runs a command to its end. */
  public static Result run(List<String> command) throws IOException, InterruptedException {
    Process process = start(command);
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new AssertionError("hangs: " + command + "\n" + output);
    }
    return new Result(process.exitValue(), output);
  }

  /** Whether a program is there and can do what the tests need of it. */
  static boolean works(String... command) {
    try {
      return run(List.of(command)).exit() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
