package io.woodbird.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs the same tests with other programs than the usual one, such as newer servers. Needs
 * junit-platform-launcher on the class path.
 */
public final class OtherPrograms {
  private OtherPrograms() {}

  /**
   * Runs tests, except slow ones, with each program but the first, and prints how many passed.
   *
   * @param property the system property that names the program
   * @param programs the usual one first; without others the test is skipped
   * @param least how many tests must pass with each
   * @param version starts the program and asks which one it is
   */
  public static void pass(
      String property,
      List<Path> programs,
      int least,
      Callable<String> version,
      List<Class<?>> tests)
      throws Exception {
    assumeTrue(programs.size() > 1, "there is one server only; -D" + property + " names others");
    String given = System.getProperty(property);
    try {
      for (Path program : programs.subList(1, programs.size())) {
        System.setProperty(property, program.toString());
        String name = version.call();
        TestExecutionSummary summary = run(tests);
        System.out.printf(
            "%s: %d of %d tests passed, %d did not apply%n",
            name,
            summary.getTestsSucceededCount(),
            summary.getTestsFoundCount(),
            summary.getTestsAbortedCount());
        assertThat(summary.getFailures())
            .extracting(
                failure ->
                    failure.getTestIdentifier().getUniqueId() + ": " + failure.getException())
            .as(name)
            .isEmpty();
        assertThat(summary.getTestsSucceededCount()).as(name).isGreaterThanOrEqualTo(least);
      }
    } finally {
      if (given == null) {
        System.clearProperty(property);
      } else {
        System.setProperty(property, given);
      }
    }
  }

  private static TestExecutionSummary run(List<Class<?>> tests) {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(tests.stream().map(test -> selectClass(test)).toList())
                .filters(TagFilter.excludeTags("slow"))
                .build(),
            listener);
    return listener.getSummary();
  }
}
