package io.woodbird.bench;

import io.woodbird.bench.Plan.Section;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;

/** Compares Woodbird with its rivals in one run on one machine, and judges what it promises. */
public final class Report {
  private static final String USAGE =
      """
      usage: java -cp bench/target/bench.jar io.woodbird.bench.Report --quick | --full | --smoke
                 [--only SECTION] [--rounds N] [--jvm OPTION]... [--json FILE]

        --quick         what the promises need: some 8 minutes and 5 GB of memory
        --full          every rival, every size: some 3 hours and 9 GB of memory
        --smoke         a thousandth of the keys: only shows that it runs
        --only SECTION  one section: cache, memory, strings, mapped, deletable, window, growing;
                        with --full also middle and strings-cache
        --rounds N      how often each cell is measured
        --jvm OPTION    an option for every measuring JVM, such as -XX:+UseTransparentHugePages
        --json FILE     writes machine, command and every raw number

      Exit code: 0 all promises kept, 1 some not (with --smoke: some cell did not run), 2 wrong
      arguments.
      """;

  private Plan plan;
  private Path json;
  private final List<String> jvmOptions = new ArrayList<>();
  private final Results results = new Results();
  private final List<String> failures = new ArrayList<>();

  private Report() {}

  /** Runs the report. */
  public static void main(String[] args) throws IOException, InterruptedException {
    if (List.of(args).contains("--help")) {
      System.out.print(USAGE);
      return;
    }
    Report report = new Report();
    try {
      report.parse(args);
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.err.print(USAGE);
      System.exit(2);
    }
    System.exit(report.run(args) ? 0 : 1);
  }

  private void parse(String[] args) {
    String only = null;
    int rounds = 0;
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--quick" -> plan = Plan.quick();
        case "--full" -> plan = Plan.full();
        case "--smoke" -> plan = Plan.smoke();
        case "--only" -> only = value(args, ++i);
        case "--rounds" -> rounds = Integer.parseInt(value(args, ++i));
        case "--jvm" -> jvmOptions.add(value(args, ++i));
        case "--json" -> json = Path.of(value(args, ++i));
        default -> throw new IllegalArgumentException("unknown argument: " + args[i]);
      }
    }
    if (plan == null) {
      throw new IllegalArgumentException("--quick, --full or --smoke must be given");
    }
    plan = only == null ? plan : plan.only(only);
    plan = rounds <= 0 ? plan : plan.withRounds(rounds);
  }

  private static String value(String[] args, int index) {
    if (index == args.length) {
      throw new IllegalArgumentException("a value must follow " + args[index - 1]);
    }
    return args[index];
  }

  /** Measures, prints, writes; true if all promises are kept. */
  private boolean run(String[] args) throws IOException, InterruptedException {
    Instant start = Instant.now();
    Map<String, Object> machine = Machine.facts();
    double load = Machine.load();
    machine.forEach((name, value) -> System.out.printf("%-12s %s%n", name, value));
    if (load > 0.5) {
      System.out.printf(
          Locale.ROOT, "%nThe machine is busy (load %.1f): the numbers will be off.%n", load);
    }
    for (Section section : plan.sections()) {
      measure(section);
      System.out.print(results.table(section));
    }
    List<Verdict> grown = plan.growth().measure(jvmOptions);
    List<Verdict> verdicts = new ArrayList<>();
    plan.promises().forEach(promise -> verdicts.add(promise.judge(results)));
    verdicts.addAll(grown);
    verdicts.addAll(results.standing());
    print(verdicts);
    System.out.printf("%d s%n", Duration.between(start, Instant.now()).toSeconds());
    if (json != null) {
      Map<String, Object> all = new LinkedHashMap<>();
      all.put("date", start.toString());
      all.put("command", "java -cp bench.jar io.woodbird.bench.Report " + String.join(" ", args));
      all.put("machine", machine);
      all.put("loadBefore", load);
      all.put("loadAfter", Machine.load());
      all.put("promises", verdicts.stream().map(Report::json).toList());
      all.put("failures", failures);
      all.put("cells", cells());
      Files.writeString(json, Json.of(all));
    }
    boolean kept = !plan.judged() || verdicts.stream().allMatch(Verdict::kept);
    return kept && failures.isEmpty();
  }

  private void print(List<Verdict> verdicts) {
    int feature = Runtime.version().feature();
    System.out.printf("%n* built at once, or saved and opened; not put key by key%n%nPromises%n");
    if (feature != 17) {
      System.out.printf("(those on longs in cache are made for JDK 17, and this is %d)%n", feature);
    }
    if (!plan.judged()) {
      System.out.println("(a smoke run: neither pass nor FAIL means anything)");
    }
    verdicts.forEach(System.out::println);
    failures.forEach(failure -> System.out.println("FAIL  " + failure));
    System.out.printf(
        "%n%d of %d promises kept, %d measurements failed%n",
        verdicts.stream().filter(Verdict::kept).count(), verdicts.size(), failures.size());
  }

  /**
   * Measures all cells of a section once, then all of them again in the opposite order, and so on:
   * who comes first after a pause, or last on a warm machine, is not always the same.
   */
  private void measure(Section section) throws IOException, InterruptedException {
    List<Cell> cells = new ArrayList<>(section.cells());
    for (int round = 1; round <= section.rounds(); round++) {
      for (Cell cell : cells) {
        System.err.printf("round %d of %d: %s", round, section.rounds(), cell);
        try {
          Sample sample = fork(cell);
          results.add(cell, sample);
          System.err.printf(Locale.ROOT, ": %.1f ns%n", sample.ask());
        } catch (IllegalStateException e) {
          failures.add(cell + ": " + e.getMessage());
          System.err.printf(": %s%n", e.getMessage());
        }
      }
      Collections.reverse(cells);
    }
  }

  private Sample fork(Cell cell) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(cell.jvmOptions());
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Probe.class.getName()));
    command.addAll(List.of(cell.kind().name(), String.valueOf(cell.n()), cell.rival().label()));
    command.addAll(List.of(cell.workload().label(), String.valueOf(plan.effort())));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    Properties lines = new Properties();
    try (Reader reader = process.inputReader()) {
      lines.load(reader);
    }
    int code = process.waitFor();
    if (code != 0) {
      throw new IllegalStateException("its JVM ended with exit code " + code);
    }
    return Sample.of(lines);
  }

  private static Map<String, Object> json(Verdict verdict) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("promise", verdict.promise());
    map.put("bound", verdict.atLeast() ? "at least" : "at most");
    map.put("target", verdict.target());
    map.put("measured", verdict.measured());
    map.put("lowestRound", verdict.range().low());
    map.put("highestRound", verdict.range().high());
    map.put("kept", verdict.kept());
    return map;
  }

  private List<Map<String, Object>> cells() {
    List<Map<String, Object>> cells = new ArrayList<>();
    results
        .samples()
        .forEach(
            (cell, samples) -> {
              Map<String, Object> map = new LinkedHashMap<>();
              map.put("keys", cell.kind().name());
              map.put("n", cell.n());
              map.put("rival", cell.rival().label());
              map.put("workload", cell.workload().label());
              map.put("jvmOptions", cell.jvmOptions());
              map.put("rounds", samples.stream().map(Report::json).toList());
              cells.add(map);
            });
    return cells;
  }

  private static Map<String, Object> json(Sample sample) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("askNanos", sample.askNanos());
    map.put("putNanos", sample.putNanos());
    map.put("removeNanos", sample.removeNanos());
    map.put("fpp", sample.fpp());
    map.put("bitsPerKey", sample.bitsPerKey());
    map.put("askBytes", sample.askBytes());
    map.put("putBytes", sample.putBytes());
    return map;
  }
}
