package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.guard.Generation;
import io.woodbird.guard.GenerationStore;
import io.woodbird.guard.RebuildEvent;
import io.woodbird.guard.RebuildingFilter;
import io.woodbird.guard.RebuildingFilterBuilder;
import io.woodbird.key.Keys;
import io.woodbird.redis.generations.Rebuild;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.JedisWire;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RoutedLink;
import io.woodbird.redis.link.Time;
import io.woodbird.testkit.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.RedisClient;

/** Two processes with one RebuildingFilter in Redis: one builds, both answer, none denies a key. */
final class SharedRebuildTest {
  private final Set<Long> table = ConcurrentHashMap.newKeySet();
  private final AtomicInteger scans = new AtomicInteger();
  private final List<AutoCloseable> open = new ArrayList<>();
  private final List<RebuildEvent> events = new CopyOnWriteArrayList<>();
  private RedisServer server;

  @BeforeEach
  void start() {
    server = RedisServer.start();
    LongStream.range(0, 5000).forEach(table::add);
  }

  @AfterEach
  void stop() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
    server.close();
  }

  private RebuildingFilterBuilder<Long> process(Clients clients) {
    return process(clients, Duration.ofSeconds(20));
  }

  /** A filter that looks again soon after a failure: it rests for half of the time-out. */
  private RebuildingFilterBuilder<Long> hasty(Clients clients) {
    return process(clients, Clients.brief(server, Duration.ofMillis(500)));
  }

  private RebuildingFilterBuilder<Long> process(Clients clients, Duration timeout) {
    AutoCloseable client = clients.server(server.port());
    WoodbirdRedis redis = WoodbirdRedis.using(client, timeout, event -> {});
    open.add(client);
    open.add(redis);
    return RebuildingFilter.of(
            Keys.longs(),
            () -> {
              scans.incrementAndGet();
              return List.copyOf(table).stream();
            })
        .store(redis.<Long>store("ids"))
        .fpp(0.001)
        .settle(Duration.ZERO)
        .retryAfter(Duration.ofMillis(300))
        .onEvent(events::add);
  }

  private RebuildingFilter<Long> opened(RebuildingFilter<Long> filter) {
    open.add(filter);
    return filter;
  }

  private static void await(BooleanSupplier what) throws InterruptedException {
    for (int i = 0; !what.getAsBoolean(); i++) {
      assertThat(i).as("waited for a minute").isLessThan(3000);
      Thread.sleep(20);
    }
  }

  private static Generation built(RebuildingFilter<Long> filter) throws Exception {
    return filter.rebuildNow().get(5, TimeUnit.MINUTES);
  }

  private static boolean succeeds(Runnable call) {
    try {
      call.run();
      return true;
    } catch (RedisFilterException e) {
      return false;
    }
  }

  private void deniesNothing(RebuildingFilter<Long> filter) {
    assertThat(filter.candidates(table)).hasSize(table.size());
  }

  /** Its rows are committed when it returns, long after the source was read. */
  @Test
  void aBatchThatABuildOvertakes_isInWhatWasBuilt() throws Exception {
    RebuildingFilter<Long> one = opened(process(Clients.JEDIS).build());
    built(one);
    RedisClient client = RedisClient.create("127.0.0.1", server.port());
    open.add(client);
    AtomicInteger parts = new AtomicInteger();
    Link late =
        new HeldLink(new RoutedLink(JedisWire.of(client), Clients.PATIENCE)) {
          @Override
          public Replies run(List<Command> commands, List<Command> after) {
            boolean puts = commands.stream().anyMatch(c -> c.name == Command.Name.BITFIELD);
            if (puts && parts.incrementAndGet() == 3) { // Behind the first 1,000 keys.
              try {
                built(one);
                TimeUnit.NANOSECONDS.sleep(2 * Rebuild.SHORT_NANOS);
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            }
            return super.run(commands, after);
          }
        };
    WoodbirdRedis way = new WoodbirdRedis(late, Time.SYSTEM, Clients.PATIENCE, event -> {});
    open.add(way);
    RebuildingFilter<Long> two =
        opened(
            RebuildingFilter.of(Keys.longs(), () -> List.copyOf(table).stream())
                .store(way.<Long>store("ids"))
                .fpp(0.001)
                .settle(Duration.ZERO)
                .build());
    List<Long> batch = LongStream.range(100_000, 102_500).boxed().toList();
    two.putAll(batch);
    assertThat(parts).hasValueGreaterThan(3);
    assertThat(one.candidates(batch)).isEqualTo(batch);
    assertThat(one.ask(-1L)).isEqualTo(Answer.NOT_HERE);
  }

  @Test
  void whatOneBuilds_theOtherAnswers() throws Exception {
    RebuildingFilter<Long> one = opened(process(Clients.JEDIS).build());
    RebuildingFilter<Long> two = opened(process(Clients.LETTUCE).build());
    assertThat(one.ask(7L)).isEqualTo(Answer.UNKNOWN);
    assertThat(one.putLong(9000L)).isFalse();
    table.add(9000L);
    assertThat(one.ask(1_000_000L)).isEqualTo(Answer.UNKNOWN); // A put is no build.
    assertThat(one.stats().doubts()).contains("not built yet");

    Generation first = built(one);
    assertThat(first.keys()).isEqualTo(5001);
    assertThat(one.ask(1_000_000L)).isEqualTo(Answer.NOT_HERE);
    assertThat(built(two)).isEqualTo(first); // It was young enough.
    assertThat(scans).hasValue(1);
    assertThat(two.ask(1_000_000L)).isEqualTo(Answer.NOT_HERE);
    deniesNothing(two);

    assertThat(two.putLong(6000L)).isTrue();
    table.add(6000L);
    assertThat(one.ask(6000L)).isEqualTo(Answer.MAYBE_HERE);

    table.removeIf(key -> key < 400);
    assertThat(built(two).number()).isGreaterThan(first.number());
    assertThat(scans).hasValue(2);
    assertThat(one.candidates(LongStream.range(0, 400).boxed().toList())).hasSizeLessThan(10);
    deniesNothing(one);
    assertThat(one.generation()).isEqualTo(two.generation());

    assertThat(one.rollBack()).isPresent();
    assertThat(two.ask(5L)).isEqualTo(Answer.MAYBE_HERE);
    assertThat(two.rollBack()).isPresent(); // And forward again.
    deniesNothing(one);
    deniesNothing(two);
  }

  @Test
  void aPutWhoseRowIsCommittedAfterTheBuildBegan_isNotLost() throws Exception {
    RebuildingFilter<Long> one =
        opened(process(Clients.JEDIS).settle(Duration.ofSeconds(1)).build());
    RebuildingFilter<Long> two =
        opened(process(Clients.LETTUCE).settle(Duration.ofSeconds(1)).build());
    built(one);
    for (long key = 7000; ; key++) {
      long begin = System.nanoTime();
      two.put(key); // The transaction is open.
      var build = one.rebuildNow();
      Thread.sleep(300);
      table.add(key); // It is committed.
      boolean late = System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(1);
      build.get(5, TimeUnit.MINUTES);
      if (!late) {
        assertThat(one.ask(key)).isEqualTo(Answer.MAYBE_HERE);
        assertThat(two.ask(key)).isEqualTo(Answer.MAYBE_HERE);
        deniesNothing(one);
        return;
      }
      // A busy machine: nothing is promised for a row that takes longer than the second.
      table.remove(key);
    }
  }

  @Test
  void ofManyWithOneSchedule_oneBuildsEachTime() throws Exception {
    List<RebuildingFilter<Long>> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      all.add(opened(process(Clients.values()[i % 2]).every(Duration.ofSeconds(1)).start()));
    }
    await(() -> all.stream().allMatch(each -> each.generation().isPresent()));
    int before = scans.get();
    long begin = System.nanoTime();
    await(() -> scans.get() - before >= 3);
    int seen = scans.get() - before;
    // One in each period that has passed, give or take one at each end; not four times as many.
    long periods = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
    assertThat(seen).isBetween(3, (int) periods + 2);
    all.forEach(this::deniesNothing);
  }

  @Test
  void aSourceThatOutgrowsTheFilter_isReadAgainIntoALargerOne() throws Exception {
    RebuildingFilter<Long> one = opened(process(Clients.JEDIS).expectedKeys(1000).build());
    Generation built = built(one);
    assertThat(built.capacity()).isGreaterThanOrEqualTo(5000);
    assertThat(scans).hasValue(2);
    deniesNothing(one);
    assertThat(one.candidates(LongStream.range(100_000, 110_000).boxed().toList()))
        .hasSizeLessThan(30); // 10 expected, 5 sigma are 16 more.

    table.removeIf(key -> key > 1000);
    assertThatThrownBy(() -> built(one)).hasMessageContaining("fewer than 0.9 of the last 5,000");
    assertThat(one.generation()).contains(built);
  }

  /** Its first words would be taken for all of a smaller filter, which would deny its keys. */
  @Test
  void aFileOfTheFilterAsItWas_isRefused_afterAnotherProcessMadeItSmaller(@TempDir Path folder)
      throws Exception {
    RebuildingFilter<Long> one = opened(process(Clients.JEDIS).expectedKeys(200_000).build());
    Generation large = built(one);
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client);
        RedisBloomFilter<Long> admin = (RedisBloomFilter<Long>) redis.open("ids", Keys.longs())) {
      Path file = folder.resolve("ids.wbird");
      admin.save(file);
      RebuildingFilter<Long> two = opened(process(Clients.LETTUCE).expectedKeys(10_000).build());
      assertThat(built(two)).isEqualTo(large); // It was young enough.
      assertThat(built(two).capacity()).isLessThan(large.capacity());
      assertThatThrownBy(() -> admin.rebuild(file, RedisRebuild.usual()))
          .isInstanceOf(IncompatibleFilterException.class);
    }
    deniesNothing(one);
  }

  @Test
  void aFlushedServer_isFilledAgain() throws Exception {
    RebuildingFilter<Long> one = opened(hasty(Clients.JEDIS).start());
    RebuildingFilter<Long> two = opened(hasty(Clients.LETTUCE).start());
    built(one);
    built(two); // A first build that still waits for that of the other would notice by itself.
    server.ask("FLUSHALL");
    // The first call that notices starts a build, which may be done before the next call.
    assertThatThrownBy(() -> two.putLong(3L)).isInstanceOf(RedisFilterException.class);
    await(
        () -> {
          deniesNothing(one);
          deniesNothing(two);
          return one.ask(1_000_000L) == Answer.NOT_HERE && two.ask(1_000_000L) == Answer.NOT_HERE;
        });
    await(() -> succeeds(() -> one.put(8000L)));
    await(() -> two.ask(8000L) == Answer.MAYBE_HERE);
  }

  @Test
  void whenOnlyTheRecordIsLost_noOldClientDeniesWhatANewOnePuts() throws Exception {
    RebuildingFilter<Long> old = opened(process(Clients.JEDIS).build());
    built(old);
    server.ask("DEL", "wbird:meta:ids");
    server.ask("DEL", "wbird:mark:ids");
    assertThat(old.ask(1_000_000L)).isEqualTo(Answer.NOT_HERE); // Its shards are whole.
    RebuildingFilter<Long> fresh = opened(process(Clients.LETTUCE).build());
    fresh.putLong(1_000_000L);
    assertThat(old.ask(1_000_000L)).isNotEqualTo(Answer.NOT_HERE);
    table.add(1_000_000L);
    built(fresh);
    await(() -> old.ask(2_000_000L) == Answer.NOT_HERE);
    deniesNothing(old);
    deniesNothing(fresh);
  }

  /** Its master was restarted from a file; those of the shards were not. */
  @Test
  void whenTheRecordIsOlder_noOldClientDeniesWhatANewOnePuts() throws Exception {
    RebuildingFilter<Long> old = opened(process(Clients.JEDIS).build());
    built(old);
    server.ask("COPY", "wbird:meta:ids", "older");
    built(old);
    assertThat(built(old).number()).isEqualTo(4);
    for (int gone = 2; gone < 4; gone++) {
      for (Object shard : (List<?>) server.ask("KEYS", "wbird:{*}:ids:" + gone + ":*")) {
        server.ask("DEL", shard.toString());
      }
    }
    for (Object shard : (List<?>) server.ask("KEYS", "wbird:{*}:ids:4:*")) {
      server.ask("BITFIELD", shard.toString(), "SET", "i64", "256", "0"); // The end of 3.
    }
    server.ask("RENAME", "older", "wbird:meta:ids");
    assertThat(old.ask(1_000_000L)).isEqualTo(Answer.NOT_HERE); // Its shards are whole.
    RebuildingFilter<Long> fresh = opened(process(Clients.LETTUCE).build());
    assertThat(built(fresh).number()).isEqualTo(3);
    fresh.putLong(1_000_000L);
    assertThat(old.ask(1_000_000L)).isNotEqualTo(Answer.NOT_HERE);
    await(() -> old.ask(2_000_000L) == Answer.NOT_HERE);
    deniesNothing(old);
  }

  /** A server that was flushed may have had keys whose rows are not committed yet. */
  @Test
  void theFirstBuild_waitsForRowsOfALostFilter_whateverTheClockSays() throws Exception {
    Duration settle = Duration.ofSeconds(1);
    RebuildingFilter<Long> lost = opened(process(Clients.JEDIS).settle(settle).build());
    built(lost);
    for (long key = 7000; ; key++) {
      long begin = System.nanoTime();
      lost.put(key); // The transaction is open.
      server.ask("FLUSHALL");
      RebuildingFilter<Long> one = opened(process(Clients.LETTUCE).settle(settle).build());
      makeAgain();
      server.ask("HSET", "wbird:meta:ids", "madeAt", "1"); // As if the clock had leapt since.
      var build = one.rebuildNow();
      Thread.sleep(300);
      table.add(key); // It is committed.
      boolean late = System.nanoTime() - begin > settle.toNanos();
      build.get(5, TimeUnit.MINUTES);
      if (!late) {
        assertThat(one.ask(key)).isEqualTo(Answer.MAYBE_HERE);
        deniesNothing(one);
        return;
      }
      // A busy machine: nothing is promised for a row that takes longer than the second.
      table.remove(key);
      built(lost);
    }
  }

  private void makeAgain() throws Exception {
    long seed = WoodbirdRedis.seedOf("ids").getAsLong();
    GenerationStore.Plan<Long> plan =
        new GenerationStore.Plan<>(1, Keys.longs(), seed, 5000, 0.001);
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      redis.<Long>store("ids").open(plan, () -> {}).close();
    }
  }

  @Test
  void whenOneShardIsLost_theFilterIsMadeAnew() throws Exception {
    RebuildingFilter<Long> one = opened(hasty(Clients.JEDIS).start());
    await(() -> one.generation().isPresent());
    Object shard = ((List<?>) server.ask("KEYS", "wbird:{*}:ids:2:0")).get(0);
    server.ask("DEL", shard.toString());
    await(
        () -> {
          deniesNothing(one);
          // A key of two blocks may be denied by the one that is still there.
          return scans.get() > 1
              && one.candidates(LongStream.range(10_000, 20_000).boxed().toList()).size() < 30;
        });
  }

  @Test
  void aServerThatIsAway_leavesUnknownAndComesBack() throws Exception {
    RebuildingFilter<Long> one = opened(hasty(Clients.JEDIS).every(Duration.ofHours(1)).start());
    Duration brief = Clients.brief(server, Duration.ofMillis(500)); // Before the server dies.
    await(() -> one.generation().isPresent());
    server.kill();
    assertThat(one.ask(5L)).isEqualTo(Answer.UNKNOWN);
    assertThat(one.ask(1_000_000L)).isEqualTo(Answer.UNKNOWN);
    assertThatThrownBy(() -> one.put(6000L)).isInstanceOf(RedisFilterException.class);
    RebuildingFilter<Long> two =
        opened(process(Clients.JEDIS, brief).every(Duration.ofHours(1)).start());
    await(() -> events.stream().anyMatch(e -> e.kind() == RebuildEvent.Kind.FAILED));
    assertThat(two.ask(5L)).isEqualTo(Answer.UNKNOWN);
    assertThatThrownBy(() -> two.putLong(5L)).isInstanceOf(RuntimeException.class);

    server.startAgain();
    await(
        () -> {
          deniesNothing(one);
          deniesNothing(two);
          return one.ask(1_000_000L) == Answer.NOT_HERE && two.ask(1_000_000L) == Answer.NOT_HERE;
        });
    one.close();
    assertThat(one.ask(5L)).isEqualTo(Answer.UNKNOWN);
    assertThatThrownBy(() -> one.putLong(5L)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void underSwapsAndRollBacks_noKeyWhosePutReturnedIsDenied() throws Exception {
    Duration settle = Duration.ofMillis(150);
    List<RebuildingFilter<Long>> all =
        List.of(
            opened(process(Clients.JEDIS).settle(settle).build()),
            opened(process(Clients.LETTUCE).settle(settle).build()));
    built(all.get(0));
    built(all.get(1));
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger wrong = new AtomicInteger();
    AtomicInteger asked = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      int id = t;
      threads.add(
          new Thread(
              () -> {
                SplittableRandom random = new SplittableRandom(id);
                List<Long> mine = new ArrayList<>();
                for (long i = 1; !over.get(); i++) {
                  long key = id * 1_000_000_000L + 10_000 + i;
                  long begin = System.nanoTime();
                  all.get(id % 2).put(key);
                  LockSupport.parkNanos(random.nextLong(settle.toNanos() / 3));
                  table.add(key); // Committed.
                  if (System.nanoTime() - begin < settle.toNanos()) {
                    mine.add(key); // In time; for the others nothing is promised.
                  }
                  for (RebuildingFilter<Long> each : all) {
                    wrong.addAndGet(mine.size() - each.candidates(mine).size());
                    asked.addAndGet(mine.size());
                  }
                }
              }));
    }
    threads.forEach(Thread::start);
    int swaps = 0;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(4);
    while (System.nanoTime() - end < 0 || swaps <= 5 || asked.get() <= 1000) {
      built(all.get(swaps % 2));
      swaps++;
      if (swaps % 5 == 0) {
        // Rows that only the old source had may be unknown to it, so it goes forward again.
        assertThat(all.get(0).rollBack()).isPresent();
        assertThat(all.get(1).rollBack()).isPresent();
      }
    }
    over.set(true);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(swaps).isGreaterThan(5);
    assertThat(asked).hasValueGreaterThan(1000);
    assertThat(wrong).hasValue(0);
  }

  /** Who saw more puts notices it, and must not forget it when all shards are looked at. */
  @Test
  void whenOlderShardsComeBack_theFilterIsMadeAnew() throws Exception {
    RebuildingFilter<Long> one = opened(hasty(Clients.JEDIS).every(Duration.ofHours(1)).start());
    await(() -> one.generation().isPresent());
    List<String> shards =
        ((List<?>) server.ask("KEYS", "wbird:{*}:ids:2:*")).stream().map(Object::toString).toList();
    shards.forEach(key -> server.ask("COPY", key, key + ":backup"));
    List<Long> later = LongStream.range(6000, 8000).boxed().toList();
    one.putAll(later);
    table.addAll(later);
    shards.forEach(key -> server.ask("RENAME", key + ":backup", key));
    await(
        () -> {
          deniesNothing(one);
          return scans.get() > 1 && one.ask(1_000_000L) == Answer.NOT_HERE;
        });
    deniesNothing(one);
  }
}
