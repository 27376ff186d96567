package io.woodbird.guard;

import io.woodbird.Answer;
import io.woodbird.guard.GuardPlan.Defect;
import io.woodbird.guard.GuardPlan.Follows;
import io.woodbird.guard.GuardPlan.Step;
import io.woodbird.guard.ModelDatabase.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Plays one history of processes with guards, a database, writers and faults, and judges each "not
 * here".
 *
 * <p>A "not here" is wrong if the commit of a row with that key had returned before the question
 * was asked, and the row was not deleted before the answer came. With a bound on freshness, the
 * commit must have returned that much earlier. Where nothing follows the database, only rows count
 * whose key the same process had put, from the moment when that put returned.
 */
final class GuardHistory {
  private static final long MILLI = 1_000_000;
  private static final long CALM_NANOS = 800 * MILLI;
  private static final long SOON_NANOS = 60 * MILLI;
  private static final int ABSENT = 5;
  private static final int LIVES = 20;

  /** The result: the first wrong "not here" if there was one, and how often each answer came. */
  record Outcome(@Nullable String denial, int denied, int unknown, int maybe, int swaps) {}

  /** A put that returned. */
  private record Put(int process, long returned) {}

  private final GuardPlan plan;
  private final VirtualTime time;
  private final ModelDatabase database;
  private final Defect defect;
  private final List<ModelStore> stores = new ArrayList<>();
  private final List<GuardProcess> processes = new ArrayList<>();
  private final Map<Row, Put> puts = new HashMap<>();
  private final @Nullable List<String> story;
  private final long allowedNanos;
  private int lives;
  private long nextKey = 1;
  private int denied;
  private int unknown;
  private int maybe;
  private int swaps;
  private @Nullable String denial;

  private GuardHistory(
      GuardPlan plan, VirtualTime.Workers workers, Defect defect, @Nullable List<String> story) {
    this.plan = plan;
    this.time = new VirtualTime(workers, plan.seed());
    this.database = new ModelDatabase(time);
    this.defect = defect;
    this.story = story;
    // Where a machine sleeps only the clock of the day tells, and that is rounded.
    this.allowedNanos = plan.freshness().isZero() ? 0 : plan.freshness().toNanos() + 2 * MILLI;
  }

  static Outcome run(GuardPlan plan, VirtualTime.Workers workers, Defect defect) {
    return new GuardHistory(plan, workers, defect, null).run();
  }

  static Outcome run(
      GuardPlan plan, VirtualTime.Workers workers, Defect defect, List<String> story) {
    return new GuardHistory(plan, workers, defect, story).run();
  }

  private Outcome run() {
    for (int i = 0; i < plan.processes(); i++) {
      stores.add(new ModelStore(time, plan.restores()));
      processes.add(born(i));
    }
    for (Step step : plan.steps()) {
      time.after(step.atNanos(), VirtualTime.NOBODY, () -> act(step));
    }
    time.runUntil(GuardPlan.SPAN.toNanos());
    tell("all is calm from here on");
    database.calm();
    stores.forEach(ModelStore::calm);
    processes.forEach(GuardProcess::calm);
    // Long enough for every commit, for a build after each, and for what waits between failures.
    time.runUntil(GuardPlan.SPAN.toNanos() + CALM_NANOS);
    processes.forEach(this::askAll);
    time.runUntil(GuardPlan.SPAN.toNanos() + 2 * CALM_NANOS);
    for (int i = 1; i <= lives; i++) {
      time.end(i);
    }
    return new Outcome(denial, denied, unknown, maybe, swaps);
  }

  private GuardProcess born(int place) {
    lives++;
    GuardProcess process = new GuardProcess(lives, plan, time, database, stores.get(place), defect);
    process.begin();
    tell("p" + lives + " begins");
    return process;
  }

  private void tell(String line) {
    if (story != null) {
      story.add("%9.3f ms %s".formatted(time.nanos() / 1e6, line));
    }
  }

  private void act(Step step) {
    if (denial != null) {
      return;
    }
    int place = step.who() % plan.processes();
    GuardProcess process = processes.get(place);
    SplittableRandom random = new SplittableRandom(step.value());
    long span = (20 + random.nextInt(400)) * MILLI;
    tell(step.toString());
    switch (step.kind()) {
      case WRITE -> at(process, () -> write(process, random, drawKeys(random)));
      case DELETE -> drawKey(random).ifPresent(database::delete);
      case ASK -> ask(process, random, drawKey(random).orElse(-1L));
      case ASK_MANY -> time.start(process.number(), () -> askMany(process));
      case ASK_AND_WRITE -> {
        long key = nextKey++;
        ask(process, random, key);
        at(process, () -> write(process, random, List.of(key)));
      }
      case REBUILD ->
          at(process, () -> process.filter().rebuildNow().whenComplete(this::countBuild));
      case ROLL_BACK -> at(process, () -> rollBack(process));
      case STOP -> time.stall(process.number(), span);
      case SLEEP -> process.sleepFor(span);
      case SET_CLOCK -> process.setClock(span * (random.nextBoolean() ? 1 : -1));
      case BREAK_DATABASE -> database.breakFor(span / 2);
      case SLOW_DATABASE -> database.slowDown(span, random.nextInt(150) * MILLI);
      case BREAK_STORE -> stores.get(place).breakFor(span / 2);
      case LOSE_STREAM -> process.loseStream();
      case RESTART -> at(process, () -> replace(place, process, true));
      case CRASH -> replace(place, process, false);
    }
  }

  /** Does something in a process, as soon as it does not stand still. */
  private void at(GuardProcess process, Runnable action) {
    time.after(0, process.number(), action);
  }

  private void countBuild(@Nullable Generation built, @Nullable Throwable error) {
    swaps += built == null ? 0 : 1;
    tell(built != null ? built.toString() : "a build failed: " + error);
  }

  private void rollBack(GuardProcess process) {
    try {
      process.filter().rollBack();
    } catch (IllegalStateException e) {
      tell("no roll back: " + e.getMessage());
    }
  }

  private void replace(int place, GuardProcess process, boolean orderly) {
    if (processes.get(place) != process || lives == LIVES) {
      return;
    }
    if (orderly) {
      process.shutDown();
    }
    // Not now: it may be the process itself that ends.
    time.after(0, VirtualTime.NOBODY, () -> time.end(process.number()));
    processes.set(place, born(place));
  }

  private List<Long> drawKeys(SplittableRandom random) {
    List<Long> keys = new ArrayList<>();
    for (int left = 1 + random.nextInt(3); left > 0; left--) {
      Optional<Long> known = random.nextInt(8) == 0 ? drawKey(random) : Optional.empty();
      keys.add(known.orElseGet(() -> nextKey++));
    }
    return keys;
  }

  private Optional<Long> drawKey(SplittableRandom random) {
    List<Long> keys = database.keys();
    if (keys.isEmpty() || random.nextInt(ABSENT) == 0) {
      return Optional.empty();
    }
    int last = keys.size() - 1;
    return Optional.of(keys.get(random.nextBoolean() ? last : random.nextInt(last + 1)));
  }

  /** Inserts rows in one transaction; where nothing follows it, the process puts the keys first. */
  private void write(GuardProcess process, SplittableRandom random, List<Long> keys) {
    boolean isPut = plan.follows() == Follows.NOTHING;
    if (isPut) {
      try {
        process.filter().putAll(keys);
      } catch (RuntimeException e) {
        tell("a put failed: " + e.getMessage());
        return; // Its writer does not go on.
      }
    }
    List<Row> rows = keys.stream().map(database::insert).toList();
    if (isPut) {
      rows.forEach(row -> puts.put(row, new Put(process.number(), time.nanos())));
    }
    if (random.nextInt(8) == 0) {
      return; // It is never committed.
    }
    long most = isPut ? GuardPlan.SETTLE.toNanos() : SOON_NANOS;
    most *= defect == Defect.SETTLES_LATE ? 3 : 1;
    long visible = random.nextBoolean() ? most : random.nextLong(most + 1);
    long logged = random.nextLong(visible + 1);
    long returned = random.nextLong(5 * MILLI);
    database.commit(rows, logged, visible - logged, returned);
    askAround(visible + returned, random, keys.get(0));
  }

  /**
   * Asks for a row when it is most dangerous: shortly before its commit returns, so that a proof is
   * on its way, right after, and when a bound on freshness has just passed.
   */
  private void askAround(long returned, SplittableRandom random, long key) {
    List<Long> moments = new ArrayList<>();
    moments.add(returned - random.nextLong(Math.min(returned, 20 * MILLI) + 1));
    moments.add(returned + 1 + random.nextLong(3 * MILLI));
    if (allowedNanos > 0) {
      moments.add(returned + allowedNanos + 1 + random.nextLong(10 * MILLI));
    }
    for (long moment : moments) {
      if (random.nextInt(3) != 0) {
        GuardProcess process = processes.get(random.nextInt(processes.size()));
        SplittableRandom own = random.split();
        time.after(moment, VirtualTime.NOBODY, () -> ask(process, own, key));
      }
    }
  }

  /** Asks about a key in one of the ways that there are. */
  private void ask(GuardProcess process, SplittableRandom random, long key) {
    FollowingFilter<Long> following = process.following();
    int way = Math.max(0, random.nextInt(5) - 2);
    if (way == 0 && following != null) {
      at(process, () -> askAsync(process, key));
    } else if (way == 0) {
      at(process, () -> askAndWait(process, key));
    } else if (way == 1 && following != null) {
      time.start(process.number(), () -> load(process, key));
    } else {
      time.start(process.number(), () -> askAndWait(process, key));
    }
  }

  private void askAsync(GuardProcess process, long key) {
    long asked = time.nanos();
    CompletableFuture<?> unused =
        process
            .guard()
            .admission()
            .askAsync(key)
            .thenAccept(
                decision ->
                    judge(process, key, asked, decision.stopped() ? Answer.NOT_HERE : null));
  }

  private void askAndWait(GuardProcess process, long key) {
    long asked = time.nanos();
    FollowingFilter<Long> following = process.following();
    judge(process, key, asked, following == null ? process.filter().ask(key) : following.ask(key));
  }

  private void load(GuardProcess process, long key) {
    long asked = time.nanos();
    try {
      boolean isFound = process.guard().get(key).isPresent();
      judge(process, key, asked, isFound ? Answer.MAYBE_HERE : Answer.NOT_HERE);
    } catch (IllegalStateException | GuardOverloadedException e) {
      tell("a look-up failed: " + e.getMessage());
    }
  }

  private void askMany(GuardProcess process) {
    long asked = time.nanos();
    FollowingFilter<Long> following = process.following();
    List<Long> keys = database.keys();
    Set<Long> found =
        new HashSet<>(
            following == null ? process.filter().candidates(keys) : following.candidates(keys));
    keys.forEach(key -> judge(process, key, asked, found.contains(key) ? null : Answer.NOT_HERE));
  }

  private void askAll(GuardProcess process) {
    if (denial == null) {
      time.start(process.number(), () -> askMany(process));
      time.start(process.number(), () -> askAndWait(process, -1));
    }
  }

  /** Takes note of an answer; null is "not denied". */
  private void judge(GuardProcess process, long key, long asked, @Nullable Answer answer) {
    if (answer != Answer.NOT_HERE) {
      maybe += answer == Answer.MAYBE_HERE ? 1 : 0;
      unknown += answer == Answer.UNKNOWN ? 1 : 0;
      return;
    }
    denied++;
    for (Row row : database.rows(key)) {
      if (mustBeKnown(process, row, asked) && row.deleted > time.nanos() && denial == null) {
        denial =
            "p%d denies %d, asked at %.3f ms and answered at %.3f ms: visible at %.3f ms"
                .formatted(
                    process.number(), key, asked / 1e6, time.nanos() / 1e6, row.visible / 1e6);
        tell(denial);
      }
    }
  }

  private boolean mustBeKnown(GuardProcess process, Row row, long asked) {
    if (plan.follows() != Follows.NOTHING) {
      return row.returned < asked - allowedNanos;
    }
    Put put = puts.get(row);
    return put != null
        && put.process == process.number()
        && put.returned < asked
        && (row.visible <= asked || time.nanos() - put.returned <= GuardPlan.SETTLE.toNanos());
  }
}
