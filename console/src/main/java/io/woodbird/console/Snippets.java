package io.woodbird.console;

import io.woodbird.BloomBuilder;
import io.woodbird.DeletableBuilder;
import io.woodbird.FilterPlan;
import io.woodbird.GrowingBuilder;
import io.woodbird.Planner.Need;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A plan as something to copy: Java, YAML, a command line. */
final class Snippets {
  /** An fpp that every builder takes; where a budget decides, it does not matter. */
  private static final double USELESS_FPP = 0.999;

  private Snippets() {}

  /** Returns what can be copied; without an entry where there is nothing to write. */
  static Map<String, String> of(FilterPlan plan, double fpp, long budget, Need[] needs) {
    Map<String, String> snippets = new LinkedHashMap<>();
    String java = budget > 0 ? javaWithin(plan, budget) : java(plan, fpp);
    if (java != null) {
      snippets.put("java", java);
    }
    if (plan.family().equals("bloom")) { // The guards of the starter have no other family.
      snippets.put("yaml", yaml(plan, budget > 0 ? plan.fpp() : fpp));
    }
    snippets.put("cli", command(plan, fpp, budget, needs));
    return snippets;
  }

  private static String yaml(FilterPlan plan, double fpp) {
    return """
    woodbird:
      guards:
        products:
          expected-keys: %s
          fpp: %s
          source:
            sql: select id from product
    """
        .formatted(plan.keys(), fpp);
  }

  /** A builder's call in Java, and what it would make; null where only the keys can tell. */
  private record Call(String java, @Nullable FilterPlan plan) {}

  /** The call for an fpp; null if no filter of the family can be so large. */
  private static @Nullable String java(FilterPlan plan, double fpp) {
    Call call = callIfTaken(plan, fpp, "fpp(" + fpp + ")");
    return call == null ? null : call.java;
  }

  /** The call for a budget. Some builders take bytes; for the others, the lowest fpp that fits. */
  private static @Nullable String javaWithin(FilterPlan plan, long budget) {
    String bytes = "maxBytes(" + java(budget) + ")";
    switch (plan.family()) {
      case "ribbon", "fuse" -> {
        return call(plan, 1, bytes).java;
      }
      case "bloom", "bloom-classic" -> {
        Call call = takes(plan, budget) ? callIfTaken(plan, USELESS_FPP, bytes) : null;
        return call == null ? null : call.java;
      }
      default -> {}
    }
    // No builder takes an fpp lower than 64 bits of hash can keep.
    double lowest = Math.max(plan.fpp(), plan.keys() * 0x1p-62);
    double step;
    for (double fpp = roundUp(lowest); fpp < 1; fpp = roundUp(fpp * step)) {
      Call call = callIfTaken(plan, fpp, "fpp(" + fpp + ")");
      if (call != null && (call.plan == null || call.plan.bytes() <= budget)) {
        return call.java;
      }
      step = call == null ? 1.1 : 1.01; // Too large for the heap: that may be far from it.
    }
    return null;
  }

  /**
   * Whether the builder of Bloom filters takes a budget: a filter on the heap can't use them all.
   */
  private static boolean takes(FilterPlan plan, long budget) {
    try {
      BloomBuilder<String> builder = Woodbird.bloom(Keys.strings(), plan.keys()).maxBytes(budget);
      return (plan.family().equals("bloom") ? builder : builder.classic()).plan().keys() > 0;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** The call, or null if its builder refuses: too many keys, or too low an fpp for them. */
  private static @Nullable Call callIfTaken(FilterPlan plan, double fpp, String wish) {
    try {
      return call(plan, fpp, wish);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static Call call(FilterPlan plan, double fpp, String wish) {
    KeyHasher<String> keys = Keys.strings();
    long n = plan.keys();
    String many = java(n);
    return switch (plan.family()) {
      case "bloom" -> {
        String code = "bloom(Keys.strings(), %s).%s.build()".formatted(many, wish);
        yield call("BloomFilter", code, Woodbird.bloom(keys, n).fpp(fpp).plan());
      }
      case "bloom-classic" -> {
        String code = "bloom(Keys.strings(), %s).%s.classic().build()".formatted(many, wish);
        BloomBuilder<String> builder = Woodbird.bloom(keys, n).classic();
        yield call("BloomFilter", code, builder.fpp(fpp).plan());
      }
      case "ribbon" ->
          call("Filter", "frozen(Keys.strings()).smallest()." + wish + ".buildFrom(keys)", null);
      case "fuse" ->
          call("Filter", "frozen(Keys.strings()).fastToAsk()." + wish + ".buildFrom(keys)", null);
      case "deletable" -> {
        String code = "deletable(Keys.strings(), %s).%s.build()".formatted(many, wish);
        yield call("MergeableFilter", code, Woodbird.deletable(keys, n).fpp(fpp).plan());
      }
      case "counting" -> {
        String code = "deletable(Keys.strings(), %s).%s.counting().build()".formatted(many, wish);
        DeletableBuilder<String> builder = Woodbird.deletable(keys, n);
        yield call("MergeableFilter", code, builder.counting().fpp(fpp).plan());
      }
      case "growing" -> growing(n, fpp, wish);
      case "window" -> {
        String day = "java.time.Duration.ofHours(24)";
        String code = "window(Keys.strings(), %s, %s).%s.build()".formatted(many, day, wish);
        yield call(
            "MutableFilter", code, Woodbird.window(keys, n, Duration.ofHours(24)).fpp(fpp).plan());
      }
      default -> throw new IllegalArgumentException("a family without a builder: " + plan.family());
    };
  }

  /** A very low fpp can't hold for 2^40 keys, which is the default of the builder. */
  private static Call growing(long n, double fpp, String wish) {
    String code = "growing(Keys.strings()).%s%s.build()";
    GrowingBuilder<String> builder = Woodbird.growing(Keys.strings()).fpp(fpp);
    try {
      return call("MergeableFilter", code.formatted(wish, ""), builder.plan(n));
    } catch (IllegalArgumentException e) {
      String most = ".upTo(" + java(n) + ")";
      return call("MergeableFilter", code.formatted(wish, most), builder.upTo(n).plan(n));
    }
  }

  private static Call call(String type, String code, @Nullable FilterPlan plan) {
    return new Call(type + "<String> filter =\n    Woodbird." + code + ";\n", plan);
  }

  /** Rounds up to three digits. */
  private static double roundUp(double fpp) {
    return new BigDecimal(fpp).round(new MathContext(3, RoundingMode.CEILING)).doubleValue();
  }

  private static String java(long number) {
    String grouped = String.format(Locale.ROOT, "%,d", number).replace(',', '_');
    return number > Integer.MAX_VALUE ? grouped + "L" : grouped;
  }

  private static String command(FilterPlan plan, double fpp, long budget, Need[] needs) {
    String wish = budget > 0 ? "--budget " + budget : "--fpp " + fpp;
    String needed =
        Arrays.stream(needs)
            .map(need -> need.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(","));
    return "woodbird plan -n %s %s%s%n"
        .formatted(plan.keys(), wish, needed.isEmpty() ? "" : " --needs " + needed)
        .replace(System.lineSeparator(), "\n");
  }
}
