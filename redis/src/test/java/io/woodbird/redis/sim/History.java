package io.woodbird.redis.sim;

import io.woodbird.IncompatibleFilterException;
import io.woodbird.redis.RedisFilterException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Runs a plan, and compares every answer with a plain set. */
final class History {
  private static final int KEYS = 40;

  /** So many that a filter grows, and how many of them are put at once. */
  private static final int GROWING_KEYS = 400;

  private static final int GROWING_AT_ONCE = 80;
  private static final int ABSENT = 1000;
  private static final int OPENINGS = 6;

  /**
   * No opening begins later than this after the first: it has waited in vain for a maker, and would
   * wait again, while the copies of other processes are read a thousand times.
   */
  private static final long OPENING_NANOS = 25_000_000_000L;

  /**
   * What came of it.
   *
   * @param denial an acknowledged key that was denied, or another failure; null if all is well
   * @param commands how many commands were sent
   * @param denied how many keys that were never put were called "not here"
   * @param unknown how many of them were not
   */
  record Outcome(@Nullable String denial, int commands, int denied, int unknown) {}

  private final Plan plan;
  private final Turns turns;
  private final World world;
  private final Promises promises;
  private final SortedMap<Long, Acknowledged> acknowledged;
  private final Set<Long> source = new TreeSet<>();
  private final Set<Long> removed = new TreeSet<>();
  private @Nullable String denial;
  private boolean made;

  private int running;
  private int denied;
  private int unknown;

  private History(Plan plan, Turns.Pool pool, Lua lua, @Nullable List<String> story) {
    this.plan = plan;
    turns = new Turns(pool, plan.seed(), plan.switching());
    world = new World(plan.shape(), turns, plan.seed() * 31 + 7, plan.faults(), lua, story);
    promises = new Promises(plan, world);
    acknowledged = promises.acknowledged;
  }

  /** Runs a plan; writes down all that happens, has a defect, or tells of each command. */
  static Outcome run(Plan plan, Turns.Pool pool, Lua lua) {
    return new History(plan, pool, lua, null).run();
  }

  static Outcome run(Plan plan, Turns.Pool pool, Lua lua, List<String> story) {
    return new History(plan, pool, lua, story).run();
  }

  static Outcome run(Plan plan, Turns.Pool pool, Lua lua, Mutant mutant) {
    History history = new History(plan, pool, lua, null);
    history.world.mutant = mutant;
    return history.run();
  }

  static Outcome record(Plan plan, Turns.Pool pool, Lua lua, World.Recorder recorder) {
    History history = new History(plan, pool, lua, null);
    history.world.recorder = recorder;
    return history.run();
  }

  private Outcome run() {
    running = plan.clients().size();
    for (int i = 0; i < plan.clients().size(); i++) {
      turns.start("p" + i, i, true, i * 2_000_000L, new Process(i));
    }
    try {
      turns.runAll();
    } catch (IllegalStateException e) {
      StringWriter text = new StringWriter();
      e.printStackTrace(new PrintWriter(text));
      fail("failure: " + text);
    }
    return new Outcome(denial, world.commands(), denied, unknown);
  }

  private void fail(String what) {
    if (denial == null) {
      denial = what;
      world.tell(() -> "!!! " + what);
    }
  }

  /** One process: it does what its script says, and asks for all keys when all have done so. */
  private final class Process implements Turns.Step {
    private final int number;
    private final World.Line line;
    private final SplittableRandom random;
    private final List<Plan.Step> script;
    private boolean opened;
    private @Nullable Handle handle;

    private int done; // How much of the script.
    private int asked; // How often for all keys, since then.

    /** Whether it counts no longer as running. */
    private boolean left;

    Process(int number) {
      this.number = number;
      boolean newcomer = number == plan.clients().size();
      script = newcomer ? List.of() : plan.clients().get(number);
      left = newcomer;
      line = world.new Line(number, plan.seed() * 31 + 11 + number);
      random = new SplittableRandom(plan.seed() * 31 + 101 + number);
    }

    @Override
    public long run() {
      long pause = -1;
      try {
        pause = nextOfScript();
      } finally {
        if (pause < 0) {
          ended();
        }
      }
      if (pause >= 0) {
        return pause;
      }
      return running > 0 ? turns.until(() -> running == 0, 500_000_000L) : askAll();
    }

    @Override
    public void ended() {
      if (!left) {
        left = true;
        running--;
        if (running == 0) {
          finish();
        }
      }
    }

    /** Goes on with the script; returns how long to pause, or a negative number at its end. */
    private long nextOfScript() {
      if (!opened) {
        opened = true;
        handle = open();
      }
      while (done < script.size()) {
        long pause = act(script.get(done++));
        if (pause >= 0) {
          return pause;
        }
      }
      return -1;
    }

    private @Nullable Handle open() {
      long end = turns.nanos() + OPENING_NANOS;
      for (int attempt = 0; attempt < OPENINGS && turns.nanos() < end; attempt++) {
        try {
          Handle open = Handle.open(plan, line, world.mutant.makes() || (number == 0 && !made));
          made = true;
          return open;
        } catch (RedisFilterException | IncompatibleFilterException e) {
          world.tell(() -> "p" + number + " can't open: " + e.getMessage());
        } catch (IOException | RuntimeException e) {
          unexpected(e);
        }
        turns.pause(150_000_000L);
      }
      return null;
    }

    private void unexpected(Exception e) {
      if (e instanceof NullPointerException
          || e instanceof IndexOutOfBoundsException
          || e instanceof ClassCastException
          || e instanceof NumberFormatException) {
        fail(e + " at " + List.of(e.getStackTrace()).subList(0, 3));
      }
      world.tell(() -> "p" + number + " failed: " + e);
    }

    /** Returns how long to pause, or a negative number. */
    private long act(Plan.Step step) {
      Handle now = handle;
      if (now == null || denial != null) {
        return -1;
      }
      world.tell(() -> "p" + number + " " + step);
      try {
        switch (step.action()) {
          case PUT -> put(now, keys(1, step.value()));
          case PUT_MANY ->
              put(now, keys(plan.kind() == Plan.Kind.GROWING ? GROWING_AT_ONCE : 5, step.value()));
          case ASK -> ask(now, 2);
          case ASK_MANY -> askMany(now);
          case LOAD -> load(now, keys(6, step.value()));
          case REBUILD -> rebuild(now);
          case ROLL_BACK -> now.rollBack();
          case REMOVE -> remove(now, step.value());
          case TRUST -> trust(now);
          case PAUSE -> {
            return 1_000_000L << (step.value() % 12);
          }
          case REOPEN -> {
            now.close();
            handle = open();
          }
        }
      } catch (RedisFilterException e) {
        world.tell(() -> "p" + number + " failed: " + e.getMessage());
      } catch (Exception e) {
        unexpected(e);
      }
      return -1;
    }

    private void breathe() {
      if (random.nextBoolean()) {
        turns.pause(random.nextInt(400) * 1_000_000L);
      }
    }

    private List<Long> keys(int count, int value) {
      Set<Long> keys = new LinkedHashSet<>();
      for (int i = 0; i < count; i++) {
        long key = (value + i * 17L) % (plan.kind() == Plan.Kind.GROWING ? GROWING_KEYS : KEYS);
        boolean mine = plan.kind() != Plan.Kind.DELETABLE || !source.contains(key);
        if (mine && !removed.contains(key)) {
          keys.add(key);
        }
      }
      return List.copyOf(keys);
    }

    private void put(Handle now, List<Long> keys) {
      if (keys.isEmpty()) {
        return;
      }
      source.addAll(keys);
      Acknowledged begun = Acknowledged.begun(now, world);
      int since = promises.moment();
      List<Long> known = keys.stream().filter(acknowledged::containsKey).toList();
      boolean stale = onReplaced();
      line.cutOff = false;
      long fresh = now.put(keys);
      if (fresh > keys.size() - promises.of(known, since).size() && !stale && !onReplaced()) {
        fail(
            "p%d is told that %d of %s are new; %s were put".formatted(number, fresh, keys, known));
      }
      acknowledge(keys, begun);
    }

    private void acknowledge(List<Long> keys, Acknowledged begun) {
      Acknowledged done = begun.at(turns.nanos(), line.cutOff);
      for (long key : keys) {
        if (!removed.contains(key)) {
          acknowledged.put(key, done);
        }
      }
      world.tell(() -> "p" + number + " acknowledged " + keys);
    }

    private void load(Handle now, List<Long> keys) {
      source.addAll(keys);
      Acknowledged begun = Acknowledged.begun(now, world);
      line.cutOff = false;
      now.load(keys);
      acknowledge(keys, begun);
    }

    private void remove(Handle now, int value) {
      List<Long> some = new ArrayList<>(acknowledged.keySet());
      if (!some.isEmpty()) {
        long key = some.get(value % some.size());
        acknowledged.remove(key);
        removed.add(key);
        now.remove(key);
      }
    }

    private void rebuild(Handle now) throws Exception {
      promises.doubtEnds();
      now.rebuild(() -> new ArrayList<>(source), this::breathe);
    }

    private void trust(Handle now) {
      promises.trustBegins();
      try {
        now.trust();
      } finally {
        promises.trustEnds();
      }
    }

    private void ask(Handle now, int count) {
      List<Long> known = new ArrayList<>(acknowledged.keySet());
      for (int i = 0; i < count && !known.isEmpty(); i++) {
        ask(now, known.get(random.nextInt(known.size())));
      }
      if (now.denies(ABSENT + random.nextInt(1000))) {
        denied++;
      } else {
        unknown++;
      }
    }

    private void ask(Handle now, long key) {
      Acknowledged by = acknowledged.get(key);
      boolean must = by != null && must(now, by);
      boolean stale = onReplaced();
      int since = promises.moment();
      boolean not = now.denies(key);
      if (not && must) {
        judge(List.of(key), stale, since);
      }
    }

    private void askMany(Handle now) {
      List<Long> must = new ArrayList<>(acknowledged.size());
      acknowledged.forEach(
          (key, by) -> {
            if (must(now, by)) {
              must.add(key);
            }
          });
      boolean stale = onReplaced();
      int since = promises.moment();
      List<Long> candidates = now.candidates(new ArrayList<>(must));
      if (!candidates.equals(must)) {
        must.removeAll(new HashSet<>(candidates));
        judge(must, stale, since);
      }
    }

    private boolean onReplaced() {
      boolean fresh =
          plan.kind() == Plan.Kind.NEAR_LAG
              && world.replacedUntil != Long.MIN_VALUE
              && turns.nanos() - world.replacedUntil < Handle.LAG.toNanos();
      return fresh || !world.replaced.isEmpty();
    }

    /** Whether a key must not be denied from now on. */
    private boolean must(Handle now, Acknowledged by) {
      return plan.kind() != Plan.Kind.NEAR_LAG
          || turns.nanos() - by.nanos() > Handle.LAG.toNanos()
          || by.by() == now;
    }

    private void judge(List<Long> wrong, boolean stale, int since) {
      List<Long> still = promises.of(wrong, since);
      if (!still.isEmpty() && !stale && !onReplaced()) {
        fail("p" + number + " is told that " + still + " are not here, which were acknowledged");
      }
    }

    /**
     * After all scripts everything has come back, and every key is asked for, several times.
     *
     * @return how long to pause, or a negative number at the end
     */
    private long askAll() {
      Handle now = handle;
      if (now == null || denial != null || asked == 2) {
        return -1;
      }
      asked++;
      try {
        now.look();
        askMany(now);
        ask(now, 1);
      } catch (RedisFilterException e) {
        world.tell(() -> "p" + number + " failed: " + e.getMessage());
      } catch (Exception e) {
        unexpected(e);
      }
      return 300_000_000L;
    }

    private void finish() {
      world.tell(() -> "=== all is calm from here on");
      world.calm();
      if (denial == null) {
        int next = plan.clients().size();
        turns.start("p" + next, next, true, 700_000_000L, new Process(next));
      }
    }
  }
}
