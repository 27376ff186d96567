package io.woodbird.bench;

import io.woodbird.key.Keys;
import io.woodbird.redis.RedisBloomFilter;
import io.woodbird.redis.WoodbirdRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.redisson.api.RBloomFilter;
import org.redisson.api.RedissonClient;

/** One comparison with Redisson, on one server in one run: everything in turns. */
final class RedisDuel {
  private static final int BATCH = 1000;
  private static final double FPP = 0.01;
  private static final long LEAST_NANOS = 300_000_000;

  /** Rounds that do not count. */
  private static final int WARM_UP = 6;

  private static final String OURS = "woodbird";
  private static final String NEAR = "woodbird-near";
  private static final String THEIRS = "redisson";

  private final int keys;
  private final int rounds;
  private final Progress progress;
  private final Document document;

  RedisDuel(int keys, int rounds, Progress progress, Document document) {
    this.keys = keys;
    this.rounds = rounds;
    this.progress = progress;
    this.document = document;
  }

  void run(WoodbirdRedis redis, RedissonClient redisson) {
    RedisBloomFilter<String> ours =
        redis.bloom("ours", Keys.strings(), keys).fpp(FPP).seed(42).create();
    RBloomFilter<String> theirs = redisson.getBloomFilter("theirs");
    theirs.tryInit(keys, FPP);
    load(redis, ours, theirs);
    batches(
        new Promised("batch questions", OURS, "ask", "batch", 8),
        ours::candidates,
        theirs::contains);
    near(redis, theirs);
    puts(redis, redisson);
    singles(new Promised("single questions", OURS, "ask", "single", 1), ours, theirs);
    fpps(ours, theirs);
  }

  /** What is measured, of which of our filters, and how many times faster it must be. */
  private record Promised(String what, String who, String metric, String call, double target) {}

  private static String url(long number) {
    return "https://www.example.com/catalogue/item/" + number + "?ref=home";
  }

  private static List<String> urls(long from, int count) {
    List<String> urls = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      urls.add(url(from + i));
    }
    return urls;
  }

  /** Half of the keys are there. */
  private List<String> mixed(long from) {
    List<String> urls = new ArrayList<>(BATCH);
    for (long n = from; n < from + BATCH; n++) {
      urls.add(url(n % 2 == 0 ? n % keys : keys + n));
    }
    return urls;
  }

  private void load(
      WoodbirdRedis redis, RedisBloomFilter<String> ours, RBloomFilter<String> theirs) {
    List<String> all = urls(0, keys);
    RedisBloomFilter<String> warm = redis.bloom("warm", Keys.strings(), keys).fpp(FPP).create();
    List<Double> mine = new ArrayList<>();
    for (int round = 0; round < rounds + 2; round++) {
      long start = System.nanoTime();
      (round < rounds ? warm : ours).load(all.iterator());
      mine.add((double) (System.nanoTime() - start) / keys);
    }
    long start = System.nanoTime();
    for (int from = 0; from < keys; from += BATCH) {
      theirs.add(all.subList(from, Math.min(keys, from + BATCH)));
    }
    double their = (double) (System.nanoTime() - start) / keys;
    add(
        new Promised("loading all keys at once", OURS, "load", "all", 100),
        mine.subList(1, mine.size()),
        List.of(their));
  }

  private interface Call {
    Object on(List<String> batch);
  }

  private void batches(Promised promised, Call ours, Call theirs) {
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
    add(promised, mine, other);
  }

  /** Nanoseconds per key, over 50 batches and at least 0.3 s. */
  private double time(Call call, int round) {
    List<List<String>> batches = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      batches.add(mixed(Math.floorMod(31L * BATCH * (50L * round + i), (long) keys)));
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

  private void singles(
      Promised promised, RedisBloomFilter<String> ours, RBloomFilter<String> theirs) {
    List<Double> mine = new ArrayList<>();
    List<Double> other = new ArrayList<>();
    for (int round = -WARM_UP; round < rounds; round++) {
      List<String> some = urls(7L * BATCH * (round + WARM_UP), 2 * BATCH);
      long start = System.nanoTime();
      some.forEach(ours::mightContain);
      long middle = System.nanoTime();
      some.forEach(theirs::contains);
      long end = System.nanoTime();
      if (round >= 0) {
        mine.add((middle - start) / (2.0 * BATCH));
        other.add((end - middle) / (2.0 * BATCH));
      }
    }
    add(promised, mine, other);
  }

  /**
   * The copy in the process, which answers all within its lag. Both are asked which keys are there:
   * Redisson's {@code contains} of a batch only counts them.
   */
  private void near(WoodbirdRedis redis, RBloomFilter<String> theirs) {
    try (RedisBloomFilter<String> near =
        redis.bloom("ours", Keys.strings(), keys).fpp(FPP).near(Duration.ofSeconds(5)).create()) {
      batches(
          new Promised("near copy, batch questions", NEAR, "ask", "batch", 150),
          near::candidates,
          theirs::exists);
      singles(
          new Promised("near copy, single questions", NEAR, "ask", "single", 150), near, theirs);
    }
  }

  private void puts(WoodbirdRedis redis, RedissonClient redisson) {
    RedisBloomFilter<String> ours = redis.bloom("puts", Keys.strings(), keys).fpp(FPP).create();
    RBloomFilter<String> theirs = redisson.getBloomFilter("their-puts");
    theirs.tryInit(keys, FPP);
    batches(new Promised("batch puts", OURS, "put", "batch", 3), ours::putAll, theirs::add);
  }

  private void fpps(RedisBloomFilter<String> ours, RBloomFilter<String> theirs) {
    int theirProbes = 200_000;
    int ourProbes = 2_000_000;
    List<String> absent = urls(10L * keys, ourProbes);
    double mine = ours.candidates(absent).size() / (double) ourProbes;
    long hits = 0;
    for (int from = 0; from < theirProbes; from += BATCH) {
      hits += theirs.contains(absent.subList(from, from + BATCH));
    }
    Map<String, Object> at = new LinkedHashMap<>();
    at.put("n", keys);
    document.add(Row.of(OURS, "fpp", "", at, mine));
    document.add(Row.of(THEIRS, "fpp", "", at, hits / (double) theirProbes));
    List<String> present = urls(0, Math.min(keys, theirProbes));
    double denied = present.size() - ours.candidates(present).size();
    document.add(Verdict.atMost("fpp measured in Redis", "", FPP, mine));
    document.add(Verdict.atMost("keys denied that are there", "", 0, denied));
  }

  /** Adds the rows and the verdict; the rival's row once. */
  private void add(Promised promised, List<Double> mine, List<Double> other) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < mine.size(); i++) {
      ratios.add(other.get(Math.min(i, other.size() - 1)) / mine.get(i));
    }
    double ratio = Sample.median(other) / Sample.median(mine);
    progress.say(
        "%s: %.3f and %.3f us a key",
        promised.what(), Sample.median(other) / 1000, Sample.median(mine) / 1000);
    row(promised, promised.who(), mine);
    if (!promised.who().equals(NEAR)) {
      row(promised, THEIRS, other);
    }
    document.add(
        Verdict.atLeast(
            promised.what() + ": " + THEIRS + " / " + promised.who(),
            "x",
            promised.target(),
            ratio,
            Verdict.range(ratios)));
  }

  private void row(Promised promised, String who, List<Double> nanos) {
    Map<String, Object> at = new LinkedHashMap<>();
    at.put("n", keys);
    at.put("call", promised.call());
    List<Double> micros = nanos.stream().map(value -> value / 1000).toList();
    document.add(new Row(who, promised.metric(), "us", at, micros));
  }
}
