package io.woodbird.spring;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.net.URI;
import java.util.List;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Clients of Lettuce; loaded only where it is on the class path. */
final class LettuceFactories {
  private LettuceFactories() {}

  static AutoCloseable make(List<URI> servers) {
    List<RedisURI> all = servers.stream().map(RedisURI::create).toList();
    return all.size() == 1 ? RedisClient.create(all.get(0)) : RedisClusterClient.create(all);
  }

  /** The client behind the connections of Spring Data. */
  static AutoCloseable clientOf(Object factory) {
    return ((LettuceConnectionFactory) factory).getRequiredNativeClient();
  }
}
