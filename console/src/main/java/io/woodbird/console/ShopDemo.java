package io.woodbird.console;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A shop under an attack of requests for products that do not exist: no cache helps against those,
 * a guard with a filter of all ids does.
 */
final class ShopDemo implements AutoCloseable {
  /*
   * The load is paced, so that the picture shows the guard and not the speed of the machine: a fixed
   * number of requests a second, nineteen of twenty for ids that do not exist. The number of queries
   * comes from the statistics of the database. An attack goes on while a page watches; one
   * that no page has looked at for a minute ends.
   */
  static final String NAME = "demo shop";
  static final int PRODUCTS = 100_000;

  private static final int REQUESTS_PER_SECOND = 3000;
  private static final int BURSTS_PER_SECOND = 50;
  private static final int REAL_ONE_OF = 20;
  private static final long UNWATCHED_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final GenerationLog generations = new GenerationLog();
  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();

  /** Held during a request, and while both are counted: no request is half done in a count. */
  private final ReentrantLock counting = new ReentrantLock();

  private volatile boolean guarded;
  private volatile long watched;
  private volatile boolean leftAlone;
  private volatile String problem = "";
  private volatile @Nullable Shop shop;
  private volatile @Nullable GuardWatch guards;
  private final LongSupplier clock;

  /** The attack that is running; another one, or none, ends it. */
  private volatile @Nullable Thread attacker;

  /** The last attack, which may still be at its last request. */
  private @Nullable Thread last;

  ShopDemo() {
    this(System::nanoTime);
  }

  /**
   * Makes a demo with its own clock, to end an attack that no page watches.
   *
   * @param clock gives nanoseconds since any moment
   */
  ShopDemo(LongSupplier clock) {
    this.clock = clock;
  }

  /** How many requests there were, and how many of them the database has seen. */
  record Load(long requests, long queries) {}

  /** Does what the page says. */
  synchronized void command(String action) throws BadRequestException {
    watch();
    switch (action) {
      case "start" -> start();
      case "stop" -> attacker = null;
      case "guard-on" -> guarded = true;
      case "guard-off" -> guarded = false;
      case "rebuild" -> rebuild();
      default ->
          throw new BadRequestException(
              "action", "action must be start, stop, guard-on, guard-off or rebuild");
    }
  }

  private void start() throws BadRequestException {
    if (!ShopDatabase.available()) {
      throw new BadRequestException(
          "noDatabase", "the demo needs the H2 database: put com.h2database:h2 on the class path");
    }
    if (attacker != null) {
      return;
    }
    problem = "";
    leftAlone = false;
    Thread before = last;
    Thread thread = new Thread(() -> attack(before), "woodbird-console-attack");
    thread.setDaemon(true);
    attacker = thread;
    last = thread;
    thread.start();
  }

  /** Notes that the page was just looked at. */
  void watch() {
    watched = clock.getAsLong();
  }

  private void rebuild() {
    Shop open = shop;
    if (open != null) {
      var unused = open.ids().rebuildNow(); // The generations show the result.
    }
  }

  private void attack(@Nullable Thread before) {
    Thread self = Thread.currentThread();
    try {
      if (before != null) {
        before.join(); // Two attacks at once would be twice the load.
      }
      attack(self, new SplittableRandom());
    } catch (SQLException | RuntimeException e) {
      problem = String.valueOf(e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      end(self);
    }
  }

  private synchronized void end(Thread self) {
    if (attacker == self) {
      attacker = null;
    }
  }

  private void attack(Thread self, SplittableRandom random) throws SQLException {
    Shop open = shop;
    if (open == null) {
      open = Shop.open(PRODUCTS, random.nextLong(), generations);
      guards = new GuardWatch().add(NAME, open.guard(), generations);
      shop = open;
      rebuild();
    }
    Pace pace = new Pace(TimeUnit.SECONDS.toNanos(1) / BURSTS_PER_SECOND, System.nanoTime());
    while (attacker == self && !leftAlone) {
      for (int i = 0; i < REQUESTS_PER_SECOND / BURSTS_PER_SECOND; i++) {
        boolean real = random.nextInt(REAL_ONE_OF) == 0;
        long id =
            real
                ? Shop.product(random.nextInt(PRODUCTS))
                : Shop.missing(random.nextLong(Shop.missingIds(PRODUCTS)));
        request(open, id, real);
      }
      LockSupport.parkNanos(pace.nanosToNext(System.nanoTime()));
      leftAlone = clock.getAsLong() - watched > UNWATCHED_NANOS;
    }
  }

  private void request(Shop open, long id, boolean real) {
    counting.lock();
    try {
      requests.incrementAndGet();
      if (open.find(id, guarded) == null && real) {
        lost.incrementAndGet();
      }
    } finally {
      counting.unlock();
    }
  }

  /** Whether there is a guard to show. */
  boolean ready() {
    return shop != null;
  }

  GuardSnapshot snapshot() {
    GuardWatch open = guards;
    if (open == null) {
      throw new IllegalStateException("the shop is not open yet");
    }
    return open.snapshots().get(0);
  }

  /** Counts both at one moment. */
  Load load() {
    counting.lock();
    try {
      Shop open = shop;
      return new Load(requests.get(), open == null ? 0 : open.database().queries());
    } catch (SQLException e) {
      problem = String.valueOf(e.getMessage());
      return new Load(requests.get(), 0);
    } finally {
      counting.unlock();
    }
  }

  Map<String, Object> describe() {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("available", ShopDatabase.available());
    facts.put("running", attacker != null);
    facts.put("starting", attacker != null && !ready());
    facts.put("leftAlone", leftAlone);
    facts.put("guarded", guarded);
    facts.put("ready", ready());
    facts.put("products", PRODUCTS);
    facts.put("fpp", Shop.FPP);
    facts.put("lost", lost.get());
    facts.put("problem", problem);
    return facts;
  }

  /** Waits until the last request of a stopped attack is done. */
  void awaitEnd() throws InterruptedException {
    Thread thread;
    synchronized (this) {
      thread = last;
    }
    if (thread != null) {
      thread.join(TimeUnit.SECONDS.toMillis(5));
    }
  }

  @Override
  public void close() {
    attacker = null;
    try {
      awaitEnd();
      Shop open = shop;
      if (open != null) {
        open.close();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (SQLException e) {
      problem = String.valueOf(e.getMessage()); // The database is in memory only.
    }
  }
}
