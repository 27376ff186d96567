package io.woodbird.spring;

import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;

/** Clients of Jedis; loaded only where it is on the class path. */
final class JedisFactories {
  private JedisFactories() {}

  static AutoCloseable make(List<URI> servers) {
    URI first = servers.get(0);
    if (servers.size() == 1) {
      return RedisClient.builder()
          .hostAndPort(new HostAndPort(first.getHost(), port(first)))
          .clientConfig(DefaultJedisClientConfig.builder(first).build())
          .build();
    }
    Set<HostAndPort> nodes =
        servers.stream()
            .map(server -> new HostAndPort(server.getHost(), port(server)))
            .collect(Collectors.toSet());
    return RedisClusterClient.builder()
        .nodes(nodes)
        .clientConfig(DefaultJedisClientConfig.builder(first).build())
        .build();
  }

  private static int port(URI server) {
    return server.getPort() < 0 ? 6379 : server.getPort();
  }
}
