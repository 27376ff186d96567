package io.woodbird.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says in words why the application did not start. */
final class GuardFailureAnalyzer extends AbstractFailureAnalyzer<GuardConfigurationException> {
  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, GuardConfigurationException cause) {
    return new FailureAnalysis(cause.description(), cause.action(), cause);
  }
}
