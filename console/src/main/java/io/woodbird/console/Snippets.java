package io.woodbird.console;

import io.woodbird.FilterPlan;
import io.woodbird.Planner.Need;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A plan as something to copy: Java, YAML, a command line. */
final class Snippets {
  private Snippets() {}

  /** Returns what can be copied; without an entry where there is nothing to write yet. */
  static Map<String, String> of(FilterPlan plan, double fpp, long budget, Need[] needs) {
    String wish = budget > 0 ? "maxBytes(%s)".formatted(java(budget)) : "fpp(" + fpp + ")";
    Map<String, String> snippets = new LinkedHashMap<>();
    String java = java(plan, wish);
    if (java != null) {
      snippets.put("java", java);
    }
    snippets.put(
        "yaml",
        """
        woodbird:
          guards:
            products:
              expected-keys: %d
              fpp: %s
              source:
                sql: select id from product
        """
            .formatted(plan.keys(), budget > 0 ? plan.fpp() : fpp));
    snippets.put("cli", command(plan, fpp, budget, needs));
    return snippets;
  }

  /** The builder's call; null for families that are planned but can't be built yet. */
  private static @Nullable String java(FilterPlan plan, String wish) {
    return switch (plan.family()) {
      case "bloom" ->
          """
          BloomFilter<String> filter =
              Woodbird.bloom(Keys.strings(), %s).%s.build();
          """
              .formatted(java(plan.keys()), wish);
      case "bloom-classic" ->
          """
          BloomFilter<String> filter =
              Woodbird.bloom(Keys.strings(), %s).%s.layout(BloomLayout.CLASSIC).build();
          """
              .formatted(java(plan.keys()), wish);
      case "ribbon" ->
          """
          Filter<String> filter =
              Woodbird.frozen(Keys.strings()).smallest().%s.buildFrom(keys);
          """
              .formatted(wish);
      case "fuse" ->
          """
          Filter<String> filter =
              Woodbird.frozen(Keys.strings()).fastest().%s.buildFrom(keys);
          """
              .formatted(wish);
      default -> null;
    };
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
    return "woodbird plan -n %d %s%s%n"
        .formatted(plan.keys(), wish, needed.isEmpty() ? "" : " --needs " + needed)
        .replace(System.lineSeparator(), "\n");
  }
}
