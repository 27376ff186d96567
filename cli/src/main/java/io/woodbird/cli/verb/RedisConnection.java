package io.woodbird.cli.verb;

import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import io.woodbird.redis.RedisEvent;
import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.WoodbirdRedis;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The connection to the Redis server or cluster that {@code --url} names.
 *
 * @param place the address, without the password
 * @param client closed with the connection
 * @param redis the filters there
 */
record RedisConnection(String place, UnifiedJedis client, WoodbirdRedis redis)
    implements AutoCloseable {
  private static final String USUAL = "redis://localhost:6379";
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int USUAL_PORT = 6379;

  /** What Jedis takes apart without a look: a user, which may be empty, and a password. */
  private static final Pattern USER = Pattern.compile("[^:]*:.*");

  private static final Pattern DATABASE = Pattern.compile("/?\\d{0,9}");

  static RedisConnection open(Call call) {
    String url = call.text("url");
    if (url == null) {
      url = call.environment().getOrDefault("WOODBIRD_REDIS_URL", "");
    }
    List<URI> servers = new ArrayList<>();
    for (String word : (url.isEmpty() ? USUAL : url).split(",", -1)) {
      servers.add(server(word));
    }
    String place = String.join(",", servers.stream().map(RedisConnection::shown).toList());
    try {
      UnifiedJedis client = connect(servers);
      return new RedisConnection(place, client, WoodbirdRedis.using(client, PATIENCE, event -> {}));
    } catch (JedisException e) {
      throw unreachable(place, e, String.valueOf(e.getMessage()));
    }
  }

  private static URI server(String word) {
    try {
      URI server = new URI(word);
      if (Set.of("redis", "rediss").contains("" + server.getScheme())
          && server.getHost() != null
          && USER.matcher(Objects.requireNonNullElse(server.getRawUserInfo(), ":")).matches()
          && DATABASE.matcher(server.getPath()).matches()) {
        return server;
      }
    } catch (URISyntaxException e) {
      // Said below.
    }
    // The address itself is not shown: it may hold a password.
    throw Problem.BAD_VALUE.failure(
        "the address of Redis can't be read.",
        "It stands in --url or WOODBIRD_REDIS_URL, and looks like redis://USER:PASSWORD@HOST:PORT/DB.",
        "--url redis://localhost:6379",
        "--url rediss://HOST:6380 (TLS)");
  }

  private static String shown(URI server) {
    String path = server.getPath() == null ? "" : server.getPath();
    return server.getScheme() + "://" + server.getHost() + ":" + port(server) + path;
  }

  private static int port(URI server) {
    return server.getPort() < 0 ? USUAL_PORT : server.getPort();
  }

  private static UnifiedJedis connect(List<URI> servers) {
    URI first = servers.get(0);
    Set<HostAndPort> nodes = new LinkedHashSet<>();
    servers.forEach(server -> nodes.add(new HostAndPort(server.getHost(), port(server))));
    JedisClientConfig config =
        DefaultJedisClientConfig.builder(first).timeoutMillis((int) PATIENCE.toMillis()).build();
    if (servers.size() == 1) {
      RedisClient client =
          RedisClient.builder().hostAndPort(nodes.iterator().next()).clientConfig(config).build();
      try {
        if (!client.info("cluster").contains("cluster_enabled:1")) {
          return client;
        }
      } catch (JedisException e) {
        client.close();
        throw e;
      }
      client.close();
    }
    return RedisClusterClient.builder().nodes(nodes).clientConfig(config).build();
  }

  /** Turns an exception of Redis or its client into a message. */
  Failure failure(RuntimeException e) {
    String message = String.valueOf(e.getMessage());
    boolean away =
        !(e instanceof RedisFilterException filter)
            || Set.of(RedisEvent.Cause.UNREACHABLE, RedisEvent.Cause.TIMEOUT)
                .contains(filter.reason());
    return away
        ? unreachable(place, e, message)
        : Problem.REDIS.failure(
            e, "Redis at " + place + " did not do it.", message, "woodbird redis status");
  }

  private static Failure unreachable(String place, RuntimeException e, String message) {
    Throwable root = e;
    while (root.getCause() != null || root.getSuppressed().length > 0) {
      root = root.getCause() != null ? root.getCause() : root.getSuppressed()[0];
    }
    String why = root == e ? message : message + " (" + root.getMessage() + ")";
    return Problem.REDIS.failure(
        e,
        "Redis at " + place + " can't be used.",
        why,
        "redis-cli -u " + place + " ping",
        "--url redis://HOST:PORT");
  }

  @Override
  public void close() {
    redis.close();
    client.close();
  }
}
