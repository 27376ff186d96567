package io.woodbird.cli.verb;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import io.woodbird.Filter;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Progress;
import io.woodbird.cli.say.Stop;
import io.woodbird.cli.say.Units;
import io.woodbird.console.shared.Json;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.Predicate;

/** {@code bench}: measures filters on this machine for some seconds. */
public final class BenchVerb implements Verb {
  /*
   * Every contender gets the same Strings in the same order, one thread, three rounds after a warm-up;
   * the middle one counts. It gives a rough picture in seconds. Published numbers come from bench/ (JMH).
   */
  private static final int ROUNDS = 3;
  private static final double FPP = 0.01;

  @Override
  public Spec spec() {
    return Spec.of("bench", "measure this machine: woodbird, Guava and HashSet side by side")
        .about(
            """
            Builds each from the same URL-like Strings and asks for keys that are there and keys that are
            not, on one thread, three rounds, the middle one counts. It takes seconds and gives a rough picture;
            published numbers come from the JMH benchmarks in bench/.""")
        .options(
            Option.value("keys", "N", "how many keys (default 1M)").letter('n'),
            Option.flag("json", "one JSON object, schema woodbird.bench/1"))
        .example("woodbird bench", "about ten seconds")
        .build();
  }

  /** What is measured: it is built from keys and then asked. */
  private record Contender(String name, Function<String[], Built> build) {}

  /** What answers, and how many bits it takes besides the keys. */
  private record Built(Predicate<String> set, long bits) {}

  private record Result(
      String name,
      double putNanos,
      double hereNanos,
      double absentNanos,
      double fpp,
      double bits) {}

  @Override
  public int run(Call call) throws IOException {
    int count =
        call.count("keys", 1_000_000, 50_000_000, "The keys themselves must fit into memory.");
    String[] here = urls(count, 1);
    String[] absent = urls(Math.min(count, 1_000_000), 2);
    List<Result> results = new ArrayList<>();
    try (Progress progress = call.progress()) {
      progress.phase("measuring", "contender");
      List<Contender> contenders = contenders();
      for (Contender contender : contenders) {
        measure(contender, Arrays.copyOf(here, Math.min(here.length, 200_000)), absent); // Warm-up.
        results.add(measure(contender, here, absent));
        progress.at(results.size(), results.size(), contenders.size());
      }
    }
    if (call.has("json")) {
      call.print(json(here.length, results));
    } else {
      print(call, here.length, results);
    }
    return ExitCode.DONE;
  }

  private static List<Contender> contenders() {
    return List.of(
        new Contender("woodbird bloom", keys -> built(bloom(keys, false), false)),
        new Contender("woodbird bloom, in batches", keys -> built(bloom(keys, true), true)),
        new Contender("woodbird fuse (frozen)", keys -> built(fuse(keys), false)),
        new Contender("Guava BloomFilter", BenchVerb::guava),
        new Contender("HashSet<String>", BenchVerb::hashSet));
  }

  private static Built built(Filter<String> filter, boolean inBatches) {
    Predicate<String> set = inBatches ? new Batches(filter) : filter::mightContain;
    return new Built(set, filter.stats().bits());
  }

  private static Filter<String> bloom(String[] keys, boolean inBatches) {
    MutableFilter<String> filter = Woodbird.bloom(Keys.strings(), keys.length).fpp(FPP).build();
    if (inBatches) {
      filter.putAll(Arrays.asList(keys));
    } else {
      for (String key : keys) {
        filter.put(key);
      }
    }
    return filter;
  }

  private static Filter<String> fuse(String[] keys) {
    return Woodbird.frozen(Keys.strings())
        .fpp(FPP)
        .fastToAsk()
        .threads(1)
        .buildFrom(Arrays.asList(keys));
  }

  private static Built guava(String[] keys) {
    BloomFilter<CharSequence> filter =
        BloomFilter.create(Funnels.stringFunnel(StandardCharsets.UTF_8), keys.length, FPP);
    for (String key : keys) {
      filter.put(key);
    }
    return new Built(filter::mightContain, guavaBits(keys.length));
  }

  /** Guava sizes by this formula, in whole longs. */
  private static long guavaBits(long keys) {
    long bits = (long) (-keys * Math.log(FPP) / (Math.log(2) * Math.log(2)));
    return (bits + 63) / 64 * 64;
  }

  private static Built hashSet(String[] keys) {
    Set<String> set = new HashSet<>(Arrays.asList(keys));
    // An entry is a node of 32 bytes, and a table of references of 4 has room for 4/3 of them.
    long table = Long.highestOneBit(Math.max(1, keys.length * 4L / 3)) * 2;
    return new Built(set::contains, 8 * (32L * keys.length + 4 * table));
  }

  /** Asks for many keys at once. */
  private record Batches(Filter<String> filter) implements Predicate<String> {
    @Override
    public boolean test(String key) {
      return filter.mightContain(key);
    }

    int count(String[] keys) {
      return filter.candidates(Arrays.asList(keys)).size();
    }
  }

  private static Result measure(Contender contender, String[] here, String[] absent) {
    double[] put = new double[ROUNDS];
    double[] hit = new double[ROUNDS];
    double[] miss = new double[ROUNDS];
    double fpp = 0;
    double bits = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Stop.check();
      long start = System.nanoTime();
      Built built = contender.build.apply(here);
      Predicate<String> set = built.set;
      bits = (double) built.bits / here.length;
      put[round] = (System.nanoTime() - start) / (double) here.length;
      hit[round] = ask(set, here)[0];
      double[] absentResult = ask(set, absent);
      miss[round] = absentResult[0];
      fpp = absentResult[1];
    }
    return new Result(contender.name, middle(put), middle(hit), middle(miss), fpp, bits);
  }

  /** Nanoseconds a question, and the share that may be here. */
  private static double[] ask(Predicate<String> set, String[] keys) {
    long start = System.nanoTime();
    int found = 0;
    if (set instanceof Batches batches) {
      found = batches.count(keys);
    } else {
      for (String key : keys) {
        found += set.test(key) ? 1 : 0;
      }
    }
    return new double[] {
      (System.nanoTime() - start) / (double) keys.length, found / (double) keys.length
    };
  }

  private static double middle(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static String[] urls(int count, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    String[] urls = new String[count];
    for (int i = 0; i < count; i++) {
      urls[i] =
          "https://www.example.com/products/"
              + Long.toString(random.nextLong() >>> 1, 36)
              + "?page="
              + random.nextInt(100);
    }
    return urls;
  }

  private static void print(Call call, int keys, List<Result> results) throws IOException {
    call.printf(
        "%s URL-like Strings, one thread, Java %d, %d cores; nanoseconds a key, the middle of"
            + " three rounds",
        Units.count(keys), Runtime.version().feature(), Runtime.getRuntime().availableProcessors());
    call.print(
        "                                  put    ask here   ask absent   wrong \"maybe\"   bits/key");
    for (Result result : results) {
      call.printf(
          "  %-28s %7.0f %11.0f %12.0f %15s %10.1f",
          result.name,
          result.putNanos,
          result.hereNanos,
          result.absentNanos,
          Units.chance(result.fpp),
          result.bits);
    }
    call.print(
        "  bits/key: by their layouts; the Strings that a HashSet keeps alive come on top. Times depend on"
            + " what else runs here.");
  }

  private static Json json(int keys, List<Result> results) {
    List<Json> list = new ArrayList<>();
    for (Result result : results) {
      list.add(
          new Json()
              .put("name", result.name)
              .put("putNanos", result.putNanos)
              .put("askHereNanos", result.hereNanos)
              .put("askAbsentNanos", result.absentNanos)
              .put("fpp", result.fpp)
              .put("bitsPerKey", result.bits));
    }
    return Json.report("woodbird.bench/1")
        .put("keys", keys)
        .put("java", Runtime.version().toString())
        .put("cores", Runtime.getRuntime().availableProcessors())
        .put("contenders", list);
  }
}
