package io.woodbird.console;

import io.woodbird.BloomBuilder;
import io.woodbird.BloomFilter;
import io.woodbird.FilterPlan;
import io.woodbird.Planner;
import io.woodbird.Planner.Need;
import io.woodbird.Woodbird;
import io.woodbird.console.shared.Amounts;
import io.woodbird.key.Keys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The numbers of the Plan tab: all of them from {@link Planner} and from filters really built. */
final class PlanApi {
  private static final int SAMPLE_KEYS = 20_000;
  private static final int LOAD_STEPS = 30;
  private static final double[] MAP_FPPS = {0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6};
  private static final long[] MAP_KEYS = {
    1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000L, 10_000_000_000L
  };

  /** The most keys of a {@link Planner}. */
  private static final long MAX_KEYS = 1L << 50;

  /** Below it the sample filter would be too small to show a curve. */
  private static final double LEAST_FPP = 1e-12;

  private PlanApi() {}

  /** What each family takes, the limit, how the fpp grows with the load, and the plan as code. */
  static Map<String, Object> plan(Map<String, String> parameters) throws BadRequestException {
    String count = required(parameters, "keys");
    long keys = Amounts.count(count).orElseThrow(() -> BadRequestException.number("keys", count));
    requireKeys(keys);
    String budget = parameters.getOrDefault("budget", "").strip();
    Need[] needs = needs(parameters);
    Planner planner = Woodbird.plan(keys).needs(needs);
    double fpp = 0;
    long bytes = 0;
    if (budget.isEmpty()) {
      String share = required(parameters, "fpp");
      fpp = Amounts.probability(share).orElseThrow(() -> BadRequestException.number("fpp", share));
      requireReachable(keys, fpp);
      planner.fpp(fpp);
    } else {
      bytes = Amounts.bytes(budget).orElseThrow(() -> BadRequestException.number("budget", budget));
      if (bytes == 0) {
        throw new BadRequestException("few.budget", "a filter needs some bytes");
      }
      planner.maxBytes(bytes);
    }
    List<FilterPlan> plans = planner.plans();
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("keys", keys);
    answer.put("fpp", fpp == 0 ? null : fpp);
    answer.put("budget", bytes == 0 ? null : bytes);
    answer.put("limitBitsPerKey", planner.limitBitsPerKey());
    answer.put("limitFpp", planner.limitFpp());
    answer.put("limitBytes", (long) Math.ceil(planner.limitBitsPerKey() * keys / 8));
    answer.put("plans", plans.stream().map(PlanApi::describe).toList());
    answer.put("ways", waysOut(keys, bytes, needs, plans));
    answer.put("doubled", doubled(keys, fpp, bytes, needs));
    answer.put("load", load(fpp, plans));
    Map<String, Object> snippets = new LinkedHashMap<>();
    for (FilterPlan plan : plans) {
      snippets.put(plan.family(), Snippets.of(plan, fpp, bytes, needs));
    }
    answer.put("snippets", snippets);
    Map<String, Object> abilities = new LinkedHashMap<>();
    for (Abilities family : Abilities.values()) {
      abilities.put(family.family(), family.all());
    }
    answer.put("abilities", abilities);
    return answer;
  }

  private static void requireKeys(long keys) throws BadRequestException {
    if (keys == 0) {
      throw new BadRequestException("few.keys", "there must be at least one key");
    }
    if (keys > MAX_KEYS) {
      throw new BadRequestException(
          "many.keys", Map.of("most", String.valueOf(MAX_KEYS)), "no plan for so many keys");
    }
  }

  /** The page says in its own language what the planner would refuse with a message. */
  private static void requireReachable(long keys, double fpp) throws BadRequestException {
    double least = keys * 0x1p-63;
    if (fpp <= least) {
      String lowest = String.format(Locale.ROOT, "%.1e", least);
      throw new BadRequestException(
          "low.fpp", Map.of("least", lowest), "the fpp must be above " + lowest);
    }
  }

  private static Map<String, Object> describe(FilterPlan plan) {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("family", plan.family());
    facts.put("bytes", plan.bytes());
    facts.put("bits", plan.bits());
    facts.put("bitsPerKey", plan.bitsPerKey());
    facts.put("limitBitsPerKey", plan.limitBitsPerKey());
    facts.put("fpp", plan.fpp());
    return facts;
  }

  /** The plan of each family for twice the keys; empty where nothing can hold so many. */
  private static Map<String, Object> doubled(long keys, double fpp, long bytes, Need[] needs) {
    Map<String, Object> doubled = new LinkedHashMap<>();
    try {
      Planner planner = Woodbird.plan(2 * keys).needs(needs);
      for (FilterPlan plan : (bytes == 0 ? planner.fpp(fpp) : planner.maxBytes(bytes)).plans()) {
        doubled.put(plan.family(), describe(plan));
      }
    } catch (IllegalArgumentException e) {
      return Map.of();
    }
    return doubled;
  }

  /** What a usual fpp would take, where the budget gives a worse one. */
  private static List<Object> waysOut(long keys, long bytes, Need[] needs, List<FilterPlan> plans) {
    List<Object> ways = new ArrayList<>();
    if (bytes > 0 && (plans.isEmpty() || plans.get(0).fpp() > 0.01)) {
      for (double wanted : new double[] {0.01, 0.001}) {
        List<FilterPlan> better = Woodbird.plan(keys).needs(needs).fpp(wanted).plans();
        if (!better.isEmpty()) {
          Map<String, Object> way = describe(better.get(0));
          way.put("wanted", wanted);
          ways.add(way);
        }
      }
    }
    return ways;
  }

  /**
   * The fpp at 0 to 300 % of the planned keys, measured on small filters that are filled for it. A
   * larger filter has the same fpp at the same load. If fpp is 0 there is a budget, in which each
   * family reaches a rate of its own.
   */
  private static List<Object> load(double fpp, List<FilterPlan> plans) {
    List<Object> curves = new ArrayList<>();
    for (String family : List.of("bloom", "bloom-classic")) {
      double promised = fpp != 0 ? fpp : reached(family, plans);
      if (promised <= LEAST_FPP || promised >= 0.9) {
        return List.of();
      }
      BloomBuilder<Long> builder = Woodbird.bloom(Keys.longs(), SAMPLE_KEYS).fpp(promised).seed(7);
      boolean classic = family.equals("bloom-classic");
      BloomFilter<Long> filter = (classic ? builder.classic() : builder).build();
      double[] points = new double[LOAD_STEPS + 1];
      int step = SAMPLE_KEYS * 3 / LOAD_STEPS;
      for (int i = 1; i <= LOAD_STEPS; i++) {
        for (long key = (long) (i - 1) * step; key < (long) i * step; key++) {
          filter.putLong(key);
        }
        points[i] = filter.stats().currentFpp();
      }
      curves.add(Map.of("family", family, "fpp", points));
    }
    return curves;
  }

  /** The fpp of a family's plan; 1 if it has none. */
  private static double reached(String family, List<FilterPlan> plans) {
    for (FilterPlan plan : plans) {
      if (plan.family().equals(family)) {
        return plan.fpp();
      }
    }
    return 1;
  }

  /** The smallest file for round numbers of keys and fpp. */
  static Map<String, Object> map(Map<String, String> parameters) throws BadRequestException {
    Need[] needs = needs(parameters);
    List<Object> rows = new ArrayList<>();
    for (double fpp : MAP_FPPS) {
      List<Object> row = new ArrayList<>();
      for (long keys : MAP_KEYS) {
        row.add(smallest(keys, fpp, needs));
      }
      rows.add(row);
    }
    return Map.of(
        "keys", Arrays.stream(MAP_KEYS).boxed().toList(), "fpps", MAP_FPPS, "cells", rows);
  }

  private static Object smallest(long keys, double fpp, Need[] needs) {
    List<FilterPlan> plans = Woodbird.plan(keys).needs(needs).fpp(fpp).plans();
    return plans.isEmpty() ? Map.of() : describe(plans.get(0));
  }

  private static Need[] needs(Map<String, String> parameters) throws BadRequestException {
    List<Need> needs = new ArrayList<>();
    for (String name : parameters.getOrDefault("needs", "").split(",", -1)) {
      if (!name.isBlank()) {
        needs.add(need(name.strip().toUpperCase(Locale.ROOT)));
      }
    }
    return needs.toArray(Need[]::new);
  }

  private static Need need(String name) throws BadRequestException {
    for (Need need : Need.values()) {
      if (need.name().equals(name)) {
        return need;
      }
    }
    throw new BadRequestException("needs", "needs can be any of " + Arrays.toString(Need.values()));
  }

  private static String required(Map<String, String> parameters, String name)
      throws BadRequestException {
    @Nullable String value = parameters.get(name);
    if (value == null || value.isBlank()) {
      throw new BadRequestException("missing." + name, name + " is missing");
    }
    return value;
  }
}
