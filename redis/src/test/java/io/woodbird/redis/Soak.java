package io.woodbird.redis;

import com.sun.management.UnixOperatingSystemMXBean;
import io.woodbird.guard.Follower;
import io.woodbird.guard.FollowingFilter;
import io.woodbird.guard.Guard;
import io.woodbird.guard.GuardOverloadedException;
import io.woodbird.guard.RebuildEvent;
import io.woodbird.guard.RebuildingFilter;
import io.woodbird.key.Keys;
import io.woodbird.testkit.NetworkProxy;
import io.woodbird.testkit.RedisServer;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * A program that lets two guarded processes run for hours over one filter in Redis, with a fault
 * each minute, and with writers that tell nobody. It prints a line every ten seconds. At the end it
 * fails if a committed row was denied, or if heap, descriptors or threads have grown.
 */
final class Soak {
  /*
   * The table is a set in memory: the database is not what is tested. Rows come and go, so that the
   * table stays as large as it is. Keys are never used again, so a row that is there after a
   * question and was there before it must not be denied.
   */
  private static final Duration EVERY = Duration.ofSeconds(30);
  private static final Duration FAULT_EVERY = Duration.ofSeconds(60);
  private static final long LINE_MILLIS = 10_000;
  private static final int ROWS = 20_000;

  /** What the process is allowed to use at the end, compared with the first quarter. */
  private static final double GROWTH = 1.2;

  private final NavigableSet<Long> table = new ConcurrentSkipListSet<>();
  private final AtomicLong nextKey = new AtomicLong(1);
  private final List<Guard<Long, Long>> guards = new ArrayList<>();
  private final List<FollowingFilter<Long>> following = new ArrayList<>();
  private final List<AutoCloseable> open = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final List<Use> uses = new ArrayList<>();
  private final LongAdder asked = new LongAdder();
  private final LongAdder denied = new LongAdder();
  private final LongAdder wrong = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder builds = new LongAdder();
  private final Map<RebuildEvent.Kind, LongAdder> events = new ConcurrentHashMap<>();
  private volatile boolean ended;
  private int faults;

  /** What the JVM uses. */
  private record Use(long heapBytes, long descriptors, int threads) {}

  private Soak() {}

  /**
   * Runs.
   *
   * @param args how long, as {@code PT2H}
   */
  public static void main(String[] args) throws Exception {
    System.exit(new Soak().run(Duration.parse(args[0])) ? 0 : 1);
  }

  private boolean run(Duration duration) throws Exception {
    try (RedisServer server = RedisServer.start();
        NetworkProxy network = new NetworkProxy(server.port())) {
      for (int i = 0; i < ROWS; i++) {
        table.add(nextKey.getAndIncrement());
      }
      begin(Clients.JEDIS, network.port());
      begin(Clients.LETTUCE, network.port());
      start(this::write);
      start(() -> ask(guards.get(0), 1));
      start(() -> ask(guards.get(1), 2));
      System.out.println("seconds,asked,denied,wrong,refused,builds,heap MB,descriptors,threads");
      long begin = System.nanoTime();
      long nextFault = begin + FAULT_EVERY.toNanos();
      while (System.nanoTime() - begin < duration.toNanos()) {
        Thread.sleep(LINE_MILLIS);
        line((System.nanoTime() - begin) / 1_000_000_000);
        if (System.nanoTime() - nextFault > 0) {
          nextFault += FAULT_EVERY.toNanos();
          fault(server, network);
        }
      }
      ended = true;
      for (Thread thread : threads) {
        thread.join();
      }
      for (int i = open.size() - 1; i >= 0; i--) {
        open.get(i).close();
      }
    }
    return verdict();
  }

  /** A process: a client, a filter that follows the table, and a guard. */
  private void begin(Clients clients, int port) {
    AutoCloseable client = clients.server(port, Duration.ofSeconds(2));
    WoodbirdRedis redis = WoodbirdRedis.using(client, Duration.ofMillis(500), event -> {});
    RebuildingFilter<Long> ids =
        RebuildingFilter.of(Keys.longs(), () -> List.copyOf(table).stream())
            .store(redis.<Long>store("ids"))
            .fpp(0.001)
            .every(EVERY)
            .settle(Duration.ofSeconds(1))
            .retryAfter(Duration.ofSeconds(5))
            .onEvent(this::take)
            .start();
    Follower<Long> follower = this::look;
    FollowingFilter<Long> follows = FollowingFilter.over(ids, follower).start();
    open.addAll(List.of(client, redis, ids, follows));
    following.add(follows);
    guards.add(Guard.of(follows, key -> table.contains(key) ? Optional.of(key) : Optional.empty()));
  }

  private void take(RebuildEvent event) {
    builds.add(event.kind() == RebuildEvent.Kind.BUILT ? 1 : 0);
    events.computeIfAbsent(event.kind(), kind -> new LongAdder()).increment();
    if (events.get(event.kind()).sum() % 100 == 1) {
      System.out.println("for example: " + event);
    }
  }

  private Follower.Proof<Long> look(List<Long> keys) {
    Set<Long> absent = new HashSet<>(keys);
    absent.removeIf(table::contains);
    return absent::contains;
  }

  private void start(Runnable task) {
    Thread thread = new Thread(task, "soak");
    thread.start();
    threads.add(thread);
  }

  /**
   * Inserts and deletes rows; of some of them it tells the filter first, as an application does.
   */
  private void write() {
    SplittableRandom random = new SplittableRandom(1);
    while (!ended) {
      long key = nextKey.getAndIncrement();
      if (random.nextInt(4) == 0) {
        try {
          following.get(0).put(key);
        } catch (RuntimeException e) {
          refused.increment(); // The row is written all the same, by somebody who tells nobody.
        }
      }
      table.add(key);
      table.pollFirst();
      pause(5);
    }
  }

  private void ask(Guard<Long, Long> guard, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    while (!ended) {
      boolean absent = random.nextInt(3) == 0;
      Long near = table.floor(nextKey.get() - random.nextInt(random.nextBoolean() ? 3 : ROWS));
      long key = absent || near == null ? -random.nextLong(1, 1L << 40) : near;
      try {
        boolean found = guard.get(key).isPresent();
        asked.increment();
        denied.add(found ? 0 : 1);
        if (!found && table.contains(key)) {
          wrong.increment();
          System.out.println("denied, and in the table: " + key);
        }
      } catch (GuardOverloadedException e) {
        refused.increment();
      }
      pause(1);
    }
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void fault(RedisServer server, NetworkProxy network) throws Exception {
    switch (faults++ % 6) {
      case 0 -> network.cut();
      case 1 -> {
        server.freeze();
        pause(2_000);
        server.thaw();
      }
      case 2 -> server.ask("FLUSHALL");
      case 3 -> {
        network.holdAfter(3);
        pause(3_000);
        network.pass();
        network.cut();
      }
      case 4 -> {
        server.kill();
        pause(1_000);
        server.startAgain();
      }
      default -> {
        network.cutAfter(20);
        pause(3_000);
        network.pass();
      }
    }
  }

  private void line(long seconds) {
    System.gc(); // What is used, and not what waits to be collected.
    var heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    var system = ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class);
    Use use =
        new Use(
            heap.getUsed(),
            system.getOpenFileDescriptorCount(),
            ManagementFactory.getThreadMXBean().getThreadCount());
    uses.add(use);
    System.out.printf(
        Locale.ROOT,
        "%d,%d,%d,%d,%d,%d,%.1f,%d,%d%n",
        seconds,
        asked.sum(),
        denied.sum(),
        wrong.sum(),
        refused.sum(),
        builds.sum(),
        use.heapBytes / 1e6,
        use.descriptors,
        use.threads);
  }

  private boolean verdict() {
    Use first = most(uses.subList(0, (uses.size() + 3) / 4));
    Use last = most(uses.subList(uses.size() * 3 / 4, uses.size()));
    boolean flat =
        last.heapBytes <= GROWTH * first.heapBytes
            && last.descriptors <= GROWTH * first.descriptors
            && last.threads <= GROWTH * first.threads;
    System.out.printf(
        Locale.ROOT,
        "%d questions, %d wrong, %d faults, events %s; first quarter %s, last quarter %s: %s%n",
        asked.sum(),
        wrong.sum(),
        faults,
        new TreeMap<>(events),
        first,
        last,
        flat ? "flat" : "grown");
    return wrong.sum() == 0 && asked.sum() > 0 && flat;
  }

  private static Use most(List<Use> some) {
    return new Use(
        some.stream().mapToLong(Use::heapBytes).max().orElse(0),
        some.stream().mapToLong(Use::descriptors).max().orElse(0),
        some.stream().mapToInt(Use::threads).max().orElse(0));
  }
}
