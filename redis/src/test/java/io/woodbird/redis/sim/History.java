package io.woodbird.redis.sim;

import io.woodbird.IncompatibleFilterException;
import io.woodbird.redis.RedisFilterException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
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

  /**
   * When a put of a key began, when and by which opening of a filter it was acknowledged, what was
   * broken when it began, and whether a master had it that was cut off.
   */
  private record Acknowledged(long began, long nanos, Handle by, int broken, boolean cutOff) {}

  private final Plan plan;
  private final Turns turns;
  private final World world;
  private final SortedMap<Long, Acknowledged> acknowledged = new TreeMap<>();
  private final Set<Long> source = new TreeSet<>();
  private final Set<Long> removed = new TreeSet<>();
  private @Nullable String denial;
  private boolean made;

  /** Whether somebody called trust() or built anew, which ends a doubt. */
  private boolean doubtEnded;

  private int running;
  private int denied;
  private int unknown;

  private History(Plan plan, Turns.Pool pool, Lua lua, @Nullable List<String> story) {
    this.plan = plan;
    turns = new Turns(pool, plan.seed(), plan.switching());
    world = new World(plan.shape(), turns, plan.seed() * 31 + 7, plan.faults(), lua, story);
  }

  static Outcome run(Plan plan, Turns.Pool pool, Lua lua) {
    return new History(plan, pool, lua, null).run();
  }

  /** Runs a plan, and writes down all that happens. */
  static Outcome run(Plan plan, Turns.Pool pool, Lua lua, List<String> story) {
    return new History(plan, pool, lua, story).run();
  }

  /** Runs a plan with servers or scripts that have a defect. */
  static Outcome run(Plan plan, Turns.Pool pool, Lua lua, Mutant mutant) {
    History history = new History(plan, pool, lua, null);
    history.world.mutant = mutant;
    return history.run();
  }

  /** Runs a plan, and tells of each command. */
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
      java.io.StringWriter text = new java.io.StringWriter();
      e.printStackTrace(new java.io.PrintWriter(text));
      fail("failure: " + text);
    }
    return new Outcome(denial, world.commands(), denied, unknown);
  }

  /** Whether a server took over since that lacks what was confirmed: the level does not hold. */
  private boolean acknowledgedBefore(long key, int broken) {
    Acknowledged by = acknowledged.get(key);
    return by != null && by.broken < broken;
  }

  /** Whether a key has left its window. */
  private boolean expired(@Nullable Acknowledged by) {
    return by != null && turns.nanos() - by.began >= Handle.SPAN.toNanos();
  }

  private void fail(String what) {
    if (denial == null) {
      denial = what;
      world.tell(() -> "!!! " + what);
    }
  }

  /** One process: it does what its script says, and asks for all keys when all have done so. */
  private final class Process implements Turns.Step {
    private static final int ROUNDS = 2;

    private final int number;
    private final World.Line line;
    private final SplittableRandom random;
    private final List<Plan.Step> script;
    private boolean opened;
    private @Nullable Handle handle;

    /** How much of the script is done, and how often it has asked for all keys since. */
    private int done;

    private int asked;

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
      boolean pauses = false;
      try {
        long pause = nextOfScript();
        pauses = pause >= 0;
        if (pauses) {
          return pause;
        }
      } finally {
        if (!pauses) {
          leave();
        }
      }
      return running > 0 ? turns.until(() -> running == 0, 500_000_000L) : askAll();
    }

    @Override
    public void ended() {
      leave();
    }

    private void leave() {
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
      if (e instanceof RuntimeException && !(e instanceof RedisFilterException)) {
        String name = e.getClass().getName();
        if (e instanceof NullPointerException
            || e instanceof IndexOutOfBoundsException
            || e instanceof ClassCastException
            || e instanceof NumberFormatException) {
          fail(name + ": " + e.getMessage() + " at " + List.of(e.getStackTrace()).subList(0, 3));
        }
      }
      world.tell(() -> "p" + number + " failed: " + e);
    }

    /** Returns how long to pause, or a negative number. */
    private long act(Plan.Step step) {
      Handle now = handle;
      if (now == null || denial != null) {
        return -1;
      }
      if (world.isTold()) {
        world.tell(() -> "p" + number + " " + step);
      }
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
      int before = world.broken;
      long began = turns.nanos();
      List<Long> known = keys.stream().filter(acknowledged::containsKey).toList();
      boolean stale = onReplaced();
      line.cutOff = false;
      long fresh = now.put(keys);
      if (fresh > keys.size() - promised(known).size() && !stale && !onReplaced()) {
        fail(
            "p%d is told that %d of %s are new; %s were put".formatted(number, fresh, keys, known));
      }
      acknowledge(now, keys, began, before);
    }

    private void acknowledge(Handle now, List<Long> keys, long began, int broken) {
      for (long key : keys) {
        if (!removed.contains(key)) {
          acknowledged.put(key, new Acknowledged(began, turns.nanos(), now, broken, line.cutOff));
        }
      }
      world.tell(() -> "p" + number + " acknowledged " + keys);
    }

    private void load(Handle now, List<Long> keys) {
      source.addAll(keys);
      int before = world.broken;
      long began = turns.nanos();
      line.cutOff = false;
      now.load(keys);
      acknowledge(now, keys, began, before);
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
      doubtEnded = true;
      now.rebuild(() -> new ArrayList<>(source), this::breathe);
    }

    private void trust(Handle now) {
      doubtEnded = true;
      try {
        now.trust();
      } finally {
        acknowledged.clear();
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
      boolean not = now.denies(key);
      if (not && must) {
        judge(now, List.of(key), stale);
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
      List<Long> candidates = now.candidates(new ArrayList<>(must));
      if (!candidates.equals(must)) {
        must.removeAll(new HashSet<>(candidates));
        judge(now, must, stale);
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
          || turns.nanos() - by.nanos > Handle.LAG.toNanos()
          || by.by == now;
    }

    private void judge(Handle now, List<Long> wrong, boolean stale) {
      List<Long> still = promised(wrong);
      if (!still.isEmpty() && !stale && !onReplaced()) {
        fail("p" + number + " is told that " + still + " are not here, which were acknowledged");
      }
    }

    /** Those of some keys that nobody may call absent or new, whatever has happened. */
    private List<Long> promised(List<Long> some) {
      List<Long> still = new ArrayList<>(some);
      still.retainAll(acknowledged.keySet());
      if (plan.kind() == Plan.Kind.WINDOW) {
        still.removeIf(key -> expired(acknowledged.get(key)));
      }
      if (plan.level() != Plan.Level.MASTER) {
        still.removeIf(key -> acknowledgedBefore(key, world.broken));
      } else if (doubtEnded) {
        still.removeIf(this::wasCutOff);
      }
      return still;
    }

    /**
     * Whether a key was put into a master that was replaced already. At the level of the master,
     * spec/redis.md assumes: "a master that was cut off is neither asked nor written to (it can't
     * know its successor before it is demoted)". Its successor is in doubt; who ends that by
     * trust() or a build, while others still put into the old master, lets their keys be denied.
     */
    private boolean wasCutOff(long key) {
      Acknowledged by = acknowledged.get(key);
      return by != null && by.cutOff;
    }

    /**
     * After all scripts everything has come back, and every key is asked for, several times.
     *
     * @return how long to pause, or a negative number at the end
     */
    private long askAll() {
      Handle now = handle;
      if (now == null || denial != null || asked == ROUNDS) {
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
