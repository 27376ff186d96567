package io.woodbird.cli.verb;

import io.woodbird.FilterStats;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.Units;
import io.woodbird.console.ShopAttack;
import io.woodbird.console.ShopAttack.Round;
import io.woodbird.console.ShopAttack.Strangers;
import io.woodbird.console.shared.Json;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Locale;

/**
 * The text of the demo: the scenario first, then the measured numbers.
 *
 * @param call where to write
 * @param products how many products the shop has
 * @param requests how many requests the attack has
 * @param seed chooses the ids that are asked for
 */
record DemoReport(Call call, int products, int requests, long seed) {
  private static final int BAR = 46;

  /** Describes the attack, before anything is measured. */
  void begin() throws IOException {
    call.print("");
    call.print(
        "  " + call.paint().bold("An attack that no cache stops") + ", measured here and now");
    call.print("");
    call.printf(
        "  A shop keeps %s in a database. Somebody asks for %s",
        Units.count(products, "product"), Units.count(requests, "id"));
    call.print(
        "  that do not exist, each of them once: no cache has them, so the database must look");
    call.print("  every time. Unless a guard stands before it that knows all ids.");
    call.print("");
    call.out().flush();
  }

  void end(ShopAttack shop, Round off, Round on, Round visit, Strangers strangers)
      throws IOException, SQLException {
    call.print(call.paint().dim(row("", "guard off", "guard on", "")));
    call.print(row("requests", Units.count(off.requests()), Units.count(on.requests()), ""));
    call.print(
        label("reached the database")
            + call.paint().red(cell(Units.count(off.queries())))
            + call.paint().green(cell(Units.count(on.queries())))
            + (on.queries() == 0 ? "" : factor(off.queries(), on.queries(), "fewer")));
    latency("p50", off.p50Nanos(), on.p50Nanos());
    latency("p99", off.p99Nanos(), on.p99Nanos());
    call.print(
        row(
            "requests per second",
            Units.rate(off.perSecond()),
            Units.rate(on.perSecond()),
            factor(on.perSecond(), off.perSecond(), "more")));
    call.print("");
    call.print("  load of the database");
    call.print(
        "    off  " + call.paint().red(bar(off.queries())) + "  " + Units.count(off.queries()));
    call.print(
        "    on   " + call.paint().green(bar(on.queries())) + "  " + Units.count(on.queries()));
    call.print("");
    findings(shop, on, visit, strangers);
    advice(shop);
  }

  private void latency(String which, long off, long on) throws IOException {
    call.print(row(which, micros(off), micros(on), factor(off, on, "faster")));
  }

  private void findings(ShopAttack shop, Round on, Round visit, Strangers strangers)
      throws IOException {
    long stopped = visit.requests() - visit.found();
    FilterStats filter = shop.filter();
    double seen = (double) on.queries() / on.requests();
    finding(
        stopped == 0,
        "real ids stopped",
        "%s of %s, asked with the guard on",
        Units.count(stopped),
        Units.count(visit.requests()));
    finding(
        strangers.deniedWithProof() == 0,
        "rows of others",
        "%s of %s denied, asked at once (the filter alone: %s)",
        Units.count(strangers.deniedWithProof()),
        Units.count(strangers.rows()),
        Units.count(strangers.deniedByFilter()));
    finding(
        seen <= filter.promisedFpp(),
        "wrong \"maybe\"",
        "at most %s promised, %s seen (%s of %s)",
        Units.chance(filter.promisedFpp()),
        Units.chance(seen),
        Units.count(on.queries()),
        Units.count(on.requests()));
    finding(
        filter.doubts().isEmpty(),
        "the filter",
        "%s for %s, room for %s, built in %s",
        Units.bytes(filter.bits() / 8),
        Units.count(shop.generation().keys(), "id"),
        Units.count(shop.generation().capacity()),
        Units.seconds(shop.generation().took().toMillis() / 1e3));
    call.print("");
  }

  private void finding(boolean good, String what, String form, Object... values)
      throws IOException {
    String mark =
        good
            ? call.paint().green(call.voice().unicode() ? "\u2713" : "+")
            : call.paint().red(call.voice().unicode() ? "\u2717" : "!");
    call.printf("  %s %-18s%s", mark, what, String.format(Locale.ROOT, form, values));
  }

  private void advice(ShopAttack shop) throws IOException, SQLException {
    call.print(
        "  \"Not here\" is certain; a wrong \"maybe\" costs one query. The database is "
            + shop.database());
    call.print(
        "  in this process, as near as can be: behind a network every saved query saves more.");
    call.print("");
    call.print(hint("in Java", "Guard.of(ids, repository::findById)"));
    call.print(hint("in Spring Boot", "a few lines of YAML: spring/README.md"));
    call.print(hint("see it move", "woodbird console, on the tab Guards"));
    call.print(hint("the same again", "woodbird demo --seed " + seed));
    call.print("");
  }

  private String hint(String what, String how) {
    return "  " + call.paint().dim(String.format(Locale.ROOT, "%-18s", what)) + how;
  }

  private static String label(String text) {
    return String.format(Locale.ROOT, "  %-22s", text);
  }

  private static String cell(String text) {
    return String.format(Locale.ROOT, "%12s", text);
  }

  private static String row(String label, String off, String on, String note) {
    return (label(label) + cell(off) + cell(on) + note).stripTrailing();
  }

  private static String micros(long nanos) {
    double micros = nanos / 1e3;
    return String.format(Locale.ROOT, micros < 9.95 ? "%.1f us" : "%,.0f us", micros);
  }

  /** The ratio of two values in words; empty if it is below 1.5. */
  private static String factor(double large, double small, String how) {
    double times = large / Math.max(1, small);
    if (times < 1.5) {
      return "";
    }
    String number =
        times < 10 ? String.format(Locale.ROOT, "%.1f", times) : Units.count(Math.round(times));
    return "   " + number + " times " + how;
  }

  /**
   * A bar as long as the share of requests that were queries; at least one mark if there was one.
   */
  private String bar(long queries) {
    int full = (int) Math.round((double) BAR * queries / requests);
    if (full == 0 && queries > 0) {
      return call.voice().unicode() ? "\u258f" : "|";
    }
    return (call.voice().unicode() ? "\u2588" : "#").repeat(full);
  }

  Json json(ShopAttack shop, Round off, Round on, Round visit, Strangers strangers)
      throws SQLException {
    FilterStats filter = shop.filter();
    return Json.report("woodbird.demo/1")
        .put("database", shop.database())
        .put("products", products)
        .put("seed", seed)
        .put("off", json(off))
        .put("on", json(on))
        .put("realAsked", visit.requests())
        .put("realStopped", visit.requests() - visit.found())
        .put("strangersAsked", strangers.rows())
        .put("strangersDeniedByFilter", strangers.deniedByFilter())
        .put("strangersDenied", strangers.deniedWithProof())
        .put("filterBytes", filter.bits() / 8)
        .put("filterCapacity", shop.generation().capacity())
        .put("filterSeconds", shop.generation().took().toNanos() / 1e9)
        .put("fppPromised", filter.promisedFpp())
        .put("fppSeen", (double) on.queries() / on.requests());
  }

  private static Json json(Round round) {
    return new Json()
        .put("requests", round.requests())
        .put("queries", round.queries())
        .put("p50Nanos", round.p50Nanos())
        .put("p99Nanos", round.p99Nanos())
        .put("requestsPerSecond", round.perSecond());
  }
}
