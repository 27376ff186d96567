package io.woodbird.redis;

import io.woodbird.MutableFilter;
import io.woodbird.testkit.MutableFilterContract;
import io.woodbird.testkit.RedisServer;
import io.woodbird.testkit.TestKeys;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** The filter in Redis keeps the contract of every filter that takes keys. */
@Tag("slow")
@ParameterizedClass(name = "fpp {0}")
@ValueSource(doubles = {0.01, 1e-4})
final class RedisBloomContractTest extends MutableFilterContract<Long> {
  private static RedisServer server;
  private static AutoCloseable client;
  private static WoodbirdRedis redis;
  private static int filters;

  RedisBloomContractTest(double fpp) {
    super(TestKeys.longs(), fpp);
  }

  @BeforeAll
  static void start() {
    server = RedisServer.start();
    client = Clients.JEDIS.server(server.port());
    redis = Clients.patient(client);
  }

  @AfterAll
  static void stop() throws Exception {
    redis.close();
    client.close();
    server.close();
  }

  @Override
  protected MutableFilter<Long> make(long expectedKeys, double fpp, long seed) {
    return redis
        .bloom("contract" + filters++, keys().hasher(), expectedKeys)
        .fpp(fpp)
        .seed(seed)
        .create();
  }
}
