package io.woodbird.cli.verb;

import io.woodbird.FilterPlan;
import io.woodbird.Planner;
import io.woodbird.Woodbird;
import io.woodbird.cli.lines.Format;
import io.woodbird.cli.lines.Reading;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Progress;
import io.woodbird.cli.say.Units;
import io.woodbird.console.shared.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** {@code plan}: computes sizes and error rates of the families, before anything is built. */
public final class PlanVerb implements Verb {
  private static final double[] USUAL = {0.01, 0.001};

  @Override
  public Spec spec() {
    return Spec.of("plan", "how large will it be, and how often wrong?")
        .arguments("[FILE...]", 0, Integer.MAX_VALUE)
        .about(
            """
            Compares the families of filters for a number of keys: their size for a share of wrong
            "maybe" answers (--fpp), or the lowest share that fits a budget (--budget). It also says
            the limit that no structure can go below. With FILE the lines are counted.

            With --value-bits it plans a map, with --others a filter that is never wrong about so many others.""")
        .options(
            Option.value("keys", "N", "how many keys: 10M, 2e9, 1_000_000").letter('n'),
            Option.value(
                    "fpp", "P", "absent keys called \"maybe\": 0.1%, 1e-3, 1/1000 (default 1%)")
                .letter('p'),
            Option.value("budget", "SIZE", "the most bytes of the file: 500MB is not 500MiB"),
            Option.value("value-bits", "N", "plan a map with values of N bits, up to 64"),
            Option.value("others", "N", "plan a filter that is never wrong about N others"),
            Option.value("needs", "LIST", "only families that can: put, delete, grow, window"),
            Option.flag("json", "one JSON object, schema woodbird.plan/1"))
        .options(Spec.INPUT)
        .example("woodbird plan -n 10M -p 0.1%", "sizes for ten million keys")
        .example("woodbird plan -n 2e9 --budget 500MB", "the lowest error that fits, and the limit")
        .example("woodbird plan -n 10M --others 1e9", "never wrong about a billion other keys")
        .example("woodbird plan users.txt --needs delete", "counts the lines of a file first")
        .build();
  }

  @Override
  public int run(Call call) throws IOException {
    if (call.words().isEmpty() == !call.has("keys")) {
      throw Problem.MISSING.failure(
          "'plan' needs a number of keys, or files to count the lines of, not both.",
          call.spec().usage(),
          "-n 10M",
          "woodbird plan FILE");
    }
    for (String option : List.of("budget", "needs", "others")) {
      call.exclude("value-bits", option);
    }
    call.exclude("others", "budget");
    call.exclude("others", "needs");
    call.exclude("others", "fpp");
    long keys = call.has("keys") ? call.count("keys", 0) : countLines(call);
    double fpp = call.probability("fpp", 0.01);
    long budget = call.size("budget", 0);
    Planner planner = planner(keys, fpp, call);
    if (budget > 0) {
      if (call.has("fpp")) {
        requireRoom(keys, fpp, budget, planner);
      }
      planner = planner(keys, fpp, call).maxBytes(budget);
    }
    Plan plan = new Plan(keys, fpp, budget, planner, planner.plans());
    if (call.has("json")) {
      call.print(json(plan, call));
    } else {
      print(call, plan);
    }
    return ExitCode.DONE;
  }

  private record Plan(
      long keys, double fpp, long budget, Planner planner, List<FilterPlan> families) {}

  private static Planner planner(long keys, double fpp, Call call) {
    Planner planner;
    try {
      planner = Woodbird.plan(keys).fpp(fpp);
    } catch (IllegalArgumentException e) {
      throw Filters.impossible(Problem.BAD_VALUE, e);
    }
    if (call.has("others")) {
      return planner.exactAgainst(call.count("others", 1));
    }
    if (call.has("value-bits")) {
      return planner.values(call.count("value-bits", 1, 64, "A value has at most 64 bits."));
    }
    for (String need : call.text("needs", "").split(",", -1)) {
      if (!need.isEmpty()) {
        planner.needs(need(need.strip()));
      }
    }
    return planner;
  }

  private static Planner.Need need(String name) {
    for (Planner.Need need : Planner.Need.values()) {
      if (need.name().toLowerCase(Locale.ROOT).equals(name)) {
        return need;
      }
    }
    throw Problem.BAD_VALUE.failure(
        "--needs can't be \"" + name + "\".",
        "It is a list of put, delete, grow, window.",
        "--needs put,delete");
  }

  /** Counts lines, as {@code plan FILE} does. */
  private static long countLines(Call call) throws IOException {
    try (Progress progress = call.progress();
        Reading reading =
            new Reading(call, Source.of(call.words()), Format.of(call), progress, "counting")) {
      long count = 0;
      for (int lines = reading.next(); lines > 0; lines = reading.next()) {
        count += lines;
      }
      reading.warn(call.voice());
      if (count == 0) {
        throw Problem.MISSING.failure("there is no line to plan for.", "The input is empty.");
      }
      return count;
    }
  }

  /** Refuses a budget in which the fpp is impossible. */
  static void requireRoom(long keys, double fpp, long budget, Planner planner) {
    double bits = 8.0 * budget / keys;
    double limit = planner.limitBitsPerKey();
    List<FilterPlan> plans = planner.plans();
    if (plans.isEmpty() || plans.get(0).bytes() > budget) {
      String least = plans.isEmpty() ? "" : Units.sizeOption(plans.get(0).bytes());
      throw Problem.BUDGET.failure(
          "%s can't hold %s keys at %s."
              .formatted(Units.bytes(budget), Units.count(keys), Units.chance(fpp)),
          String.format(
              Locale.ROOT,
              bits < limit
                  ? "That is %.2f bits a key; %.2f is the least any structure needs for %s."
                  : "That is %.2f bits a key; the limit is %.2f, and no family gets there for %s.",
              bits,
              limit,
              Units.chance(fpp)),
          "--budget " + least,
          "woodbird plan -n " + keys + " --budget " + budget + " (what it can do)");
    }
  }

  private static void print(Call call, Plan plan) throws IOException {
    Planner planner = plan.planner();
    if (plan.budget() > 0) {
      call.printf(
          "%s for %s keys is %.2f bits a key: no structure can go below %s of absent keys"
              + " called \"maybe\".",
          Units.bytes(plan.budget()),
          Units.count(plan.keys()),
          planner.limitBitsPerKey(),
          Units.chance(planner.limitFpp()));
    } else {
      call.printf(
          call.has("others")
              ? "%s keys, never wrong about " + Units.count(call.count("others", 1)) + " others"
              : "%s keys, at most %s of absent keys called \"maybe\" (1 in %s)",
          Units.count(plan.keys()),
          Units.chance(plan.fpp()),
          Units.count(Math.round(1 / plan.fpp())));
    }
    boolean list = isList(call);
    call.print(
        "  family               size   bits/key   over limit    wrong \"maybe\"   can"
            + "                best for");
    for (FilterPlan family : plan.families()) {
      call.printf(
          "  %-14s %10s   %8.2f   %11s   %14s   %-18s %s",
          family.family(),
          Units.bytes(family.bytes()),
          family.bitsPerKey(),
          overLimit(family, list ? planner.limitBitsPerKey() : family.limitBitsPerKey()),
          Units.chance(family.fpp()),
          Family.abilities(family.family()),
          Family.bestFor(family.family()));
    }
    if (plan.families().isEmpty()) {
      call.print("  no family fits");
    }
    call.printf(
        "  %-14s %10s   %8.2f   %11s   %14s   no structure can be smaller",
        "limit",
        Units.bytes(limitBytes(plan.keys(), planner.limitBitsPerKey())),
        planner.limitBitsPerKey(),
        "0 %",
        call.has("others") ? "-" : Units.chance(list ? plan.fpp() : planner.limitFpp()));
    boolean poor = plan.families().isEmpty() || plan.families().get(0).fpp() > USUAL[0];
    for (Needed needed : poor ? needed(plan, call) : List.<Needed>of()) {
      call.printf(
          "  %s would need %s (%s); the limit is %s.",
          Units.chance(needed.fpp),
          Units.bytes(needed.bytes),
          needed.family,
          Units.bytes(needed.limitBytes));
    }
  }

  /** How far above the limit of its own error a family is. */
  private static String overLimit(FilterPlan family, double limit) {
    return family.fpp() > 0.9 // Useless, and the limit is next to nothing.
        ? "-"
        : String.format(Locale.ROOT, "%+.1f %%", 100 * (family.bitsPerKey() / limit - 1));
  }

  private record Needed(double fpp, long bytes, String family, long limitBytes) {}

  /** With a budget: what the usual fpps would need, in families with the abilities asked for. */
  private static List<Needed> needed(Plan plan, Call call) {
    List<Needed> all = new ArrayList<>();
    for (double fpp : USUAL) {
      Planner planner = planner(plan.keys(), fpp, call);
      List<FilterPlan> plans = planner.plans();
      if (plan.budget() > 0 && !plans.isEmpty()) {
        FilterPlan least = plans.get(0);
        long limit = limitBytes(plan.keys(), planner.limitBitsPerKey());
        all.add(new Needed(fpp, least.bytes(), least.family(), limit));
      }
    }
    return all;
  }

  private static long limitBytes(long keys, double bitsPerKey) {
    return (long) Math.ceil(bitsPerKey * keys / 8);
  }

  /** Whether a map or an exact filter is planned, whose limit is not that of an fpp alone. */
  private static boolean isList(Call call) {
    return call.has("others") || call.has("value-bits");
  }

  private static Json json(Plan plan, Call call) {
    boolean list = isList(call);
    List<Json> families = new ArrayList<>();
    for (FilterPlan family : plan.families()) {
      families.add(
          new Json()
              .put("family", family.family())
              .put("bytes", family.bytes())
              .put("bitsPerKey", family.bitsPerKey())
              .put("fpp", family.fpp())
              .put(
                  "limitBitsPerKey",
                  Math.max(0.0, list ? plan.planner().limitBitsPerKey() : family.limitBitsPerKey()))
              .put("abilities", Family.abilityList(family.family()))
              .put("buildable", Family.buildable(family.family())));
    }
    List<Json> usual = new ArrayList<>();
    for (Needed needed : needed(plan, call)) {
      usual.add(
          new Json()
              .put("fpp", needed.fpp)
              .put("family", needed.family)
              .put("bytes", needed.bytes)
              .put("limitBytes", needed.limitBytes));
    }
    return Json.report("woodbird.plan/1")
        .put("keys", plan.keys())
        .put("fpp", call.has("fpp") || plan.budget() == 0 ? plan.fpp() : null)
        .put("budgetBytes", plan.budget() > 0 ? plan.budget() : null)
        .put("limitBitsPerKey", plan.planner().limitBitsPerKey())
        .put("limitFpp", list ? null : plan.planner().limitFpp())
        .put("limitBytes", limitBytes(plan.keys(), plan.planner().limitBitsPerKey()))
        .put("families", families)
        .put("needed", usual);
  }
}
