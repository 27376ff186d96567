package io.woodbird.guard;

import io.woodbird.guard.GuardPlan.Defect;
import io.woodbird.guard.GuardPlan.Follows;
import io.woodbird.key.Keys;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A process of an application, with its guard, in virtual time. */
final class GuardProcess implements Scheduler, FollowThread, KeySource<Long> {
  private static final Duration EVERY = Duration.ofMillis(400);
  private static final Duration RETRY = Duration.ofMillis(100);
  private static final Duration BUILD_PATIENCE = Duration.ofMillis(400);
  private static final Duration PATIENCE = Duration.ofMillis(200);

  private final int number;
  private final VirtualTime time;
  private final ModelDatabase database;
  private final RebuildingFilter<Long> filter;
  private final @Nullable FollowingFilter<Long> following;
  private final ModelFollower.@Nullable Reads reads;
  private final Guard<Long, Long> guard;
  private long asleep;
  private long clockShift;
  private @Nullable LongSupplier follow;
  private Scheduler.@Nullable Ticket next;
  private VirtualTime.@Nullable Task stepTask;
  private boolean calm;
  private boolean stepping;
  private boolean woken;

  GuardProcess(
      int number,
      GuardPlan plan,
      VirtualTime time,
      ModelDatabase database,
      ModelStore store,
      Defect defect) {
    this.number = number;
    this.time = time;
    this.database = database;
    RebuildingFilterBuilder<Long> builder =
        RebuildingFilter.of(Keys.longs(), this)
            .scheduler(this)
            .store(store)
            .recentPuts(RecentPuts.CHUNKS)
            .settle(GuardPlan.SETTLE)
            .every(EVERY)
            .retryAfter(RETRY)
            .patience(BUILD_PATIENCE)
            .fpp(plan.fpp())
            .expectedKeys(plan.expectedKeys())
            .floor(0)
            .allowEmpty()
            .seed(7);
    if (plan.seed() % 4 == 0) {
      builder.forgetPrevious();
    }
    filter = builder.build();
    reads =
        plan.follows() == Follows.LOG
            ? new ModelFollower.Reads(database, time, number, filter::rebuildNow, defect)
            : null;
    if (plan.follows() == Follows.NOTHING) {
      following = null;
    } else {
      Follower<Long> follower = reads != null ? reads : new ModelFollower.LooksUp(database, defect);
      FollowingFilterBuilder<Long> follows =
          FollowingFilter.over(filter, follower)
              .thread(this)
              .clock(this::now)
              .freshness(plan.freshness())
              .patience(PATIENCE);
      if (reads != null && plan.seed() % 2 == 0) {
        follows.lookUpMisses(new ModelFollower.LooksUp(database, Defect.NONE));
      }
      following = follows.build();
    }
    guard = Guard.of(following != null ? following : filter, this::load);
  }

  /** Begins its work. */
  void begin() {
    if (following != null) {
      following.start();
    }
    if (reads == null) {
      CompletableFuture<Generation> unused = filter.rebuildNow();
    }
  }

  int number() {
    return number;
  }

  RebuildingFilter<Long> filter() {
    return filter;
  }

  @Nullable FollowingFilter<Long> following() {
    return following;
  }

  Guard<Long, Long> guard() {
    return guard;
  }

  private Optional<Long> load(Long key) {
    database.travel();
    Optional<Long> found = database.has(key) ? Optional.of(key) : Optional.empty();
    database.travel();
    return found;
  }

  void loseStream() {
    if (reads != null) {
      reads.lose();
    }
  }

  /** Its machine sleeps: nothing runs, and its clock stands still. */
  void sleepFor(long nanos) {
    asleep += time.stall(number, nanos);
  }

  /** From now on no step is interrupted by another. */
  void calm() {
    calm = true;
  }

  void setClock(long shift) {
    clockShift += shift;
  }

  /** Ends as an application does. */
  void shutDown() {
    if (following != null) {
      following.close();
    }
    filter.close();
  }

  // The source

  @Override
  public Stream<Long> open() {
    database.travel();
    List<Long> snapshot = database.visibleKeys();
    database.travel();
    return snapshot.stream().peek(key -> dawdle());
  }

  private void dawdle() {
    if (time.random().nextInt(8) == 0) {
      database.travel();
    }
  }

  // Time and threads

  @Override
  public long nanoTime() {
    return time.nanos() - asleep;
  }

  @Override
  public Instant now() {
    return Instant.ofEpochSecond(1_800_000_000L, time.nanos() + clockShift);
  }

  @Override
  public void sleep(long nanos) {
    time.pause(nanos);
  }

  @Override
  public Ticket after(long nanos, Runnable task) {
    return time.after(nanos, number, task);
  }

  @Override
  public Thread start(String name, Runnable task) {
    if (calm || time.random().nextInt(3) != 0) {
      time.after(time.random().nextLong(1_000_000), number, task); // It runs to its end at once.
    } else {
      time.start(number, task);
    }
    return Thread.currentThread(); // Nobody uses it.
  }

  /** What was to be run later finds that all is closed. */
  @Override
  public void close() {}

  @Override
  public void start(LongSupplier steps) {
    follow = steps;
    stepAfter(0);
  }

  private void stepAfter(long nanos) {
    next = time.after(nanos, number, this::step);
  }

  /** Most steps run to their end at once; in some, others run wherever they can wait. */
  private void step() {
    stepping = true;
    if (calm || (!database.isSlow() && time.random().nextInt(8) != 0)) {
      stepNow();
    } else {
      stepTask = time.start(number, this::stepNow);
    }
  }

  private void stepNow() {
    long wait = follow == null ? -1 : follow.getAsLong();
    stepping = false;
    stepTask = null;
    if (wait >= 0) {
      stepAfter(woken ? 0 : wait);
    }
    woken = false;
  }

  @Override
  public void wake() {
    if (stepping) {
      woken = true;
    } else if (next != null) {
      next.cancel();
      stepAfter(0);
    }
  }

  @Override
  public void interrupt() {
    if (stepTask != null) {
      stepTask.interrupt();
    }
    wake();
  }

  @Override
  public void completeLater(CompletableFuture<?> future, long nanos) {
    time.after(nanos, number, () -> future.complete(null));
  }

  @Override
  public <T> T await(CompletableFuture<T> future) throws InterruptedException, ExecutionException {
    time.await(future);
    return future.get();
  }

  @Override
  public Executor answers() {
    return answer -> time.after(time.random().nextLong(1_000_000), number, answer);
  }
}
