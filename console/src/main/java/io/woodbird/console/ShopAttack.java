package io.woodbird.console;

import io.woodbird.Answer;
import io.woodbird.FilterStats;
import io.woodbird.guard.FollowingFilter;
import io.woodbird.guard.Generation;
import io.woodbird.jdbc.JdbcKeys;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A measured attack on a shop: requests as fast as they are answered, with the guard off and on.
 *
 * <p>The ids asked for follow from the seed, and so does the number of queries; times are those of
 * this machine, now.
 */
public final class ShopAttack implements AutoCloseable {
  /*
   * Each request has another id that does not exist, between two that do, so that neither a cache nor
   * a check of the range helps. The ids are made before the clock starts. Both rounds are warmed up
   * first; otherwise the first one would include the JIT compiler. The number of queries comes from the
   * database. In the end every product is asked for, to show that the guard stops none.
   */
  private static final int WARM_UP = 20_000;
  private static final int CHUNK = 256;
  private static final long LOOK_MILLIS = 50;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Shop shop;
  private final Generation generation;
  private final long[] attack;
  private final double fillSeconds;

  /**
   * The result of an attack, or of a visit of real customers.
   *
   * @param requests how many there were
   * @param queries how many of them reached the database, by its own statistics
   * @param found how many got a product
   * @param p50Nanos half of the requests took at most so long
   * @param p99Nanos 99 of 100 requests took at most so long
   * @param seconds all of them, on all threads
   */
  public record Round(
      long requests, long queries, long found, long p50Nanos, long p99Nanos, double seconds) {
    /**
     * How many requests were answered in a second.
     *
     * @return the rate
     */
    public double perSecond() {
      return requests / seconds;
    }
  }

  private ShopAttack(Shop shop, Generation generation, long[] attack, double fillSeconds) {
    this.shop = shop;
    this.generation = generation;
    this.attack = attack;
    this.fillSeconds = fillSeconds;
  }

  /**
   * Whether there is a database to attack: H2 on the class path.
   *
   * @return true if so
   */
  public static boolean available() {
    return ShopDatabase.available();
  }

  /**
   * The most requests with different ids.
   *
   * @param products how many the shop has
   * @return how many ids are missing between the products
   */
  public static long mostRequests(int products) {
    return Shop.missingIds(products);
  }

  /**
   * Fills a database with products and builds the filter of their ids.
   *
   * @param products how many
   * @param requests how many there shall be in an attack, at most {@link #mostRequests}
   * @param seed decides which ids are asked for, and the hash function
   * @return the shop, open
   * @throws SQLException if the database can't be filled
   */
  public static ShopAttack open(int products, int requests, long seed) throws SQLException {
    long begun = System.nanoTime();
    Shop shop = Shop.open(products, seed, event -> {});
    double fillSeconds = (System.nanoTime() - begun) / 1e9;
    try {
      Generation built = shop.ids().rebuildNow().join();
      ShopAttack made = new ShopAttack(shop, built, missing(products, requests, seed), fillSeconds);
      made.warmUp();
      return made;
    } catch (CompletionException e) {
      shop.close();
      throw new SQLException("the filter could not be built", e);
    } catch (RuntimeException | SQLException | Error e) {
      shop.close();
      throw e;
    }
  }

  /** Ids that do not exist, no two the same: steps through all of them that hit each once. */
  static long[] missing(int products, int requests, long seed) {
    long all = Shop.missingIds(products);
    if (requests > all) {
      throw new IllegalArgumentException("requests must be at most " + all + ": " + requests);
    }
    SplittableRandom random = new SplittableRandom(seed);
    long at = random.nextLong(all);
    long step = 1 + random.nextLong(all);
    while (gcd(step, all) != 1) {
      step++;
    }
    long[] ids = new long[requests];
    for (int i = 0; i < requests; i++) {
      ids[i] = Shop.missing(at);
      at = (at + step) % all;
    }
    return ids;
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  private void warmUp() throws SQLException {
    long[] some = Arrays.copyOf(attack, Math.min(attack.length, WARM_UP));
    for (boolean guarded : new boolean[] {false, true}) {
      measure(some, guarded, done -> {});
      measure(products(some.length), guarded, done -> {});
    }
  }

  private long[] products(int most) {
    long[] ids = new long[Math.min(most, shop.database().products())];
    Arrays.setAll(ids, Shop::product);
    return ids;
  }

  /**
   * Attacks: asks for ids that do not exist.
   *
   * @param guarded whether the guard stands before the database
   * @param progress is told now and then how many requests are done
   * @return what came of it
   * @throws SQLException if the database does not answer
   */
  public Round attack(boolean guarded, LongConsumer progress) throws SQLException {
    return measure(attack, guarded, progress);
  }

  /**
   * Asks for every product once, with the guard on.
   *
   * @param progress is told now and then how many requests are done
   * @return what came of it: each must be found
   * @throws SQLException if the database does not answer
   */
  public Round visit(LongConsumer progress) throws SQLException {
    return measure(products(Integer.MAX_VALUE), true, progress);
  }

  /**
   * What a guard says about rows that others write.
   *
   * @param rows how many were written, and asked for when their commit had returned
   * @param deniedByFilter how many a guard denies that believes its filter
   * @param deniedWithProof how many a guard denies that asks the database before it denies
   */
  public record Strangers(long rows, long deniedByFilter, long deniedWithProof) {}

  /**
   * Writes products without telling the filter, and asks for each at once. To be called last.
   *
   * @param rows how many
   * @return how many of them are denied
   * @throws SQLException if the database does not answer
   */
  public Strangers strangers(int rows) throws SQLException {
    JdbcKeys<Long> keys = JdbcKeys.longs(shop.database().source(), "select id from product");
    long deniedByFilter = 0;
    List<CompletableFuture<Answer>> answers = new ArrayList<>();
    try (FollowingFilter<Long> following =
        FollowingFilter.over(shop.ids(), keys.follower()).patience(PATIENCE).start()) {
      while (following.confirmations() == 0 && following.failures() == 0) {
        Thread.onSpinWait();
      }
      for (int i = 0; i < rows; i++) {
        // Above all others, and between them, as numbers that were taken long ago.
        long id = i % 2 == 0 ? Shop.product(shop.database().products() + i) : Shop.missing(i);
        shop.database().insert(id);
        deniedByFilter += shop.ids().ask(id) == Answer.NOT_HERE ? 1 : 0;
        answers.add(following.askAsync(id));
      }
      long denied = answers.stream().filter(a -> a.join() == Answer.NOT_HERE).count();
      return new Strangers(rows, deniedByFilter, denied);
    }
  }

  private Round measure(long[] ids, boolean guarded, LongConsumer progress) throws SQLException {
    long before = shop.database().queries();
    long[] nanos = new long[ids.length];
    AtomicInteger next = new AtomicInteger();
    AtomicLong found = new AtomicLong();
    AtomicReference<@Nullable Throwable> trouble = new AtomicReference<>();
    Thread[] threads = new Thread[Math.min(4, Runtime.getRuntime().availableProcessors())];
    long begun = System.nanoTime();
    for (int t = 0; t < threads.length; t++) {
      threads[t] = new Thread(() -> ask(ids, guarded, nanos, next, found), "woodbird-attack-" + t);
      threads[t].setUncaughtExceptionHandler((thread, e) -> trouble.set(e));
      threads[t].setDaemon(true);
      threads[t].start();
    }
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        join(thread);
        progress.accept(Math.min(next.get(), ids.length));
      }
    }
    double seconds = (System.nanoTime() - begun) / 1e9;
    Throwable thrown = trouble.get();
    if (thrown != null) {
      throw new SQLException("the attack failed", thrown);
    }
    long queries = shop.database().queries() - before;
    Arrays.sort(nanos);
    int last = nanos.length - 1;
    return new Round(
        ids.length, queries, found.get(), nanos[last / 2], nanos[(int) (last * 0.99)], seconds);
  }

  /** Takes chunks of ids until none is left. */
  private void ask(
      long[] ids, boolean guarded, long[] nanos, AtomicInteger next, AtomicLong found) {
    int products = 0;
    for (int from = next.getAndAdd(CHUNK); from < ids.length; from = next.getAndAdd(CHUNK)) {
      for (int i = from; i < Math.min(from + CHUNK, ids.length); i++) {
        long begun = System.nanoTime();
        products += shop.find(ids[i], guarded) == null ? 0 : 1;
        nanos[i] = System.nanoTime() - begun;
      }
    }
    found.addAndGet(products);
  }

  private static void join(Thread thread) {
    try {
      thread.join(LOOK_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /**
   * Which database it is.
   *
   * @return name and version
   * @throws SQLException if it does not answer
   */
  public String database() throws SQLException {
    return shop.database().name();
  }

  /**
   * How long it took to fill the database.
   *
   * @return seconds
   */
  public double fillSeconds() {
    return fillSeconds;
  }

  /**
   * The filter of ids behind the guard.
   *
   * @return how many ids it holds, has room for, and how long it took to build
   */
  public Generation generation() {
    return generation;
  }

  /**
   * The filter as it is.
   *
   * @return its size and its fpp
   */
  public FilterStats filter() {
    return shop.ids().stats();
  }

  /** Closes the shop; nothing of it is left. */
  @Override
  public void close() throws SQLException {
    shop.close();
  }
}
