package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import io.woodbird.testkit.RedisCluster;
import io.woodbird.testkit.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A master that stood still, and was replaced meanwhile, denies nothing when it goes on. */
final class FrozenMasterTest {
  private static final Durability LEVEL = Durability.replicas(1, Duration.ofMillis(800));

  @Test
  void reportsThatItReadsLate_areNoProof() throws Exception {
    String[] options = {"--repl-diskless-sync-delay", "0"};
    try (RedisServer old = RedisServer.start(options);
        RedisServer next = RedisServer.start(options);
        RedisServer other = RedisServer.start(options);
        AutoCloseable toOld = Clients.JEDIS.server(old.port());
        AutoCloseable toNext = Clients.JEDIS.server(next.port());
        WoodbirdRedis atOld = Clients.patient(toOld);
        WoodbirdRedis atNext = Clients.patient(toNext)) {
      next.ask("REPLICAOF", "127.0.0.1", "" + old.port());
      other.ask("REPLICAOF", "127.0.0.1", "" + old.port());
      RedisCluster.until(
          () ->
              old.info("replication", "slave0").contains("online")
                  && old.info("replication", "slave1").contains("online"));
      RedisBloomFilter<Long> before =
          atOld.bloom("f", Keys.longs(), 1000).durability(LEVEL).create();
      RedisCluster.until(() -> isPut(before, 1L)); // A busy replica may confirm too late.
      RedisCluster.until(() -> before.ask(7L) == Answer.NOT_HERE);
      // One replica of two confirms, and this one is to be the next master.
      RedisCluster.until(
          () ->
              next.info("replication", "slave_repl_offset")
                  .equals(old.info("replication", "master_repl_offset")));
      old.freeze();
      Thread.sleep(4000); // A failover takes longer than three seconds.
      next.ask("REPLICAOF", "NO", "ONE");
      other.ask("REPLICAOF", "127.0.0.1", "" + next.port());
      RedisCluster.until(() -> next.info("replication", "slave0").contains("online"));
      RedisBloomFilter<Long> after = atNext.bloom("f", Keys.longs(), 1000).durability(LEVEL).open();
      RedisCluster.until(() -> isPut(after, 7L));
      // The question waits in the socket of the old master, like the last reports of its replicas.
      CompletableFuture<Answer> late = CompletableFuture.supplyAsync(() -> before.ask(7L));
      Thread.sleep(300);
      old.thaw();
      assertThat(late.join()).isNotEqualTo(Answer.NOT_HERE);
      assertThat(before.ask(7L)).isNotEqualTo(Answer.NOT_HERE);
      RedisCluster.until(() -> after.ask(8L) == Answer.NOT_HERE); // The new master denies.
    }
  }

  private static boolean isPut(RedisBloomFilter<Long> filter, long key) {
    try {
      boolean unused = filter.put(key);
      return true;
    } catch (RedisFilterException e) {
      return false; // It is not vouched for yet, or its replica is not online.
    }
  }
}
