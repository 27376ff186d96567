package io.woodbird.redis.sim;

import java.util.ArrayList;
import java.util.List;

/** Makes a failing history smaller. */
final class Shrinker {
  private final Turns.Pool pool;
  private final Lua lua;
  private int left = 600;

  Shrinker(Turns.Pool pool, Lua lua) {
    this.pool = pool;
    this.lua = lua;
  }

  private boolean fails(Plan plan) {
    return left-- > 0 && History.run(plan, pool, lua).denial() != null;
  }

  Plan shrink(Plan failing) {
    Plan best = failing;
    for (int size = -1; size != best.size() && left > 0; ) {
      size = best.size();
      best = fewerFaults(best);
      best = fewerSteps(best);
    }
    Plan calm = best.withSwitching(0);
    return fails(calm) ? calm : best;
  }

  private Plan fewerFaults(Plan plan) {
    Plan best = plan;
    for (int i = plan.faults().size() - 1; i >= 0; i--) {
      List<Fault> fewer = new ArrayList<>(best.faults());
      fewer.remove(i);
      if (fails(best.withFaults(fewer))) {
        best = best.withFaults(fewer);
      }
    }
    return best;
  }

  private Plan fewerSteps(Plan plan) {
    Plan best = plan;
    for (int client = plan.clients().size() - 1; client >= 0; client--) {
      for (int i = best.clients().get(client).size() - 1; i >= 0; i--) {
        List<List<Plan.Step>> fewer = new ArrayList<>(best.clients());
        List<Plan.Step> script = new ArrayList<>(fewer.get(client));
        script.remove(i);
        fewer.set(client, script);
        if (fails(best.withClients(fewer))) {
          best = best.withClients(fewer);
        }
      }
      boolean last = client == best.clients().size() - 1;
      if (last && best.clients().get(client).isEmpty() && client > 0) {
        Plan without = best.withClients(best.clients().subList(0, client));
        best = fails(without) ? without : best;
      }
    }
    return best;
  }

  /** The history of a plan, line by line. */
  List<String> story(Plan plan) {
    List<String> story = new ArrayList<>();
    History.run(plan, pool, lua, story);
    return story;
  }
}
