package io.woodbird.testkit;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * Java sources that a test has had generated, as a program with the classes of the test.
 *
 * @param sources where the sources are
 * @param classes where further classes and resources are, and where the compiled ones go
 */
public record GeneratedProgram(Path sources, Path classes) {
  /**
   * Compiles the sources.
   *
   * @throws IOException if they can't be read
   * @throws IllegalStateException if they do not compile
   */
  public void compile() throws IOException {
    List<String> arguments = new ArrayList<>(List.of("-d", classes.toString(), "-nowarn"));
    arguments.addAll(List.of("-proc:none", "-cp", classPath()));
    try (Stream<Path> files = Files.walk(sources)) {
      files.map(Path::toString).filter(name -> name.endsWith(".java")).forEach(arguments::add);
    }
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new));
    if (code != 0) {
      throw new IllegalStateException("javac ended with " + code + ", see above");
    }
  }

  /**
   * Runs a main class in a JVM of its own.
   *
   * @param main the class
   * @param option an option of the JVM
   * @param arguments what it is given
   * @return what it wrote
   * @throws IOException if it can't be started
   * @throws InterruptedException if the thread is interrupted meanwhile
   * @throws IllegalStateException if it fails
   */
  public String run(Class<?> main, String option, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(option, "-cp", classPath(), main.getName()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    if (code != 0) {
      throw new IllegalStateException("it ended with " + code + ":\n" + output);
    }
    return output;
  }

  private String classPath() {
    return classes + File.pathSeparator + System.getProperty("java.class.path");
  }
}
