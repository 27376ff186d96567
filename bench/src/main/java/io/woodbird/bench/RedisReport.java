package io.woodbird.bench;

import io.woodbird.key.Keys;
import io.woodbird.redis.RedisBloomFilter;
import io.woodbird.redis.WoodbirdRedis;
import io.woodbird.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;
import org.redisson.Redisson;
import org.redisson.api.RBloomFilter;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import redis.clients.jedis.RedisClient;

/**
 * Compares a filter in Redis with Redisson's, on one server in one run, and judges the promises.
 */
public final class RedisReport {
  private static final String USAGE =
      """
      usage: java -cp bench/target/bench.jar io.woodbird.bench.RedisReport [--keys N] [--rounds N]

        --keys N    how many URLs are put; 1,000,000 if nothing is said
        --rounds N  how often each thing is measured, in turns with the rival; 9

      Starts a server of its own: -Dwoodbird.redis.server=PATH, or redis-server or valkey-server from
      the path. Exit code: 0 all promises kept, 1 some not, 2 wrong arguments.
      """;

  private static final int BATCH = 1000;
  private static final double FPP = 0.01;

  private static final long LEAST_NANOS = 300_000_000;

  /** Rounds that do not count. */
  private static final int WARM_UP = 6;

  private final List<Verdict> verdicts = new ArrayList<>();
  private int keys = 1_000_000;
  private int rounds = 9;

  private RedisReport() {}

  /** Runs the report. */
  public static void main(String[] args) throws Exception {
    RedisReport report = new RedisReport();
    for (int i = 0; i < args.length; i += 2) {
      if (i + 1 < args.length && args[i].equals("--keys")) {
        report.keys = Integer.parseInt(args[i + 1]);
      } else if (i + 1 < args.length && args[i].equals("--rounds")) {
        report.rounds = Integer.parseInt(args[i + 1]);
      } else {
        System.err.print(USAGE);
        System.exit(2);
      }
    }
    report.run();
    boolean kept = report.verdicts.stream().allMatch(Verdict::kept);
    System.exit(kept ? 0 : 1);
  }

  private static String url(long number) {
    return "https://www.example.com/catalogue/item/" + number + "?ref=home";
  }

  private void run() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisClient jedis = RedisClient.create("127.0.0.1", server.port());
        WoodbirdRedis redis = WoodbirdRedis.using(jedis)) {
      System.out.printf(
          Locale.ROOT,
          "server %s, %,d URLs, fpp %s, batches of %d, %d rounds%n",
          server.info("server", "redis_version"),
          keys,
          FPP,
          BATCH,
          rounds);
      Config config = new Config();
      config.setCodec(StringCodec.INSTANCE);
      config.useSingleServer().setAddress("redis://127.0.0.1:" + server.port());
      RedissonClient redisson = Redisson.create(config);
      try {
        compare(redis, redisson);
      } finally {
        redisson.shutdown();
      }
    }
    verdicts.forEach(System.out::println);
  }

  private void compare(WoodbirdRedis redis, RedissonClient redisson) {
    RedisBloomFilter<String> ours =
        redis.bloom("ours", Keys.strings(), keys).fpp(FPP).seed(42).open();
    RBloomFilter<String> theirs = redisson.getBloomFilter("theirs");
    theirs.tryInit(keys, FPP);
    load(redis, ours, theirs);
    judge(
        "batch questions: Redisson / woodbird",
        8,
        batch -> (long) ours.candidates(batch).size(),
        batch -> theirs.contains(batch));
    near(redis, theirs);
    puts(redis, redisson);
    singles("single questions: Redisson / woodbird", 1, ours, theirs);
    fpps(ours, theirs);
  }

  private static List<String> batch(long from, int count, LongFunction<String> key) {
    List<String> batch = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      batch.add(key.apply(from + i));
    }
    return batch;
  }

  private void load(
      WoodbirdRedis redis, RedisBloomFilter<String> ours, RBloomFilter<String> theirs) {
    List<String> all = batch(0, keys, RedisReport::url);
    RedisBloomFilter<String> warm = redis.bloom("warm", Keys.strings(), keys).fpp(FPP).open();
    List<Double> mine = new ArrayList<>();
    for (int round = 0; round < rounds + 2; round++) {
      long start = System.nanoTime();
      (round < rounds ? warm : ours).load(all.iterator());
      mine.add((double) System.nanoTime() - start);
    }
    long start = System.nanoTime();
    for (int from = 0; from < keys; from += BATCH) {
      theirs.add(all.subList(from, Math.min(keys, from + BATCH)));
    }
    double their = System.nanoTime() - start;
    List<Double> ratios = mine.subList(1, mine.size()).stream().map(m -> their / m).toList();
    verdicts.add(
        Verdict.atLeast(
            "loading all keys at once: Redisson / woodbird",
            "x",
            100,
            Sample.median(ratios),
            Verdict.range(ratios)));
  }

  private interface Call {
    long on(List<String> batch);
  }

  /** Half of the keys of a batch are there. */
  private void judge(String what, double target, Call ours, Call theirs) {
    List<Double> mine = new ArrayList<>();
    List<Double> other = new ArrayList<>();
    for (int round = -WARM_UP; round < rounds; round++) {
      double a = time(ours, round);
      double b = time(theirs, round);
      if (round >= 0) {
        mine.add(a);
        other.add(b);
      }
    }
    add(what, target, mine, other);
  }

  private void add(String what, double target, List<Double> mine, List<Double> other) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < mine.size(); i++) {
      ratios.add(other.get(i) / mine.get(i));
    }
    System.out.printf(
        Locale.ROOT,
        "%-60s %.3f us and %.3f us a key%n",
        what,
        Sample.median(other) / 1000,
        Sample.median(mine) / 1000);
    double ratio = Sample.median(other) / Sample.median(mine);
    verdicts.add(Verdict.atLeast(what, "x", target, ratio, Verdict.range(ratios)));
  }

  /** Nanoseconds per key, over 50 batches and at least 0.3 s. */
  private double time(Call call, int round) {
    List<List<String>> batches = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      long from = Math.floorMod(31L * BATCH * (50L * round + i), (long) keys);
      batches.add(batch(from, BATCH, n -> url(n % 2 == 0 ? n % keys : keys + n)));
    }
    // A near copy is through in 3 ms, which measures nothing: as many passes as fill the time.
    long start = System.nanoTime();
    int passes = 0;
    do {
      for (List<String> batch : batches) {
        call.on(batch);
      }
      passes++;
    } while (System.nanoTime() - start < LEAST_NANOS);
    return (System.nanoTime() - start) / (50.0 * BATCH * passes);
  }

  /**
   * The copy in the process, which answers all within its lag. Both are asked which keys are there:
   * Redisson's {@code contains} of a batch only counts them.
   */
  private void near(WoodbirdRedis redis, RBloomFilter<String> theirs) {
    try (RedisBloomFilter<String> near =
        redis.bloom("ours", Keys.strings(), keys).fpp(FPP).near(Duration.ofSeconds(5)).open()) {
      judge(
          "near copy, batch questions: Redisson / woodbird",
          150,
          batch -> (long) near.candidates(batch).size(),
          batch -> (long) theirs.exists(batch).size());
      singles("near copy, single questions: Redisson / woodbird", 150, near, theirs);
    }
  }

  private void puts(WoodbirdRedis redis, RedissonClient redisson) {
    RedisBloomFilter<String> ours = redis.bloom("puts", Keys.strings(), keys).fpp(FPP).open();
    RBloomFilter<String> theirs = redisson.getBloomFilter("their-puts");
    theirs.tryInit(keys, FPP);
    judge(
        "batch puts: Redisson / woodbird",
        3,
        batch -> ours.putAll(batch),
        batch -> theirs.add(batch));
  }

  private void singles(
      String what, double target, RedisBloomFilter<String> ours, RBloomFilter<String> theirs) {
    List<Double> mine = new ArrayList<>();
    List<Double> other = new ArrayList<>();
    for (int round = -WARM_UP; round < rounds; round++) {
      List<String> batch = batch(7L * BATCH * (round + WARM_UP), 2 * BATCH, RedisReport::url);
      long start = System.nanoTime();
      batch.forEach(ours::mightContain);
      long middle = System.nanoTime();
      batch.forEach(theirs::contains);
      long end = System.nanoTime();
      if (round >= 0) {
        mine.add((middle - start) / (2.0 * BATCH));
        other.add((end - middle) / (2.0 * BATCH));
      }
    }
    add(what, target, mine, other);
  }

  private void fpps(RedisBloomFilter<String> ours, RBloomFilter<String> theirs) {
    int probes = 200_000;
    int ourProbes = 2_000_000;
    List<String> absent = batch(10L * keys, ourProbes, RedisReport::url);
    double mine = ours.candidates(absent).size() / (double) ourProbes;
    long hits = 0;
    for (int from = 0; from < probes; from += BATCH) {
      hits += theirs.contains(absent.subList(from, from + BATCH));
    }
    System.out.printf(
        Locale.ROOT,
        "fpp asked for %s: woodbird %.5f, Redisson %.5f%n",
        FPP,
        mine,
        hits / (double) probes);
    List<String> present = batch(0, Math.min(keys, probes), RedisReport::url);
    double missed = present.size() - ours.candidates(present).size();
    verdicts.add(Verdict.atMost("measured fpp", "", FPP, mine, new Verdict.Range(mine, mine)));
    verdicts.add(
        Verdict.atMost(
            "keys denied that are there", "", 0, missed, new Verdict.Range(missed, missed)));
  }
}
