package io.woodbird.redis.layout;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.JedisWire;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RoutedLink;
import io.woodbird.testkit.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/**
 * A call that nobody confirmed is repeated, and the second changes nothing. A server sends replicas
 * nothing then, and from Redis 7.2 on WAIT behind it waits for nothing: it would "confirm" a write
 * that no replica has.
 */
class RepeatedScriptsTest {
  private static final String IDENTITY = "identity";
  private static final String LIFE = "the life";

  @Test
  void whatIsConfirmed_isAWriteEachTime() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisClient client = RedisClient.create("127.0.0.1", server.port());
        Link link = new RoutedLink(JedisWire.of(client), Duration.ofMinutes(1))) {
      server.ask("SETRANGE", "shard", "63", "\0");
      server.ask("SETRANGE", "shard", "8", IDENTITY);
      server.ask("SETRANGE", "shard", "24", LIFE);
      server.ask("HSET", "record", "current", "3");
      for (Command command :
          new Command[] {
            Script.LINK.on("shard", IDENTITY, 6, "rise"),
            Script.VOUCH.on("shard", IDENTITY, LIFE, LIFE, 0),
            Script.LINK.on("shard", IDENTITY, 7, "end"),
            Script.BACK.on("record", 3)
          }) {
        for (int time = 1; time <= 2; time++) {
          long before = writes(server);
          assertThat(link.run(command)).as("%s", command).isEqualTo(1L);
          assertThat(writes(server)).as("%s, time %d", command, time).isGreaterThan(before);
        }
      }
      assertThat("" + server.ask("GETRANGE", "shard", "32", "39")).endsWith("\7").hasSize(8);
    }
  }

  private static long writes(RedisServer server) {
    return Long.parseLong(server.info("persistence", "rdb_changes_since_last_save"));
  }
}
