package io.woodbird.stress.model;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/**
 * Lets Lincheck try the interleavings of small scenarios, those with one switch between threads
 * first, then those with two, and so on. It knows sequential consistency only; jcstress looks for
 * what the memory model allows beyond it.
 */
final class ModelChecks {
  /*
   * The scenarios are drawn with a fixed seed, and so are the interleavings, so that a run repeats
   * the last one. After ten rounds of a loop another thread has its turn, as the loop may wait for
   * it; that is Lincheck's default. How often a loop goes round at all says nothing: those over
   * words and blocks take hundreds of rounds.
   */
  private static final int ANY = 1_000_000;

  /**
   * Classes that call the system. Lincheck refuses such calls, and switches only around them. It
   * names a nested class in two ways; here a dot stands before its name.
   */
  private static final Set<String> FILES =
      Set.of(
          "io.woodbird.file.Journal",
          "io.woodbird.filter.bloom.DurableFiles",
          "io.woodbird.filter.bloom.DurableLock.Held",
          "io.woodbird.stress.model.DurableModels.Disk",
          "java.nio.file.Files");

  /**
   * What is tried.
   *
   * @param model what one thread may expect
   * @param before calls before there are two threads
   * @param calls calls of each thread
   * @param scenarios how many
   * @param interleavings of each, at most
   */
  private record Check(
      Class<?> type, Class<?> model, int before, int calls, int scenarios, int interleavings) {
    String name() {
      return type.getName().replaceFirst(".*[.]", "").replace('$', '.');
    }

    void run() {
      new ModelCheckingOptions()
          .sequentialSpecification(model)
          .threads(2)
          .actorsBefore(before)
          .actorsPerThread(calls)
          .actorsAfter(0)
          .iterations(scenarios)
          .invocationsPerIteration(interleavings)
          .loopBound(ANY)
          .recursionBound(ANY)
          .addGuarantee(
              ManagedStrategyGuaranteeKt.forClasses(name -> FILES.contains(name.replace('$', '.')))
                  .allMethods()
                  .treatAsAtomic())
          .check(type);
    }
  }

  private static Check family(Class<?> type) {
    return new Check(type, FamilyModels.Counted.class, 1, 2, 8, 100);
  }

  private static Check window(Class<?> type) {
    return new Check(type, WindowModels.Promise.class, 2, 1, 12, 200);
  }

  private static Check race(Class<?> type) {
    return new Check(type, type, 0, 1, 1, 300);
  }

  private static final List<Check> ALL =
      List.of(
          family(FamilyModels.Bloom.class),
          family(FamilyModels.BloomOfPairs.class),
          family(FamilyModels.Counting.class),
          family(FamilyModels.Quotient.class),
          family(FamilyModels.Growing.class),
          window(WindowModels.AskWhileItTurns.class),
          window(WindowModels.AskManyWhileItTurns.class),
          window(WindowModels.SaveWhileItTurns.class),
          race(WindowModels.PutWhileAGenerationEnds.class),
          race(DurableModels.PutWhileAJournalSwitches.class),
          race(DurableModels.PutWhileAJournalFails.class));

  private ModelChecks() {}

  /**
   * Runs, and ends with 1 if a scenario had a result that the model has not, or could not be run.
   *
   * @param args parts of names; without any, all are run
   */
  public static void main(String[] args) {
    boolean failed = false;
    for (Check check : ALL) {
      if (args.length > 0 && List.of(args).stream().noneMatch(check.name()::contains)) {
        continue;
      }
      long begin = System.nanoTime();
      String found = "nothing found";
      try {
        check.run();
      } catch (AssertionError e) {
        failed = true;
        String report = String.valueOf(e.getMessage()).strip();
        found = (isResult(report) ? "found: " : "not judged: ") + report;
      }
      System.out.printf(
          Locale.ROOT,
          "%s | %d s | %s%n",
          check.name(),
          (System.nanoTime() - begin) / 1_000_000_000,
          found);
    }
    System.exit(failed ? 1 : 0);
  }

  /** Whether a report tells of a result; Lincheck also fails if it can't run what it is given. */
  private static boolean isResult(String report) {
    return report.startsWith("= Invalid execution results")
        || report.startsWith("= Validation function");
  }
}
