package io.woodbird.spring;

import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** The client of Jedis or Lettuce that guards use: the application's own, or a new one. */
final class RedisClients {
  private static final Log log = LogFactory.getLog(RedisClients.class);
  static final String JEDIS = "redis.clients.jedis.UnifiedJedis";
  static final String LETTUCE = "io.lettuce.core.AbstractRedisClient";
  static final String FACTORY =
      "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory";

  private final ListableBeanFactory beans;
  private final Environment environment;
  private final WoodbirdProperties.Redis properties;

  /** Held while a client is made or closed. */
  private final ReentrantLock making = new ReentrantLock();

  private @Nullable AutoCloseable made;

  RedisClients(
      ListableBeanFactory beans, Environment environment, WoodbirdProperties.Redis properties) {
    this.beans = beans;
    this.environment = environment;
    this.properties = properties;
  }

  /** Finds the client, and says what is wrong if there is none. It connects nowhere yet. */
  Supplier<AutoCloseable> find(String guard) {
    if (properties.url() != null) {
      return ofUrl(guard, properties.url());
    }
    if (properties.client() != null) {
      return ofBean(guard, properties.client());
    }
    for (List<String> types : List.of(List.of(JEDIS, LETTUCE), List.of(FACTORY))) {
      Set<String> names = new HashSet<>();
      types.forEach(type -> names.addAll(namesOf(type)));
      if (names.size() > 1) {
        throw GuardsFactory.wrong(
            guard,
            "its store is redis, and there are several clients: " + names + ".",
            "Set woodbird.redis.client to the name of one of them.");
      }
      if (!names.isEmpty()) {
        return ofBean(guard, names.iterator().next());
      }
    }
    String url = springUrl();
    if (url == null) {
      throw GuardsFactory.wrong(
          guard,
          "its store is redis, and there is no client of Jedis 8 or Lettuce, no"
              + " LettuceConnectionFactory, and no address.",
          "Set woodbird.redis.url, such as redis://localhost:6379, or define the client as a bean.");
    }
    return ofUrl(guard, url);
  }

  private List<String> namesOf(String type) {
    try {
      Class<?> found = ClassUtils.forName(type, getClass().getClassLoader());
      return Arrays.asList(beans.getBeanNamesForType(found));
    } catch (ClassNotFoundException | LinkageError e) {
      return List.of();
    }
  }

  private Supplier<AutoCloseable> ofBean(String guard, String name) {
    if (!beans.containsBean(name)) {
      throw GuardsFactory.wrong(
          guard,
          "woodbird.redis.client is '" + name + "', and there is no such bean.",
          "Name a client of Jedis 8 or Lettuce, or a LettuceConnectionFactory.");
    }
    Object bean = beans.getBean(name);
    if (isA(bean, FACTORY)) {
      return () -> LettuceFactories.clientOf(bean);
    }
    if (bean instanceof AutoCloseable client && (isA(bean, JEDIS) || isA(bean, LETTUCE))) {
      return () -> client;
    }
    throw GuardsFactory.wrong(
        guard,
        "woodbird.redis.client is '" + name + "', a " + bean.getClass().getName() + ".",
        "Name a client of Jedis 8 or Lettuce, or a LettuceConnectionFactory.");
  }

  private static boolean isA(Object bean, String type) {
    for (Class<?> each = bean.getClass(); each != null; each = each.getSuperclass()) {
      if (each.getName().equals(type)) {
        return true;
      }
    }
    return false;
  }

  /** What Spring Data would connect to, for applications that only have a client library. */
  private @Nullable String springUrl() {
    String url = environment.getProperty("spring.data.redis.url");
    String host = environment.getProperty("spring.data.redis.host");
    if (url != null || host == null) {
      return url;
    }
    String password = environment.getProperty("spring.data.redis.password");
    String user = environment.getProperty("spring.data.redis.username", "");
    boolean tls =
        environment.getProperty("spring.data.redis.ssl.enabled", Boolean.class, Boolean.FALSE);
    int port = environment.getProperty("spring.data.redis.port", Integer.class, 6379);
    int database = environment.getProperty("spring.data.redis.database", Integer.class, 0);
    try {
      String login = password == null ? null : user + ":" + password;
      return new URI(tls ? "rediss" : "redis", login, host, port, "/" + database, null, null)
          .toASCIIString();
    } catch (java.net.URISyntaxException e) {
      return null;
    }
  }

  private Supplier<AutoCloseable> ofUrl(String guard, String url) {
    List<URI> servers = new ArrayList<>();
    for (String word : url.split(",", -1)) {
      servers.add(server(guard, word.trim()));
    }
    boolean lettuce = ClassUtils.isPresent(LETTUCE, getClass().getClassLoader());
    if (!lettuce && !ClassUtils.isPresent(JEDIS, getClass().getClassLoader())) {
      throw GuardsFactory.wrong(
          guard,
          "its store is redis, and neither Lettuce nor Jedis is on the class path.",
          "Add io.lettuce:lettuce-core, or redis.clients:jedis 8.");
    }
    return () -> make(servers, lettuce);
  }

  private static URI server(String guard, String word) {
    try {
      URI server = new URI(word);
      if (Set.of("redis", "rediss").contains("" + server.getScheme()) && server.getHost() != null) {
        return server;
      }
    } catch (java.net.URISyntaxException e) {
      log.debug("no address", e);
    }
    throw GuardsFactory.wrong(
        guard,
        "its store is redis, and the address can't be read.", // It may hold a password.
        "Write redis://user:password@host:6379/0, or rediss:// for TLS; several of a cluster with"
            + " commas between.");
  }

  private AutoCloseable make(List<URI> servers, boolean lettuce) {
    making.lock();
    try {
      AutoCloseable client = made;
      if (client == null) {
        client = lettuce ? LettuceFactories.make(servers) : JedisFactories.make(servers);
        made = client;
      }
      return client;
    } finally {
      making.unlock();
    }
  }

  /** Closes the client that was made here. The next one who asks gets another. */
  void close() {
    making.lock();
    try {
      AutoCloseable client = made;
      made = null;
      if (client != null) {
        try {
          client.close();
        } catch (Exception e) {
          log.warn("woodbird: the Redis client could not be closed", e);
        }
      }
    } finally {
      making.unlock();
    }
  }
}
