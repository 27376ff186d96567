package io.woodbird.example.guard;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.context.ConfigurableApplicationContext;

/** Requests for products that do not exist, and some that do, with the guard off and on. */
public final class Attack {
  private static final long PRODUCTS = 100_000;
  private static final int REQUESTS = 100_000;
  private static final int THREADS = 4;

  private Attack() {}

  /**
   * What came of it.
   *
   * @param requests for ids that do not exist
   * @param queries how many of them reached the database, by its own count
   * @param found answers to them that were not empty
   * @param p50 the median time of a request, in nanoseconds
   * @param p99 the time that one of a hundred requests exceeds
   * @param seconds the whole attack
   */
  record Outcome(long requests, long queries, long found, long p50, long p99, double seconds) {}

  /** Starts a PostgreSQL, attacks it twice, and prints what reached it. */
  public static void main(String[] arguments) throws Exception {
    try (Database database = Database.start(PRODUCTS)) {
      System.out.printf(
          "PostgreSQL with %,d products. %,d requests for ids that do not exist, from %d threads:%n%n",
          PRODUCTS, REQUESTS, THREADS);
      System.out.printf("%-10s %12s %12s %12s %10s%n", "guard", "queries", "p50", "p99", "took");
      for (boolean guarded : new boolean[] {false, true}) {
        try (ConfigurableApplicationContext context = Shop.start(database, guarded)) {
          Products products = context.getBean(Products.class);
          Outcome outcome = against(products, database, REQUESTS, guarded ? 2 : 1);
          System.out.printf(
              "%-10s %,12d %9.1f us %9.1f us %8.2f s%n",
              guarded ? "on" : "off",
              outcome.queries,
              outcome.p50 / 1000.0,
              outcome.p99 / 1000.0,
              outcome.seconds);
          if (guarded) {
            System.out.printf(
                "%nAll %,d real ids asked with the guard on: %,d stopped.%n",
                PRODUCTS, stopped(products, PRODUCTS));
          }
        }
      }
    }
  }

  /** Asks for ids that do not exist, from several threads. */
  static Outcome against(Products products, Database database, int requests, long seed)
      throws Exception {
    long before = database.executions(Products.QUERY);
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
        requests, queries, found.sum(), nanos[requests / 2], nanos[requests / 100 * 99], seconds);
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
