package io.woodbird.redis;

import io.woodbird.testkit.OtherPrograms;
import io.woodbird.testkit.RedisServer;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The same tests against every other server that is here: other versions, Valkey. */
@Tag("slow")
final class OtherServersTest {
  @Test
  void passOnEveryOtherServer() throws Exception {
    OtherPrograms.pass(
        RedisServer.PROGRAMS,
        RedisServer.programs(),
        50,
        OtherServersTest::version,
        List.of(
            AsyncTest.class,
            CloseTest.class,
            ClusterTest.class,
            CountingTest.class,
            DeadlineTest.class,
            DurabilityTest.class,
            FailoverTest.class,
            FaultTest.class,
            GenerationsTest.class,
            GrowingTest.class,
            LifeTest.class,
            LongTimesTest.class,
            LostDataTest.class,
            LostStepsTest.class,
            NearTest.class,
            RealHistoriesTest.class,
            RedisBloomTest.class,
            RedissonTest.class,
            SharedRebuildTest.class,
            WindowTest.class,
            WriterTest.class));
  }

  private static String version() {
    try (RedisServer server = RedisServer.start()) {
      String valkey = server.info("server", "valkey_version");
      return valkey.isEmpty()
          ? "Redis " + server.info("server", "redis_version")
          : "Valkey " + valkey;
    }
  }
}
