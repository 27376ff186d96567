package io.woodbird.redis;

import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
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

  AutoCloseable server(int port) {
    return server(port, Duration.ofSeconds(2));
  }

  /** A client whose sockets may be silent for so long. */
  abstract AutoCloseable server(int port, Duration timeout);

  abstract AutoCloseable cluster(List<Integer> ports);
}
