package io.woodbird.cli.verb;

import io.woodbird.cli.model.Call;
import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.model.Verb;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Progress;
import io.woodbird.cli.say.Units;
import io.woodbird.console.ShopAttack;
import io.woodbird.console.ShopAttack.Round;
import io.woodbird.console.ShopAttack.Strangers;
import java.io.IOException;
import java.sql.SQLException;
import java.util.SplittableRandom;

/** {@code demo}: an attack on a small shop, with the guard off and on, measured. */
public final class DemoVerb implements Verb {
  private static final int MOST_PRODUCTS = 10_000_000;
  private static final int STRANGERS = 1000;

  @Override
  public Spec spec() {
    return Spec.of("demo", "stop an attack of requests for things that do not exist, in seconds")
        .about(
            """
            A shop has a million products in a database, and somebody asks for ids that do not exist. Shows
            how many requests reach the database with a guard and without, and how long they take: measured
            now, on this machine. Then every product is asked for, to see that none is stopped; and products
            that others write, without a word to the filter, are asked for as soon as they are there. The
            database is a part of this command and lives in its memory; nothing is left behind.""")
        .options(
            Option.value("products", "N", "how many products the shop has (default 1M)"),
            Option.value("requests", "N", "how many requests the attack has (default 500k)"),
            Option.value("seed", "N", "ask for the same ids again, with the same hash function"),
            Option.flag("json", "one JSON object, schema woodbird.demo/1"))
        .example("woodbird demo", "takes less than half a minute")
        .example("woodbird demo --seed 7 --json", "the same counts each time, for a script")
        .build();
  }

  @Override
  public int run(Call call) throws IOException {
    int products = call.count("products", 1_000_000, MOST_PRODUCTS, "The database is in memory.");
    int requests = requests(call, products);
    long seed = call.count("seed", 1 + new SplittableRandom().nextInt(999_999));
    DemoReport report = new DemoReport(call, products, requests, seed);
    if (!call.has("json")) {
      report.begin();
    }
    try (Progress progress = call.progress()) {
      progress.phase("opening the shop", "product");
      try (ShopAttack shop = ShopAttack.open(products, requests, seed)) {
        progress.phase("guard off", "request");
        Round off = shop.attack(false, done -> progress.at(done, done, requests));
        progress.phase("guard on", "request");
        Round on = shop.attack(true, done -> progress.at(done, done, requests));
        progress.phase("real customers", "request");
        Round visit = shop.visit(done -> progress.at(done, done, products));
        Strangers strangers = shop.strangers(STRANGERS);
        progress.wipe();
        if (call.has("json")) {
          call.print(report.json(shop, off, on, visit, strangers));
        } else {
          report.end(shop, off, on, visit, strangers);
        }
        boolean good = visit.found() == visit.requests() && strangers.deniedWithProof() == 0;
        return good ? ExitCode.DONE : ExitCode.NO;
      }
    } catch (SQLException e) {
      throw Problem.BUG.failure(
          e, "the demo's database failed: " + e.getMessage(), String.valueOf(e));
    }
  }

  private static int requests(Call call, int products) {
    int most = (int) Math.min(Integer.MAX_VALUE, ShopAttack.mostRequests(products));
    String why =
        "Between " + Units.count(products) + " products there are no more ids that don't exist.";
    return call.count("requests", Math.min(500_000, most), most, why);
  }
}
