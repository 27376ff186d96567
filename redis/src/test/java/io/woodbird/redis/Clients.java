package io.woodbird.redis;

import io.lettuce.core.RedisURI;
import io.woodbird.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogManager;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;

/** The two client libraries, each to one server or to a cluster. */
enum Clients {
  JEDIS {
    @Override
    AutoCloseable server(int port, Duration timeout) {
      int millis = (int) timeout.toMillis();
      return redis.clients.jedis.RedisClient.builder()
          .hostAndPort(new HostAndPort("127.0.0.1", port))
          .clientConfig(DefaultJedisClientConfig.builder().timeoutMillis(millis).build())
          .build();
    }

    @Override
    AutoCloseable cluster(List<Integer> ports) {
      return redis.clients.jedis.RedisClusterClient.create(
          new HostAndPort("127.0.0.1", ports.get(0)));
    }
  },
  LETTUCE {
    @Override
    AutoCloseable server(int port, Duration timeout) {
      return io.lettuce.core.RedisClient.create(RedisURI.create("127.0.0.1", port));
    }

    @Override
    AutoCloseable cluster(List<Integer> ports) {
      return io.lettuce.core.cluster.RedisClusterClient.create(
          ports.stream().map(port -> RedisURI.create("127.0.0.1", port)).toList());
    }
  };

  static {
    LogManager.getLogManager().reset(); // Lettuce tells of every connection that a test cuts.
  }

  /** What a call may take where nothing is slow on purpose: a test fails before it passes. */
  static final Duration PATIENCE = Duration.ofMinutes(1);

  static WoodbirdRedis patient(AutoCloseable client) {
    return WoodbirdRedis.using(client, PATIENCE, event -> {});
  }

  /**
   * A time-out for tests that wait until it is over. On a busy machine it is longer than {@code
   * least}, so that a healthy call still keeps it: twenty times the slowest of some calls.
   */
  static Duration brief(RedisServer server, Duration least) {
    long slowest = 0;
    for (int i = 0; i < 50; i++) {
      long begin = System.nanoTime();
      server.ask("PING");
      slowest = Math.max(slowest, System.nanoTime() - begin);
    }
    Duration paced = Duration.ofNanos(Math.min(20 * slowest, TimeUnit.SECONDS.toNanos(5)));
    return paced.compareTo(least) > 0 ? paced : least;
  }

  AutoCloseable server(int port) {
    return server(port, PATIENCE);
  }

  /** A client whose sockets may be silent for so long. */
  abstract AutoCloseable server(int port, Duration timeout);

  abstract AutoCloseable cluster(List<Integer> ports);
}
