package io.woodbird.testkit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.woodbird.DeletableFilter;
import java.lang.reflect.Method;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The contracts on filters of which all but one are wrong; run by {@link ContractTest} alone. */
@ParameterizedClass(name = "{0}")
@EnumSource(Fault.class)
@ExtendWith(BrokenFilters.OnlyOnRequest.class)
final class BrokenFilters extends DeletableFilterContract<Long> {
  /** Set by who expects the failures. */
  static final String REQUEST = "woodbird.broken";

  private final Fault fault;

  BrokenFilters(Fault fault) {
    super(TestKeys.longs(), 0.01);
    this.fault = fault;
  }

  @BeforeEach
  void onlyWhatMustCatchTheFault(TestInfo test) {
    String name = test.getTestMethod().map(Method::getName).orElseThrow();
    assumeTrue(fault == Fault.NONE || fault.caughtBy().contains(name));
  }

  /** Keeps these failures out of any other run. */
  static final class OnlyOnRequest implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return context.getConfigurationParameter(REQUEST).isPresent()
          ? ConditionEvaluationResult.enabled("requested")
          : ConditionEvaluationResult.disabled("broken on purpose, see ContractTest");
    }
  }

  @Override
  protected DeletableFilter<Long> make(long expectedKeys, double fpp, long seed) {
    return fault.make(keys().hasher(), expectedKeys, fpp, seed);
  }
}
