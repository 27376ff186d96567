package io.woodbird.console;

import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.console.GuardSnapshot.Generation;
import io.woodbird.console.GuardSnapshot.State;
import io.woodbird.key.Keys;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A shop under an attack of requests for products that do not exist: no cache helps against those,
 * a filter of all ids does.
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
  private final AtomicLong asked = new AtomicLong();
  private final AtomicLong stopped = new AtomicLong();
  private final AtomicLong found = new AtomicLong();
  private final AtomicLong falsePositives = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();
  private volatile boolean guarded;
  private volatile boolean running;
  private volatile String problem = "";
  private volatile @Nullable Shop shop;
  private @Nullable Thread attacker;

  /** The database, and the filter of its ids. */
  private record Shop(
      ShopDatabase database, MutableFilter<Long> ids, Instant started, Instant served) {}

  /** How many requests there were, and how many of them the database has seen. */
  record Load(long requests, long queries) {}

  /** Does what the page says. */
  synchronized void command(String action) throws BadRequestException {
    switch (action) {
      case "start" -> start();
      case "stop" -> running = false;
      case "guard-on" -> guarded = true;
      case "guard-off" -> guarded = false;
      default -> throw new BadRequestException("action must be start, stop, guard-on or guard-off");
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

  private void attack() {
    try {
      Shop open = shop;
      if (open == null) {
        open = open();
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
    } catch (SQLException e) {
      problem = String.valueOf(e.getMessage());
    } finally {
      running = false;
    }
  }

  private static Shop open() throws SQLException {
    ShopDatabase database = new ShopDatabase();
    Instant started = Instant.now();
    MutableFilter<Long> ids = Woodbird.bloom(Keys.longs(), ShopDatabase.PRODUCTS).fpp(FPP).build();
    ids.putAll(database.ids());
    return new Shop(database, ids, started, Instant.now());
  }

  private void request(Shop open, long id, boolean real) throws SQLException {
    requests.incrementAndGet();
    if (!guarded) {
      open.database.find(id);
      return;
    }
    asked.incrementAndGet();
    if (!open.ids.mightContain(id)) {
      stopped.incrementAndGet();
      if (real) {
        lost.incrementAndGet();
      }
    } else if (open.database.find(id) != null) {
      found.incrementAndGet();
    } else {
      falsePositives.incrementAndGet();
    }
  }

  /** Whether there is a guard to show. */
  boolean ready() {
    return shop != null;
  }

  GuardSnapshot snapshot() {
    Shop open = shop;
    long loaded = found.get() + falsePositives.get();
    return new GuardSnapshot(
        NAME,
        asked.get(),
        stopped.get(),
        loaded,
        found.get(),
        falsePositives.get(),
        0,
        open == null
            ? List.of()
            : List.of(
                new Generation(
                    1, State.SERVING, open.started, open.served, null, ShopDatabase.PRODUCTS)),
        List.of());
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
        open.database.close();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (SQLException e) {
      problem = String.valueOf(e.getMessage()); // It is in memory: nothing is lost.
    }
  }
}
