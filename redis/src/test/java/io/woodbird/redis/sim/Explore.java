package io.woodbird.redis.sim;

import java.util.Map;
import java.util.TreeMap;

/** Runs many histories from the command line: first seed, count, how many failures to show. */
final class Explore {
  private Explore() {}

  public static void main(String[] arguments) {
    long from = Long.parseLong(arguments[0]);
    long count = Long.parseLong(arguments[1]);
    int show = Integer.parseInt(arguments[2]);
    Plan.Menu menu = Plan.Menu.ALL;
    for (int i = 3; i < arguments.length; i++) {
      String word = arguments[i];
      if (word.startsWith("-")) {
        menu = menu.without(Fault.Kind.valueOf(word.substring(1)));
      } else {
        menu = menu.only(Plan.Kind.valueOf(word));
      }
    }
    Turns.Pool pool = new Turns.Pool();
    Lua lua = new Lua();
    long began = System.nanoTime();
    long commands = 0;
    long denied = 0;
    long unknown = 0;
    Map<String, Integer> failures = new TreeMap<>();
    for (long seed = from; seed < from + count; seed++) {
      Plan plan = Plan.draw(seed, menu);
      History.Outcome outcome = History.run(plan, pool, lua);
      commands += outcome.commands();
      denied += outcome.denied();
      unknown += outcome.unknown();
      if (outcome.denial() != null) {
        failures.merge(plan.kind() + " " + plan.level(), 1, Integer::sum);
        if (show-- > 0) {
          Shrinker shrinker = new Shrinker(pool, lua);
          Plan small = shrinker.shrink(plan);
          System.out.println("\n##### " + outcome.denial() + "\n" + small);
          shrinker.story(small).forEach(System.out::println);
        } else if (arguments.length == 3) {
          Plan small = new Shrinker(pool, lua).shrink(plan);
          System.out.println(
              outcome.denial().lines().findFirst().orElse("") + " | " + small.line());
        }
      }
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    System.out.printf(
        "%d histories in %.1f s (%.0f a second), %d commands (%.0f a second), absent: %d denied, %d"
            + " unknown%nfailures: %s%n",
        count, seconds, count / seconds, commands, commands / seconds, denied, unknown, failures);
    pool.close();
  }
}
