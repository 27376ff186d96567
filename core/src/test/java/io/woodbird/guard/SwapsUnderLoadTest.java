package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.BloomFilter;
import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Four threads put keys, commit their rows some swaps later, and ask, while the filter is built and
 * swapped back to back, with builds that fail midway and roll backs in between.
 */
@Tag("jdk")
final class SwapsUnderLoadTest {
  private static final int THREADS = 4;
  private static final int ALIVE = 200;

  /** A row is committed at most so many swaps after its key was put. */
  private static final int COMMITTED_WITHIN = 2;

  /** One swap is one second of the clock. */
  private static final Duration SETTLE = Duration.ofSeconds(COMMITTED_WITHIN + 2);

  /** What is under test. */
  private interface Subject {
    Filter<Long> filter();

    void put(long key);

    /** Builds and swaps, or fails to; returns whether it swapped. */
    boolean swap(int number) throws Exception;

    void close();
  }

  /** The rows of a table, as other transactions see them. */
  private static final class Table implements KeySource<Long> {
    final ConcurrentHashMap<Long, Boolean> rows = new ConcurrentHashMap<>();
    volatile boolean breaks;

    @Override
    public Stream<Long> open() {
      List<Long> snapshot = new ArrayList<>(rows.keySet());
      int half = snapshot.size() / 2;
      long[] row = {0};
      return snapshot.stream()
          .peek(
              key -> {
                if (breaks && row[0]++ == half) {
                  throw new IllegalStateException("broke midway");
                }
              });
    }
  }

  private static final class Rebuilding implements Subject {
    private final ManualScheduler scheduler = new ManualScheduler();
    private final RebuildingFilter<Long> filter;
    private final Table table;

    Rebuilding(Table table, Duration settle) {
      this.table = table;
      filter =
          RebuildingFilter.of(Keys.longs(), table)
              .scheduler(scheduler)
              .settle(settle)
              .fpp(1e-6)
              .expectedKeys(50_000)
              .floor(0)
              .allowEmpty()
              .start();
    }

    @Override
    public Filter<Long> filter() {
      return filter;
    }

    @Override
    public void put(long key) {
      filter.putLong(key);
    }

    @Override
    public boolean swap(int number) throws Exception {
      scheduler.pass(Duration.ofSeconds(1));
      table.breaks = number % 7 == 3;
      boolean swapped =
          filter
              .rebuildNow()
              .handle((generation, failure) -> failure == null)
              .get(5, TimeUnit.MINUTES);
      if (number % 5 == 4) {
        filter.rollBack();
      }
      return swapped;
    }

    @Override
    public void close() {
      filter.close();
    }
  }

  /** What everybody writes first: build another filter, then point to it. */
  private static final class Naive implements Subject {
    private final Table table;
    private volatile BloomFilter<Long> current = empty();

    Naive(Table table) {
      this.table = table;
    }

    private static BloomFilter<Long> empty() {
      return Woodbird.bloom(Keys.longs(), 50_000).fpp(1e-6).seed(3).build();
    }

    @Override
    public Filter<Long> filter() {
      return current;
    }

    @Override
    public void put(long key) {
      current.putLong(key);
    }

    @Override
    public boolean swap(int number) {
      BloomFilter<Long> next = empty();
      table.open().forEach(next::put);
      current = next;
      return true;
    }

    @Override
    public void close() {}
  }

  private record Pending(long key, long round, int delay) {}

  /** Runs the load; returns how many false negatives were seen. */
  private static final class Load {
    private final Subject subject;
    private final Table table;
    private final AtomicLong round = new AtomicLong();
    private final AtomicLong wrong = new AtomicLong();
    private final AtomicLong asked = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicLongArray counters = new AtomicLongArray(THREADS);

    /** For each thread the round of its oldest row that is not committed. */
    private final AtomicLongArray oldest = new AtomicLongArray(THREADS);

    private volatile boolean ended;

    Load(Subject subject, Table table) {
      this.subject = subject;
      this.table = table;
    }

    long run(int swaps, long seed) throws Exception {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int number = i;
        oldest.set(i, Long.MAX_VALUE);
        threads.add(new Thread(() -> work(number, new SplittableRandom(seed + number))));
      }
      threads.forEach(Thread::start);
      try {
        int done = 0;
        for (int number = 0; done < swaps && failure.get() == null; number++) {
          done += subject.swap(number) ? 1 : 0;
          long next = round.incrementAndGet();
          while (overdue(next - COMMITTED_WITHIN) && failure.get() == null) {
            Thread.onSpinWait();
          }
        }
      } finally {
        ended = true;
        for (Thread thread : threads) {
          thread.join();
        }
        subject.close();
      }
      assertThat(failure).hasNullValue();
      assertThat(asked.get()).isGreaterThan(100L * swaps);
      return wrong.get();
    }

    private boolean overdue(long limit) {
      for (int i = 0; i < THREADS; i++) {
        if (oldest.get(i) < limit) {
          return true;
        }
      }
      return false;
    }

    private void work(int thread, SplittableRandom random) {
      ArrayDeque<Pending> pending = new ArrayDeque<>();
      ArrayList<Long> alive = new ArrayList<>();
      try {
        for (long i = 0; !ended; i++) {
          long now = round.get();
          if (pending.isEmpty()) {
            oldest.set(thread, now);
          }
          long key = ((long) thread << 48) + i;
          subject.put(key);
          counters.set(thread, i + 1);
          alive.add(key);
          pending.add(new Pending(key, now, random.nextInt(COMMITTED_WITHIN + 1)));
          commit(thread, pending);
          askOwn(alive, random);
          askOthers(thread);
          if (alive.size() > ALIVE) {
            for (Long dead : alive.subList(0, ALIVE / 2)) {
              if (table.rows.remove(dead) == null) {
                pending.removeIf(row -> row.key == dead); // A transaction that rolls back.
              }
            }
            alive.subList(0, ALIVE / 2).clear();
          }
          if (random.nextInt(64) == 0) {
            Thread.sleep(0, 50_000);
          }
        }
      } catch (Exception | Error e) {
        failure.compareAndSet(null, e);
      }
    }

    private void commit(int thread, ArrayDeque<Pending> pending) {
      long now = round.get();
      for (Iterator<Pending> rest = pending.iterator(); rest.hasNext(); ) {
        Pending row = rest.next();
        if (now - row.round >= row.delay) {
          table.rows.put(row.key, true);
          rest.remove();
        }
      }
      long first = Long.MAX_VALUE;
      for (Pending row : pending) {
        first = Math.min(first, row.round);
      }
      oldest.set(thread, first);
    }

    private void askOwn(List<Long> alive, SplittableRandom random) {
      for (int i = 0; i < 4; i++) {
        Long key = alive.get(i == 0 ? alive.size() - 1 : random.nextInt(alive.size()));
        asked.incrementAndGet();
        if (subject.filter().ask(key) == Answer.NOT_HERE) {
          wrong.incrementAndGet();
        }
      }
    }

    private void askOthers(int thread) {
      for (int other = 0; other < THREADS; other++) {
        long last = counters.get(other) - 1;
        if (other != thread && last >= 0) {
          asked.incrementAndGet();
          boolean here = subject.filter().mightContainLong(((long) other << 48) + last);
          // By now the other thread may have deleted it.
          if (!here && counters.get(other) - last < ALIVE / 2) {
            wrong.incrementAndGet();
          }
        }
      }
    }
  }

  private static long wrongAnswers(Subject subject, Table table, int swaps, long seed)
      throws Exception {
    return new Load(subject, table).run(swaps, seed);
  }

  /** A fault that one swap in 40 shows is missed once in 150 runs (e^-5). */
  @Test
  void noKeyIsLostIn200Swaps() throws Exception {
    Table table = new Table();
    assertThat(wrongAnswers(new Rebuilding(table, SETTLE), table, 200, 1)).isZero();
  }

  @Test
  @Tag("slow")
  void noKeyIsLostIn10000Swaps() throws Exception {
    Table table = new Table();
    assertThat(wrongAnswers(new Rebuilding(table, SETTLE), table, 10_000, 2)).isZero();
  }

  @Test
  void control_aSwapByMereAssignmentLosesKeys() throws Exception {
    Table table = new Table();
    assertThat(wrongAnswers(new Naive(table), table, 100, 3)).isPositive();
  }

  @Test
  void control_writingToBothWithoutRecentPutsLosesKeys() throws Exception {
    Table table = new Table();
    assertThat(wrongAnswers(new Rebuilding(table, Duration.ZERO), table, 100, 4)).isPositive();
  }
}
