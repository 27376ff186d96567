package io.woodbird.cli.verb;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Json;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Progress;
import io.woodbird.cli.say.Stop;
import io.woodbird.cli.say.Units;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.Predicate;

/** {@code bench}: a short honest measurement on this machine. */
public final class BenchVerb implements Verb {
  /*
   * Every contender gets the same Strings in the same order, one thread, three rounds after a warm-up;
   * the middle one counts. It shows the order of things in seconds. For claims there is bench/ (JMH).
   */
  private static final int ROUNDS = 3;
  private static final double FPP = 0.01;

  @Override
  public Spec spec() {
    return Spec.of("bench", "measure this machine: woodbird, Guava and HashSet side by side")
        .about(
            """
            Builds each from the same URL-like Strings and asks for keys that are there and keys that are
            not, on one thread, three rounds, the middle one counts. It takes seconds and shows the order of
            things; the JMH benchmarks in bench/ are what claims rest on.""")
        .options(
            Option.value("keys", "N", "how many keys (default 1M)").letter('n'),
            Option.flag("json", "one JSON object, schema woodbird.bench/1"))
        .example("woodbird bench", "about ten seconds")
        .build();
  }

  /** One that takes part: builds from keys and then answers. */
  private record Contender(String name, Function<String[], Predicate<String>> build) {}

  private record Result(
      String name,
      double putNanos,
      double hereNanos,
      double absentNanos,
      double fpp,
      double bits) {}

  @Override
  public int run(Call call) throws IOException {
    long count = call.count("keys", 1_000_000);
    if (count > 50_000_000) {
      throw new Failure(
          Problem.BAD_VALUE,
          "--keys must be at most 50M: " + call.text("keys"),
          "The keys themselves must fit into memory.",
          "-n 10M");
    }
    String[] here = urls((int) count, 1);
    String[] absent = urls((int) Math.min(count, 1_000_000), 2);
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
        new Contender(
            "woodbird bloom",
            keys -> {
              var filter = Woodbird.bloom(Keys.strings(), keys.length).fpp(FPP).build();
              for (String key : keys) {
                filter.put(key);
              }
              return filter::mightContain;
            }),
        new Contender(
            "woodbird bloom, in batches",
            keys -> {
              var filter = Woodbird.bloom(Keys.strings(), keys.length).fpp(FPP).build();
              filter.putAll(Arrays.asList(keys));
              return new Batches(filter);
            }),
        new Contender(
            "woodbird fuse (frozen)",
            keys ->
                Woodbird.frozen(Keys.strings())
                        .fpp(FPP)
                        .fastest()
                        .threads(1)
                        .buildFrom(Arrays.asList(keys))
                    ::mightContain),
        new Contender(
            "Guava BloomFilter",
            keys -> {
              BloomFilter<CharSequence> filter =
                  BloomFilter.create(
                      Funnels.stringFunnel(StandardCharsets.UTF_8), keys.length, FPP);
              for (String key : keys) {
                filter.put(key);
              }
              return filter::mightContain;
            }),
        new Contender(
            "HashSet<String>",
            keys -> {
              Set<String> set = new HashSet<>(Arrays.asList(keys));
              return set::contains;
            }));
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
    // What is alive when the heap is measured must not be left to the compiler.
    Object[] live = new Object[1];
    for (int round = 0; round < ROUNDS; round++) {
      Stop.check();
      long before = used();
      long start = System.nanoTime();
      Predicate<String> set = contender.build.apply(here);
      live[0] = set;
      put[round] = (System.nanoTime() - start) / (double) here.length;
      bits = 8.0 * (used() - before) / here.length;
      hit[round] = ask(set, here)[0];
      double[] absentResult = ask(set, absent);
      miss[round] = absentResult[0];
      fpp = absentResult[1];
      live[0] = null;
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

  private static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
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
    call.print(
        Units.count(keys)
            + " URL-like Strings, one thread, Java "
            + Runtime.version().feature()
            + ", "
            + Runtime.getRuntime().availableProcessors()
            + " cores; nanoseconds a key, the middle of three rounds");
    call.print(
        "                                  put    ask here   ask absent   wrong \"maybe\"   bits/key");
    for (Result result : results) {
      call.print(
          String.format(
              Locale.ROOT,
              "  %-28s %7.0f %11.0f %12.0f %15s %10.1f",
              result.name,
              result.putNanos,
              result.hereNanos,
              result.absentNanos,
              Units.chance(result.fpp),
              result.bits));
    }
    call.print(
        "  HashSet: the Strings it keeps alive are not counted. Other programs on this machine count.");
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
