package io.woodbird.guard;

import io.woodbird.Answer;
import io.woodbird.Filter;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;

/** What tests of following filters share: a table that others write, and followers of it. */
abstract class FollowingTests {
  static final Duration LONG = Duration.ofMinutes(5);

  private static final long ROOM = 10_000;

  final MutableFilter<Long> filter = Woodbird.bloom(Keys.longs(), ROOM).fpp(0.001).seed(7).build();
  final Table table = new Table(filter);
  final List<FollowingFilter<?>> started = new ArrayList<>();

  @AfterEach
  void closeAll() {
    table.hang.countDown();
    started.forEach(FollowingFilter::close);
  }

  /** Rows in the order of their commits, and a follower that reads what is new. */
  static final class Table implements Follower<Long> {
    private MutableFilter<Long> into;
    final List<Long> rows = new ArrayList<>();
    private int read;
    final AtomicLong catchUps = new AtomicLong();
    final AtomicBoolean broken = new AtomicBoolean();
    final AtomicBoolean hangs = new AtomicBoolean();
    final CountDownLatch hang = new CountDownLatch(1);
    final CountDownLatch hanging = new CountDownLatch(1);
    final AtomicReference<Runnable> afterSnapshot = new AtomicReference<>(() -> {});

    Table(MutableFilter<Long> into) {
      this.into = into;
    }

    @Override
    public void begin(MutableFilter<Long> filter) {
      into = filter;
    }

    synchronized void commit(long key) {
      rows.add(key);
    }

    private synchronized List<Long> snapshot() {
      return List.copyOf(rows.subList(read, rows.size()));
    }

    @Override
    public boolean readsChanges() {
      return true;
    }

    @Override
    public Proof<Long> confirm(List<Long> asked) throws Exception {
      catchUps.incrementAndGet();
      if (broken.get()) {
        throw new IllegalStateException("the server does not answer");
      }
      if (hangs.get()) {
        hanging.countDown();
        hang.await();
      }
      List<Long> fresh = snapshot();
      afterSnapshot.getAndSet(() -> {}).run(); // Rows that are committed now are not in it.
      fresh.forEach(into::put);
      read += fresh.size();
      return Proof.complete();
    }
  }

  /** Rows, and a follower that looks up what it is asked about. */
  static final class Rows implements Follower<Long> {
    final Set<Long> rows = ConcurrentHashMap.newKeySet();
    final LongAdder calls = new LongAdder();

    @Override
    public Proof<Long> confirm(List<Long> asked) {
      calls.increment();
      Set<Long> absent = new HashSet<>(asked);
      absent.removeAll(rows);
      Set<Long> present = new HashSet<>(asked);
      present.retainAll(rows);
      return new Proof<>() {
        @Override
        public boolean isAbsent(Long key) {
          return absent.contains(key);
        }

        @Override
        public boolean isPresent(Long key) {
          return present.contains(key);
        }
      };
    }
  }

  FollowingFilter<Long> start(FollowingFilterBuilder<Long> builder) {
    FollowingFilter<Long> following = builder.start();
    started.add(following);
    return following;
  }

  FollowingFilterBuilder<Long> builder() {
    return FollowingFilter.over(filter, table).patience(LONG);
  }

  static void until(FollowingFilter<Long> following, Answer expected, long key) {
    while (following.ask(key) != expected) {
      Thread.onSpinWait();
    }
  }

  /** Commits rows in some threads, asks for each at once, and counts those that are denied. */
  long denied(Filter<Long> asked, int threads, int rowsEach) throws InterruptedException {
    LongAdder denied = new LongAdder();
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      long first = 1_000_000L * (i + 1);
      all.add(
          new Thread(
              () -> {
                for (long key = first; key < first + rowsEach; key++) {
                  table.commit(key);
                  denied.add(asked.ask(key) == Answer.NOT_HERE ? 1 : 0);
                }
              }));
    }
    all.forEach(Thread::start);
    for (Thread thread : all) {
      thread.join();
    }
    return denied.sum();
  }

  /** A key that is "maybe here" and was never put. Fills the filter for it. */
  long falsePositive() {
    for (long key = 0; key < ROOM; key++) {
      filter.putLong(key);
    }
    return LongStream.iterate(1L << 40, key -> key + 1)
        .filter(filter::mightContainLong)
        .findFirst()
        .getAsLong();
  }

  FollowingFilter<Long> startOver(Follower<Long> follower) {
    FollowingFilter<Long> following = start(FollowingFilter.over(filter, follower).patience(LONG));
    until(following, Answer.NOT_HERE, -1);
    return following;
  }
}
