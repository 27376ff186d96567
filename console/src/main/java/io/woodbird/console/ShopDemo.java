package io.woodbird.console;

import io.woodbird.guard.Guard;
import io.woodbird.guard.RebuildingFilter;
import io.woodbird.key.Keys;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A shop under an attack of requests for products that do not exist: no cache helps against those,
 * a guard with a filter of all ids does.
 */
final class ShopDemo implements AutoCloseable {
  /*
   * The load is paced, so that the picture shows the guard and not the speed of the machine: so many
   * requests a second, nineteen of twenty for ids that do not exist. The number of queries is the
   * database's own statistics, not a count of ours. An attack ends by itself after a minute.
   */
  static final String NAME = "demo shop";

  private static final double FPP = 0.001;
  private static final int REQUESTS_PER_SECOND = 3000;
  private static final int BURSTS_PER_SECOND = 50;
  private static final int REAL_ONE_OF = 20;
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();
  private volatile boolean guarded;
  private volatile boolean running;
  private volatile String problem = "";
  private volatile @Nullable Shop shop;
  private @Nullable Thread attacker;

  /** The database, the filter of its ids, and the guard that has both. */
  private record Shop(
      ShopDatabase database,
      RebuildingFilter<Long> ids,
      Guard<Long, String> guard,
      GuardWatch watch) {
    static Shop open() throws SQLException {
      ShopDatabase database = new ShopDatabase();
      GenerationLog log = new GenerationLog();
      RebuildingFilter<Long> ids =
          RebuildingFilter.of(Keys.longs(), () -> database.ids().stream())
              .name("woodbird-console-shop")
              .fpp(FPP)
              .onEvent(log)
              .start();
      Guard<Long, String> guard = Guard.of(ids, id -> Optional.ofNullable(database.look(id)));
      return new Shop(database, ids, guard, new GuardWatch().add(NAME, guard, log));
    }
  }

  /** How many requests there were, and how many of them the database has seen. */
  record Load(long requests, long queries) {}

  /** Does what the page says. */
  synchronized void command(String action) throws BadRequestException {
    switch (action) {
      case "start" -> start();
      case "stop" -> running = false;
      case "guard-on" -> guarded = true;
      case "guard-off" -> guarded = false;
      case "rebuild" -> rebuild();
      default ->
          throw new BadRequestException(
              "action must be start, stop, guard-on, guard-off or rebuild");
    }
  }

  private void start() throws BadRequestException {
    if (!ShopDatabase.available()) {
      throw new BadRequestException(
          "the demo needs the H2 database: put com.h2database:h2 on the class path");
    }
    if (running) {
      return;
    }
    running = true;
    problem = "";
    attacker = new Thread(this::attack, "woodbird-console-attack");
    attacker.setDaemon(true);
    attacker.start();
  }

  private void rebuild() {
    Shop open = shop;
    if (open != null) {
      var unused = open.ids.rebuildNow(); // How it went is in the generations.
    }
  }

  private void attack() {
    try {
      Shop open = shop;
      if (open == null) {
        open = Shop.open();
        shop = open;
      }
      SplittableRandom random = new SplittableRandom();
      long begin = System.nanoTime();
      long step = TimeUnit.SECONDS.toNanos(1) / BURSTS_PER_SECOND;
      for (long burst = 0; running && burst * step < LONGEST_NANOS; burst++) {
        for (int i = 0; i < REQUESTS_PER_SECOND / BURSTS_PER_SECOND; i++) {
          boolean real = random.nextInt(REAL_ONE_OF) == 0;
          long product = (long) ShopDatabase.STEP * (1 + random.nextInt(ShopDatabase.PRODUCTS));
          request(open, real ? product : product + 1 + random.nextInt(6), real);
        }
        LockSupport.parkNanos(begin + (burst + 1) * step - System.nanoTime());
      }
    } catch (SQLException | RuntimeException e) {
      problem = String.valueOf(e.getMessage());
    } finally {
      running = false;
    }
  }

  private void request(Shop open, long id, boolean real) throws SQLException {
    requests.incrementAndGet();
    boolean found = guarded ? open.guard.get(id).isPresent() : open.database.find(id) != null;
    if (real && !found) {
      lost.incrementAndGet();
    }
  }

  /** Whether there is a guard to show. */
  boolean ready() {
    return shop != null;
  }

  GuardSnapshot snapshot() {
    Shop open = shop;
    if (open == null) {
      throw new IllegalStateException("the shop is not open yet");
    }
    return open.watch.snapshots().get(0);
  }

  Load load() {
    Shop open = shop;
    try {
      return new Load(requests.get(), open == null ? 0 : open.database.queries());
    } catch (SQLException e) {
      problem = String.valueOf(e.getMessage());
      return new Load(requests.get(), 0);
    }
  }

  Map<String, Object> describe() {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("available", ShopDatabase.available());
    facts.put("running", running);
    facts.put("guarded", guarded);
    facts.put("ready", ready());
    facts.put("products", ShopDatabase.PRODUCTS);
    facts.put("fpp", FPP);
    facts.put("lost", lost.get());
    facts.put("problem", problem);
    return facts;
  }

  /** Waits until the last request of a stopped attack is done. */
  synchronized void awaitEnd() throws InterruptedException {
    if (attacker != null) {
      attacker.join(TimeUnit.SECONDS.toMillis(5));
    }
  }

  @Override
  public synchronized void close() {
    running = false;
    try {
      awaitEnd();
      Shop open = shop;
      if (open != null) {
        open.ids.close();
        open.database.close();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (SQLException e) {
      problem = String.valueOf(e.getMessage()); // It is in memory: nothing is lost.
    }
  }
}
