package io.woodbird.example.guard;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.context.ConfigurableApplicationContext;

/** Requests for products that do not exist, while strangers write products that do. */
public final class Attack {
  private static final long PRODUCTS = 100_000;
  private static final int REQUESTS = 100_000;
  private static final int THREADS = 200; // As many as Tomcat has.
  private static final int ROWS = 20_000;

  private Attack() {}

  /**
   * What came of it.
   *
   * @param requests for ids that do not exist
   * @param queries how many of them reached the database, by its own count
   * @param proofs how often the guard asked the database whether ids are absent, many at a time
   * @param found answers to them that were not empty
   * @param p50 the median time of a request, in nanoseconds
   * @param p99 the time that one of a hundred requests exceeds
   * @param seconds the whole attack
   */
  record Outcome(
      long requests, long queries, long proofs, long found, long p50, long p99, double seconds) {}

  /**
   * Starts a PostgreSQL, attacks it, and lets strangers write rows meanwhile. With a number as
   * argument only that part of it: 10 for a tenth.
   */
  public static void main(String[] arguments) throws Exception {
    int part = arguments.length == 0 ? 1 : Integer.parseInt(arguments[0]);
    int requests = REQUESTS / part;
    try (Database database = Database.start(PRODUCTS)) {
      System.out.printf(
          "PostgreSQL with %,d products. %,d requests for ids that do not exist, from %d threads:%n%n",
          PRODUCTS, requests, THREADS);
      System.out.printf(
          "%-20s %9s %9s %12s %12s %8s%n", "guard", "queries", "proofs", "p50", "p99", "took");
      attack(database, requests, "off", false);
      attack(database, requests, "on", true);
      String freshness = "--woodbird.guards.products.freshness=100ms";
      attack(database, requests, "freshness: 100ms", true, freshness);
      strangers(database, ROWS / part);
    }
  }

  private static void attack(
      Database database, int requests, String name, boolean guarded, String... settings)
      throws Exception {
    try (ConfigurableApplicationContext context = Shop.start(database, guarded, settings)) {
      Products products = context.getBean(Products.class);
      Outcome outcome = against(products, database, requests, name.hashCode());
      System.out.printf(
          "%-20s %,9d %,9d %9.3f ms %9.3f ms %6.1f s%n",
          name,
          outcome.queries,
          outcome.proofs,
          outcome.p50 / 1e6,
          outcome.p99 / 1e6,
          outcome.seconds);
    }
  }

  private static void strangers(Database database, int rows) throws Exception {
    String room = "--woodbird.guards.products.expected-keys=" + (PRODUCTS + 2L * rows);
    try (ConfigurableApplicationContext one = Shop.start(database, true, room);
        ConfigurableApplicationContext two = Shop.start(database, true, room)) {
      List<Products> instances = List.of(one.getBean(Products.class), two.getBean(Products.class));
      Strangers strangers = new Strangers(database, instances);
      System.out.printf(
          "%nTwo instances. Strangers insert %,d rows: one by one, with COPY, in long transactions,%n"
              + "out of order. Each row is asked for in both instances when its commit has returned:%n%n",
          rows);
      AtomicBoolean isOver = new AtomicBoolean();
      Thread attacker = new Thread(() -> attackUntil(isOver, instances.get(0)));
      attacker.start();
      strangers.write(rows, 1);
      isOver.set(true);
      attacker.join();
      System.out.printf("%,d questions, %,d denied.%n", strangers.asked(), strangers.denied());
    }
  }

  private static void attackUntil(AtomicBoolean isOver, Products products) {
    SplittableRandom random = new SplittableRandom(7);
    while (!isOver.get()) {
      products.find(-1 - random.nextLong(Long.MAX_VALUE));
    }
  }

  /** Asks for ids that do not exist, from several threads. */
  static Outcome against(Products products, Database database, int requests, long seed)
      throws Exception {
    long before = database.executions(Products.QUERY);
    long proofsBefore = database.proofs();
    long[] nanos = new long[requests];
    LongAdder found = new LongAdder();
    long started = System.nanoTime();
    Thread[] threads = new Thread[THREADS];
    for (int t = 0; t < THREADS; t++) {
      int first = t;
      SplittableRandom random = new SplittableRandom(seed * THREADS + t);
      threads[t] =
          new Thread(
              () -> {
                for (int i = first; i < requests; i += THREADS) {
                  long id = -1 - random.nextLong(Long.MAX_VALUE); // Ids of products are positive.
                  long begun = System.nanoTime();
                  found.add(products.find(id).isPresent() ? 1 : 0);
                  nanos[i] = System.nanoTime() - begun;
                }
              });
      threads[t].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    double seconds = (System.nanoTime() - started) / 1e9;
    long queries = database.executions(Products.QUERY) - before;
    Arrays.sort(nanos);
    return new Outcome(
        requests,
        queries,
        database.proofs() - proofsBefore,
        found.sum(),
        nanos[requests / 2],
        nanos[requests / 100 * 99],
        seconds);
  }

  /** How many real products are said not to exist. */
  static long stopped(Products products, long count) {
    long stopped = 0;
    for (long id = 1; id <= count; id++) {
      stopped += products.find(id).isEmpty() ? 1 : 0;
    }
    return stopped;
  }
}
