package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.woodbird.testkit.RedisServer;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** The same tests against every other server that is here: other versions, Valkey. */
@Tag("slow")
final class OtherServersTest {
  private static final List<Class<?>> TESTS =
      List.of(
          LostDataTest.class,
          RedisBloomTest.class,
          DurabilityTest.class,
          WriterTest.class,
          CloseTest.class,
          FailoverTest.class,
          ClusterTest.class,
          NearTest.class,
          CountingTest.class,
          GenerationsTest.class,
          FaultTest.class);

  @Test
  void passOnEveryOtherServer() {
    List<Path> programs = RedisServer.programs();
    Assumptions.assumeTrue(programs.size() > 1, "there is one server only");
    String given = System.getProperty(RedisServer.PROGRAMS);
    try {
      for (Path program : programs.subList(1, programs.size())) {
        System.setProperty(RedisServer.PROGRAMS, program.toString());
        TestExecutionSummary summary = runAll();
        try (RedisServer server = RedisServer.start()) {
          System.out.printf(
              "%s, Redis %s, Valkey %s: %d of %d tests passed, %d did not apply%n",
              program,
              server.info("server", "redis_version"),
              server.info("server", "valkey_version"),
              summary.getTestsSucceededCount(),
              summary.getTestsFoundCount(),
              summary.getTestsAbortedCount());
        }
        assertThat(summary.getFailures().stream().flatMap(OtherServersTest::describe))
            .as("%s", program)
            .isEmpty();
        assertThat(summary.getTestsSucceededCount()).isGreaterThan(50);
      }
    } finally {
      if (given == null) {
        System.clearProperty(RedisServer.PROGRAMS);
      } else {
        System.setProperty(RedisServer.PROGRAMS, given);
      }
    }
  }

  private static TestExecutionSummary runAll() {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(TESTS.stream().map(test -> selectClass(test)).toList())
                .filters(TagFilter.excludeTags("slow"))
                .build(),
            listener);
    return listener.getSummary();
  }

  private static Stream<String> describe(TestExecutionSummary.Failure failure) {
    return Stream.of(failure.getTestIdentifier().getDisplayName() + ": " + failure.getException());
  }
}
