package io.woodbird.redis.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The keys that were acknowledged, and which of them nobody may deny. */
final class Promises {
  final SortedMap<Long, Acknowledged> acknowledged = new TreeMap<>();

  private final Plan plan;
  private final World world;

  /** Whether somebody called trust() or built anew, which ends a doubt. */
  private boolean doubtEnded;

  /** How many calls of trust() are under way, and how many lives servers had begun at the last. */
  private int trusting;

  private int trusted;

  /** How many calls of trust() have ended: a call that one came between may answer by either. */
  private int trusts;

  Promises(Plan plan, World world) {
    this.plan = plan;
    this.world = world;
  }

  /** A moment for {@link #of}. */
  int moment() {
    return trusts;
  }

  void doubtEnds() {
    doubtEnded = true;
  }

  void trustBegins() {
    doubtEnded = true;
    trusting++;
  }

  void trustEnds() {
    trusting--;
    trusts++;
    trusted = world.lives;
    acknowledged.clear();
  }

  /** Those of some keys that a call which began at a moment must not call absent or new. */
  List<Long> of(List<Long> some, int moment) {
    if (trusts != moment) {
      return List.of();
    }
    List<Long> still = new ArrayList<>(some);
    still.retainAll(acknowledged.keySet());
    // Lost with a life of a server, perhaps, before trust() accepts what is there. "Puts that were
    // lost will be called 'not here' from then on", those that are still under way too.
    int accepted = trusting > 0 ? world.lives : trusted;
    still.removeIf(isBy(by -> by.lives() < accepted));
    if (plan.kind() == Plan.Kind.WINDOW) {
      long since = world.turns.nanos() - Handle.SPAN.toNanos();
      still.removeIf(isBy(by -> by.began() <= since));
    }
    if (plan.level() != Plan.Level.MASTER) {
      // A server took over that lacks what was confirmed: the level does not hold.
      still.removeIf(isBy(by -> by.broken() < world.broken));
    } else if (doubtEnded) {
      // Put into a master that was replaced already. At the level of the master, spec/redis.md
      // assumes: "a master that was cut off is neither asked nor written to (it can't know its
      // successor before it is demoted)". Its successor is in doubt; who ends that by trust() or
      // a build, while others still put into the old master, lets their keys be denied.
      still.removeIf(isBy(Acknowledged::cutOff));
    }
    return still;
  }

  private Predicate<Long> isBy(Predicate<Acknowledged> what) {
    return key -> {
      Acknowledged by = acknowledged.get(key);
      return by != null && what.test(by);
    };
  }
}
