package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** Applications that do not start, and say why. */
final class Refusals {
  private Refusals() {}

  static void assertRefused(ApplicationContextRunner runner, String description, String action) {
    runner.run(
        context -> {
          assertThat(context).hasFailed();
          FailureAnalysis analysis = analyze(context.getStartupFailure());
          assertThat(analysis).as("a failure analysis").isNotNull();
          assertThat(analysis.getDescription()).startsWith("woodbird guard").contains(description);
          assertThat(analysis.getAction()).contains(action);
        });
  }

  /** As Spring Boot finds it: through spring.factories. */
  private static FailureAnalysis analyze(Throwable failure) {
    for (FailureAnalyzer analyzer :
        SpringFactoriesLoader.forDefaultResourceLocation()
            .load(
                FailureAnalyzer.class,
                SpringFactoriesLoader.FailureHandler.handleMessage((message, cause) -> {}))) {
      if (analyzer instanceof GuardFailureAnalyzer) {
        return analyzer.analyze(failure);
      }
    }
    return null;
  }
}
