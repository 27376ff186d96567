package io.woodbird.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Compares Woodbird with its rivals in one run on one machine, judges what it promises, and writes
 * docs/benchmarks. bench/run starts it.
 */
public final class Run {
  private static final String USAGE =
      """
      usage: bench/run [--quick | --smoke] [--out FOLDER] [--rounds N] [--jvm OPTION]... [SECTION]...

        SECTION         some sections instead of all: SECTIONS
        --list          names the sections with their times, and stops
        --quick         one short round of everything; not to be published
        --smoke         a thousandth of the keys: only shows that it runs
        --out FOLDER    where results, charts and README.md go; docs/benchmarks if nothing is said
        --rounds N      measures each thing at most so often
        --jvm OPTION    an option for every measuring JVM, such as -XX:+UseTransparentHugePages
        --charts        measures nothing: draws charts and README.md from the results that are there

      The JDK is that of JAVA_HOME. What another one than 17 measures stands beside, as SECTION-jdk25.
      Leave the machine alone meanwhile. Exit code: 0 all promises kept, 1 some not (with --smoke: some
      measurement failed), 2 wrong arguments.
      """;

  private Scale scale = Scale.FULL;
  private Path out = Path.of("docs", "benchmarks");
  private boolean measures = true;
  private final List<String> jvmOptions = new ArrayList<>();
  private final Set<String> names = new TreeSet<>();

  private Run() {}

  /** Runs the benchmarks. */
  public static void main(String[] args) throws IOException, InterruptedException {
    if (List.of(args).contains("--help")) {
      System.out.print(usage());
      return;
    }
    if (List.of(args).contains("--list")) {
      Suite.sections(Scale.FULL)
          .forEach(s -> System.out.printf("%-10s %3d s  %s%n", s.name(), s.seconds(), s.title()));
      return;
    }
    Run run = new Run();
    try {
      run.parse(args);
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.err.print(usage());
      System.exit(2);
    }
    System.exit(run.run(args) ? 0 : 1);
  }

  private static String usage() {
    return USAGE.replace(
        "SECTIONS",
        Suite.sections(Scale.FULL).stream().map(Section::name).collect(Collectors.joining(", ")));
  }

  private void parse(String[] args) {
    int rounds = 0;
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--quick" -> scale = Scale.QUICK;
        case "--smoke" -> scale = Scale.SMOKE;
        case "--charts" -> measures = false;
        case "--out" -> out = Path.of(value(args, ++i));
        case "--rounds" -> rounds = Integer.parseInt(value(args, ++i));
        case "--jvm" -> jvmOptions.add(value(args, ++i));
        default -> names.add(args[i]);
      }
    }
    if (rounds > 0) {
      scale = new Scale(scale.divisor(), scale.effort(), rounds);
    }
    Set<String> unknown = new TreeSet<>(names);
    Suite.sections(scale).forEach(section -> unknown.remove(section.name()));
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException("unknown: " + unknown);
    }
  }

  private static String value(String[] args, int index) {
    if (index == args.length) {
      throw new IllegalArgumentException("a value must follow " + args[index - 1]);
    }
    return args[index];
  }

  /** Measures, prints, writes; true if all promises are kept. */
  private boolean run(String[] args) throws IOException, InterruptedException {
    boolean kept = !measures || measure(args);
    if (scale.judged()) {
      List<String> charts = Charts.draw(out);
      Files.writeString(out.resolve("README.md"), Page.of(Published.all(out), charts));
      System.out.println("written: " + out);
    }
    return kept;
  }

  private boolean measure(String[] args) throws IOException, InterruptedException {
    Instant start = Instant.now();
    Machine.facts().forEach((name, value) -> System.out.printf("%-12s %s%n", name, value));
    if (Machine.load() > 0.5) {
      System.out.printf(
          Locale.ROOT,
          "%nThe machine is busy (load %.1f): the numbers will be off.%n",
          Machine.load());
    }
    List<Section> sections =
        Suite.sections(scale).stream()
            .filter(section -> names.isEmpty() || names.contains(section.name()))
            .toList();
    Progress progress = new Progress(sections, scale.effort() / (scale.mostRounds() == 1 ? 2 : 1));
    Forks forks = new Forks(jvmOptions, progress);
    boolean kept = true;
    for (Section section : sections) {
      progress.next();
      Document document =
          new Document(
              section.name() + Machine.jdkSuffix("-jdk%d"),
              section.title() + Machine.jdkSuffix(", JDK %d"),
              command(args, section.name()));
      document.quick(scale.effort() < 1);
      section.measure(forks, document);
      System.out.printf("%n%s: %s%n", section.name(), section.title());
      document.promises().forEach(System.out::println);
      document.failures().forEach(failure -> System.out.println("FAIL  " + failure));
      document.write(out);
      kept &= document.failures().isEmpty() && (document.kept() || !scale.judged());
    }
    System.out.printf(
        "%n%s in %d s%n",
        kept ? "all is kept" : "not all is kept",
        Duration.between(start, Instant.now()).toSeconds());
    return kept;
  }

  /** What to type to measure a section again; where the results went is nobody's business. */
  String command(String[] args, String section) {
    List<String> words = new ArrayList<>(List.of("bench/run"));
    for (int i = 0; i < args.length; i++) {
      if (args[i].equals("--out")) {
        i++;
      } else if (!names.contains(args[i])) {
        words.add(args[i]);
      }
    }
    words.add(section);
    return String.join(" ", words);
  }
}
