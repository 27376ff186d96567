package io.woodbird.testkit.museum;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.ClassSelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** A program that runs some tests of its class path, and prints what became of each. */
final class TestRun {
  /** What the line of a result begins with, as tests print lines too. */
  static final String MARK = "museum: ";

  static final String PASSED = "passed ";
  static final String FAILED = "failed ";

  private TestRun() {}

  /** Prints a line for each test that ends. */
  private static final class Lines implements TestExecutionListener {
    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      String name =
          test.getSource().orElse(null) instanceof MethodSource method
              ? method.getClassName() + "." + method.getMethodName()
              : test.getDisplayName();
      Throwable thrown = result.getThrowable().orElse(null);
      if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
        System.out.println("\n" + MARK + "skipped " + name); // Something is missing here.
      } else if (thrown != null) {
        System.out.println("\n" + MARK + FAILED + name + " " + String.valueOf(thrown).strip());
      } else if (test.isTest()) {
        System.out.println("\n" + MARK + PASSED + name);
      }
    }
  }

  private static FilterResult isWanted(TestDescriptor test, Set<String> names) {
    if (!(test.getSource().orElse(null) instanceof MethodSource method)) {
      return FilterResult.included("no test");
    }
    return FilterResult.includedIf(
        names.contains(method.getClassName() + "." + method.getMethodName()));
  }

  /**
   * Runs tests.
   *
   * @param args names of methods, each with its class
   */
  public static void main(String[] args) {
    Set<String> names = new TreeSet<>(Arrays.asList(args));
    List<ClassSelector> classes =
        names.stream()
            .map(name -> name.substring(0, name.lastIndexOf('.')))
            .distinct()
            .map(DiscoverySelectors::selectClass)
            .toList();
    PostDiscoveryFilter filter = test -> isWanted(test, names);
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request().selectors(classes).filters(filter).build();
    LauncherFactory.create().execute(request, new Lines());
    System.out.flush();
    Runtime.getRuntime().halt(0); // A thread of a test may still run.
  }
}
