package io.woodbird.bench;

import io.woodbird.redis.WoodbirdRedis;
import io.woodbird.testkit.RedisServer;
import java.util.Locale;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import redis.clients.jedis.RedisClient;

/**
 * A filter in Redis beside Redisson's. Starts a server of its own: -Dwoodbird.redis.server=PATH, or
 * redis-server or valkey-server from the path.
 *
 * @param keys how many URLs are put
 * @param rounds how often each thing is measured, in turns with the rival
 */
record RedisSection(int keys, int rounds) implements Section {
  @Override
  public String name() {
    return "redis";
  }

  @Override
  public String title() {
    return String.format(
        Locale.ROOT, "A filter in Redis beside Redisson's: %,d URLs at 1 %%", keys);
  }

  @Override
  public int seconds() {
    return 120;
  }

  @Override
  public void measure(Forks forks, Document document) {
    try (RedisServer server = RedisServer.start();
        RedisClient jedis = RedisClient.create("127.0.0.1", server.port());
        WoodbirdRedis redis = WoodbirdRedis.using(jedis)) {
      document.note("server", "Redis " + server.info("server", "redis_version"));
      Config config = new Config();
      config.setCodec(StringCodec.INSTANCE);
      config.useSingleServer().setAddress("redis://127.0.0.1:" + server.port());
      RedissonClient redisson = Redisson.create(config);
      try {
        new RedisDuel(keys, rounds, forks.progress(), document).run(redis, redisson);
      } finally {
        redisson.shutdown();
      }
    }
  }
}
