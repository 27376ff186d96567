package io.woodbird.testkit.museum;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * A program that puts each bug of the museum back, one at a time, and runs the test that finds it.
 */
final class MuseumRun {
  /*
   * The tree was compiled before, and beside the classes of each module lies its class path. The
   * classes of a mutant take the place of the usual ones until its test has ended, so that JVMs
   * that the test starts have them too. Only the changed files are compiled: a constant that other
   * classes use has its old value there.
   */
  /** For each test; one that takes longer hangs. */
  private static final long LIMIT_SECONDS = 300;

  private static final String JAVA = "/src/main/java/";

  private final Path tree;
  private final Path made;
  private final Path saved;

  private MuseumRun(Path tree) {
    this.tree = tree;
    this.made = tree.resolve("target/mutant");
    this.saved = tree.resolve("target/saved");
  }

  /** Whether the test noticed the bug, and what to print. */
  private record Verdict(boolean good, String text) {}

  /**
   * Runs.
   *
   * @param args the tree, and then parts of names of mutants; none for all
   */
  public static void main(String[] args) throws Exception {
    MuseumRun run = new MuseumRun(Path.of(args[0]).toRealPath());
    run.restore(); // What a run that was stopped has left.
    List<String> parts = Arrays.asList(args).subList(1, args.length);
    List<Mutant> mutants =
        Mutant.all(run.tree).stream()
            .filter(m -> parts.isEmpty() || parts.stream().anyMatch(m.name()::contains))
            .toList();
    if (mutants.isEmpty()) {
      System.err.println("no mutant has a name like " + parts);
      System.exit(2);
    }
    System.exit(run.control(mutants) && run.all(mutants) ? 0 : 1);
  }

  /** Runs the tests without any mutant: what fails then proves nothing. */
  private boolean control(List<Mutant> mutants) throws IOException, InterruptedException {
    Map<String, TreeSet<String>> byModule = new TreeMap<>();
    for (Mutant mutant : mutants) {
      Mutant.Test test = mutant.test();
      byModule
          .computeIfAbsent(test.module(), module -> new TreeSet<>())
          .add(test.type() + "." + test.method());
    }
    boolean good = true;
    for (var module : byModule.entrySet()) {
      List<String> lines = run(module.getKey(), List.copyOf(module.getValue()));
      for (String name : module.getValue()) {
        Verdict verdict = judge(lines, name);
        if (verdict.good || !verdict.text.startsWith("survived")) {
          System.out.println("without any mutant " + name + ": " + verdict.text);
          good = false;
        }
      }
    }
    return good;
  }

  private boolean all(List<Mutant> mutants) throws IOException, InterruptedException {
    System.out.println("mutant | killed by | seconds");
    System.out.println("---|---|---");
    int survivors = 0;
    for (Mutant mutant : mutants) {
      long begin = System.nanoTime();
      Verdict verdict = verdict(mutant);
      double seconds = (System.nanoTime() - begin) / 1e9;
      System.out.printf(
          Locale.ROOT, "%s | %s %s | %.1f%n", mutant.name(), mutant.test(), verdict.text, seconds);
      survivors += verdict.good ? 0 : 1;
    }
    System.out.println((mutants.size() - survivors) + " killed, " + survivors + " not");
    return survivors == 0;
  }

  private Verdict verdict(Mutant mutant) throws IOException, InterruptedException {
    try {
      for (var file : mutant.applyTo(tree).entrySet()) {
        if (!make(file.getKey(), file.getValue())) {
          return new Verdict(false, "does not compile");
        }
      }
      Mutant.Test test = mutant.test();
      String name = test.type() + "." + test.method();
      return judge(run(test.module(), List.of(name)), name);
    } finally {
      restore();
    }
  }

  private static Verdict judge(List<String> lines, String name) {
    boolean passed = false;
    for (String line : lines) {
      if (line.startsWith(TestRun.MARK + TestRun.FAILED + name)) {
        return new Verdict(true, "");
      }
      if (line.startsWith("museum-limit")) {
        return new Verdict(true, "(it did not end)");
      }
      passed |= line.equals(TestRun.MARK + TestRun.PASSED + name);
    }
    return new Verdict(false, passed ? "survived" : "did not run: " + lastOf(lines));
  }

  private static String lastOf(List<String> lines) {
    return lines.isEmpty() ? "no output" : lines.get(lines.size() - 1);
  }

  /** Compiles a changed file, or takes a changed resource, and puts it in its place. */
  private boolean make(String file, String text) throws IOException {
    delete(made);
    String resources = "/src/main/resources/";
    int at = Math.max(file.indexOf(JAVA), file.indexOf(resources));
    String module = file.substring(0, at);
    if (file.startsWith(resources, at)) {
      write(made.resolve(file.substring(at + resources.length())), text);
    } else {
      if (!compile(file, text, made, classPath(module))) {
        return false;
      }
    }
    for (Path path : filesIn(made)) {
      Path name = made.relativize(path);
      Path old = classes(module).resolve(name);
      Path copy = saved.resolve(module).resolve(name);
      Files.createDirectories(copy.getParent());
      if (Files.exists(old)) {
        Files.copy(old, copy, StandardCopyOption.COPY_ATTRIBUTES);
      }
      Files.copy(path, old, StandardCopyOption.REPLACE_EXISTING);
    }
    return true;
  }

  /** Compiles the changed text of a file into a folder; false if that fails. */
  static boolean compile(String file, String text, Path into, String classPath) throws IOException {
    Path source =
        into.resolveSibling("source").resolve(file.substring(file.indexOf(JAVA) + JAVA.length()));
    write(source, text);
    Files.createDirectories(into);
    return ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-nowarn",
                "--release",
                "17",
                "-d",
                into.toString(),
                "-cp",
                classPath,
                source.toString())
        == 0;
  }

  private static void write(Path path, String text) throws IOException {
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  /** Puts back what the last mutant has taken the place of. */
  private void restore() throws IOException {
    for (Path copy : filesIn(saved)) {
      Path name = saved.relativize(copy);
      int parts = name.getNameCount();
      int module = 1; // A module may be in a folder of another.
      while (!Files.exists(classes(name.subpath(0, module).toString()))) {
        module++;
      }
      Path old = classes(name.subpath(0, module).toString()).resolve(name.subpath(module, parts));
      Files.move(copy, old, StandardCopyOption.REPLACE_EXISTING);
    }
    delete(saved);
  }

  private static List<Path> filesIn(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  private static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private Path classes(String module) {
    return tree.resolve(module).resolve("target/quick/classes");
  }

  private String classPath(String module) throws IOException {
    Path classes = classes(module);
    return String.join(
        File.pathSeparator,
        classes.resolveSibling("test-classes").toString(),
        classes.toString(),
        Files.readString(classes.resolveSibling("museum.classpath")).strip());
  }

  /** Runs tests in another JVM, as Maven does, and returns what it prints. */
  private List<String> run(String module, List<String> tests)
      throws IOException, InterruptedException {
    Path output = tree.resolve("target/output.txt");
    Files.createDirectories(output.getParent());
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-ea", "-Xmx2g", "-cp"));
    command.add(
        String.join(
            File.pathSeparator,
            classPath(module),
            System.getProperty("java.class.path"))); // The launcher, and this package.
    command.add(TestRun.class.getName());
    command.addAll(tests);
    Process process =
        new ProcessBuilder(command)
            .directory(tree.resolve(module).toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    boolean ended = process.waitFor(LIMIT_SECONDS * tests.size(), TimeUnit.SECONDS);
    if (!ended) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
    List<String> lines = new ArrayList<>(Files.readString(output).lines().toList());
    if (!ended) {
      lines.add("museum-limit");
    }
    return lines;
  }
}
