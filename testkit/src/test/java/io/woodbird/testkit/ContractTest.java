package io.woodbird.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The contracts themselves: a right filter passes them, and each fault is noticed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ContractTest {
  /** Of each fault, the tests that passed and that failed; a test of many arguments is one. */
  private final Map<Fault, Set<String>> passed = new HashMap<>();

  private final Map<Fault, Set<String>> failed = new HashMap<>();
  private final List<String> failuresOfTheRightFilter = new ArrayList<>();

  @BeforeAll
  void runTheContractsOnBrokenFilters() {
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(BrokenFilters.class))
                .configurationParameter(BrokenFilters.REQUEST, "true")
                .build(),
            new Listener());
  }

  private final class Listener implements TestExecutionListener {
    private TestPlan plan;

    @Override
    public void testPlanExecutionStarted(TestPlan started) {
      plan = started;
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (test.isTest() && result.getStatus() != Status.ABORTED) {
        Fault fault = faultOf(test);
        String name = ((MethodSource) test.getSource().orElseThrow()).getMethodName();
        boolean right = result.getStatus() == Status.SUCCESSFUL;
        (right ? passed : failed).computeIfAbsent(fault, key -> new TreeSet<>()).add(name);
        if (!right && fault == Fault.NONE) {
          failuresOfTheRightFilter.add(name + ": " + result.getThrowable().orElseThrow());
        }
      }
    }

    /** The name of the invocation of the class ends in the fault. */
    private Fault faultOf(TestIdentifier test) {
      TestIdentifier above = plan.getParent(test).orElseThrow();
      for (Fault fault : Fault.values()) {
        if (above.getDisplayName().endsWith(fault.name())) {
          return fault;
        }
      }
      return faultOf(above);
    }
  }

  private static Set<String> testsOfAllContracts() {
    return Stream.<Class<?>>of(
            FilterContract.class, MutableFilterContract.class, DeletableFilterContract.class)
        .flatMap(contract -> Arrays.stream(contract.getDeclaredMethods()))
        .filter(
            method ->
                method.isAnnotationPresent(Test.class)
                    || method.isAnnotationPresent(ParameterizedTest.class))
        .map(Method::getName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void aRightFilterPassesEveryTest() {
    assertThat(failuresOfTheRightFilter).isEmpty();
    assertThat(passed.get(Fault.NONE)).isEqualTo(testsOfAllContracts());
  }

  @ParameterizedTest
  @EnumSource(value = Fault.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void everyFaultIsNoticed(Fault fault) {
    assertThat(failed.getOrDefault(fault, Set.of()))
        .as("tests that failed for %s", fault)
        .containsExactlyInAnyOrderElementsOf(fault.caughtBy());
  }

  @Test
  void everyTestNoticesAFault() {
    Set<String> useful = new TreeSet<>();
    failed.values().forEach(useful::addAll);
    Set<String> useless = testsOfAllContracts();
    useless.removeAll(useful);
    assertThat(useless).as("tests that noticed none of the faults").isEmpty();
  }
}
