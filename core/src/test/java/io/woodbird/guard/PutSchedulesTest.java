package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.MutableFilter;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A model of the promise to keys that are put, run step by step: puts, batches, commits, builds
 * that stop at each of their stages, roll backs, and a clock that jumps anywhere, in the midst of a
 * put too. After each step every key is asked for that the promise covers.
 */
@Tag("compiled")
final class PutSchedulesTest {
  private static final long SETTLE = 1_000;
  private static final int STEPS = 60;

  /** As many recent puts as fit into the shortest list that there is. */
  private static final int REMEMBERED = RecentPuts.CHUNKS;

  /** A key that was put. Its row becomes visible at a moment within SETTLE, or never. */
  private static final class Row {
    long returned;
    long visibleAt;
    boolean returns;
    boolean commits;
    boolean visible;
    boolean deleted;
  }

  /** One run of random steps. */
  private static final class Run implements Scheduler, KeySource<Long>, GenerationStore<Long> {
    private final SplittableRandom random;
    private final Semaphore reached = new Semaphore(0);
    private final Semaphore go = new Semaphore(0);
    private final Map<Long, Row> rows = new HashMap<>();
    private final RebuildingFilter<Long> filter;
    private final int largestBatch;
    private long nanos = Long.MAX_VALUE - 3 * SETTLE;
    private long nextKey;
    private boolean building;
    private volatile boolean ended;
    int denied;
    int swaps;
    int waits;

    Run(long seed, long settleOfFilter, int largestBatch) {
      this.random = new SplittableRandom(seed);
      this.largestBatch = largestBatch;
      RebuildingFilterBuilder<Long> builder =
          RebuildingFilter.of(Keys.longs(), this)
              .scheduler(this)
              .store(this)
              .recentPuts(REMEMBERED)
              .settle(Duration.ofNanos(settleOfFilter))
              .patience(Duration.ofDays(100_000))
              .fpp(1e-7)
              .expectedKeys(20_000)
              .floor(0)
              .allowEmpty()
              .seed(seed);
      if (random.nextInt(4) == 0) {
        builder.forgetPrevious();
      }
      filter = builder.build();
    }

    Run go() {
      for (int i = 0; i < STEPS; i++) {
        switch (random.nextInt(8)) {
          case 0, 1 -> put(1);
          case 2 -> put(1 + random.nextInt(largestBatch));
          case 3, 4 -> pass(random.nextLong(SETTLE / 2));
          case 5, 6 -> stepBuild();
          default -> seldom();
        }
        check();
      }
      ended = true; // A build that still runs may do so.
      go.release(1_000_000);
      filter.close();
      return this;
    }

    private void seldom() {
      switch (random.nextInt(3)) {
        case 0 -> filter.rollBack();
        case 1 -> pass(random.nextLong(3 * SETTLE));
        default ->
            rows.values().stream().filter(row -> row.visible).findFirst().ifPresent(Run::end);
      }
    }

    private static void end(Row row) {
      row.deleted = true;
    }

    private void put(int count) {
      List<Long> keys = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        long key = nextKey++;
        keys.add(key);
        rows.put(key, new Row());
      }
      if (count == 1) {
        filter.put(keys.get(0));
      } else {
        filter.putAll(keys);
      }
      boolean commits = random.nextInt(8) != 0;
      long delay = random.nextBoolean() ? SETTLE : random.nextLong(SETTLE + 1);
      for (Long key : keys) {
        Row row = rows.get(key);
        row.returns = true;
        row.returned = nanos;
        row.commits = commits;
        row.visibleAt = nanos + delay;
      }
      commit();
    }

    /** Lets time pass; rows become visible on the way. */
    private void pass(long delay) {
      nanos += delay;
      commit();
    }

    private void commit() {
      for (Row row : rows.values()) {
        row.visible |= row.returns && row.commits && row.visibleAt - nanos <= 0;
      }
    }

    private void check() {
      rows.forEach(
          (key, row) -> {
            boolean promised =
                row.returns && !row.deleted && (row.visible || nanos - row.returned <= SETTLE);
            if (promised && filter.ask(key) == Answer.NOT_HERE) {
              denied++;
            }
          });
    }

    /** Lets the build go on to its next stage, or begins one. */
    private void stepBuild() {
      if (building) {
        go.release();
      } else {
        building = true;
        filter.rebuildNow();
      }
      reached.acquireUninterruptibly();
    }

    /** A stage of a build: it waits for the next step, or some time passes. */
    private void stage() {
      if (!ended && random.nextInt(4) == 0) {
        pass(random.nextLong(2 * SETTLE));
      }
      if (!ended) {
        reached.release();
        go.acquireUninterruptibly();
      }
    }

    // The source

    @Override
    public Stream<Long> open() {
      stage();
      List<Long> visible =
          rows.entrySet().stream()
              .filter(row -> row.getValue().visible && !row.getValue().deleted)
              .map(Map.Entry::getKey)
              .toList();
      stage();
      if (!ended && random.nextInt(6) == 0) {
        throw new IllegalStateException("the source broke");
      }
      return visible.stream();
    }

    // The store

    @Override
    public MutableFilter<Long> begin(Plan<Long> plan) throws IOException {
      stage();
      return new Slow(GenerationStore.<Long>memory().begin(plan));
    }

    @Override
    public void publish(MutableFilter<Long> made, Generation generation) {
      stage();
      swaps++;
    }

    /** A filter in which a put may take its time. */
    private final class Slow extends Wrapped {
      Slow(MutableFilter<Long> inner) {
        super(inner);
      }

      @Override
      public int putHashes(long[] hashes, int count) {
        int half = count / 2;
        int fresh = super.putHashes(hashes, half);
        if (!ended && random.nextInt(4) == 0) {
          pass(random.nextLong(2 * SETTLE));
        }
        for (int i = half; i < count; i++) {
          fresh += putHash(hashes[i]) ? 1 : 0;
        }
        return fresh;
      }
    }

    // Time and threads

    @Override
    public long nanoTime() {
      return nanos;
    }

    @Override
    public Instant now() {
      return Instant.EPOCH;
    }

    @Override
    public void sleep(long delay) {
      waits++;
      stage();
    }

    @Override
    public Ticket after(long delay, Runnable task) {
      return () -> {};
    }

    @Override
    public Thread start(String name, Runnable task) {
      Thread thread =
          new Thread(
              () -> {
                task.run();
                building = false;
                reached.release();
              },
              name);
      thread.setDaemon(true);
      thread.start();
      return thread;
    }

    @Override
    public void close() {}
  }

  /** What came of some runs. */
  private record Sum(int denied, int swaps, int waits) {}

  private static Sum runs(int count, long seed, long settleOfFilter, int largestBatch) {
    Sum sum = new Sum(0, 0, 0);
    for (int i = 0; i < count; i++) {
      Run run = new Run(seed + i, settleOfFilter, largestBatch).go();
      sum = new Sum(sum.denied + run.denied, sum.swaps + run.swaps, sum.waits + run.waits);
    }
    return sum;
  }

  @Test
  void noPromisedKeyIsDenied() {
    Sum sum = runs(600, 1, SETTLE, 40);
    assertThat(sum.denied).as("first seed 1, 600 runs").isZero();
    assertThat(sum.swaps).isGreaterThan(300);
  }

  @Test
  void noPromisedKeyIsDeniedWhereMoreIsPutThanRemembered() {
    Sum sum = runs(60, 1_000_000, SETTLE, REMEMBERED);
    assertThat(sum.denied).as("first seed 1,000,000, 60 runs").isZero();
    assertThat(sum.swaps).isGreaterThan(30);
    assertThat(sum.waits).isGreaterThan(10);
  }

  @Test
  @Tag("slow")
  void noPromisedKeyIsDeniedInManyRuns() {
    assertThat(runs(50_000, 2_000_000, SETTLE, 40).denied).isZero();
    assertThat(runs(3_000, 3_000_000, SETTLE, 2 * REMEMBERED).denied).isZero();
  }

  @Test
  void control_aFilterThatIsToldOfAShorterTimeLosesKeys() {
    assertThat(runs(200, 1, SETTLE / 2, 40).denied).isPositive();
  }
}
