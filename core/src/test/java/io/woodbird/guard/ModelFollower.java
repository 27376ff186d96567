package io.woodbird.guard;

import io.woodbird.MutableFilter;
import io.woodbird.guard.GuardPlan.Defect;
import io.woodbird.guard.ModelDatabase.Row;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Simulated followers of a {@link ModelDatabase}. */
final class ModelFollower {
  private static final long LOOK_NANOS = 5_000_000;
  private static final long REPLICA_LAG_NANOS = 40_000_000;

  private ModelFollower() {}

  /** Looks keys up, as the follower over JDBC does. */
  record LooksUp(ModelDatabase database, Defect defect) implements Follower<Long> {
    @Override
    public Proof<Long> confirm(List<Long> asked) {
      Set<Long> present = new HashSet<>();
      database.travel();
      long lag = defect == Defect.LOOKS_UP_IN_A_REPLICA ? REPLICA_LAG_NANOS : 0;
      asked.stream().filter(key -> database.had(key, lag)).forEach(present::add);
      database.travel();
      Set<Long> all = Set.copyOf(asked);
      return new Proof<>() {
        @Override
        public boolean isAbsent(Long key) {
          return all.contains(key) && !present.contains(key);
        }

        @Override
        public boolean isPresent(Long key) {
          return present.contains(key);
        }
      };
    }
  }

  /** Reads the log, as the follower of PostgreSQL does. */
  static final class Reads implements Follower<Long> {
    private final ModelDatabase database;
    private final VirtualTime time;
    private final int process;
    private final Supplier<CompletableFuture<?>> refill;
    private final Defect defect;
    private @Nullable MutableFilter<Long> filter;
    private @Nullable Stream stream;
    private int lastWanted;
    private boolean closed;

    Reads(
        ModelDatabase database,
        VirtualTime time,
        int process,
        Supplier<CompletableFuture<?>> refill,
        Defect defect) {
      this.database = database;
      this.time = time;
      this.process = process;
      this.refill = refill;
      this.defect = defect;
    }

    /** A connection that reads the log from where it began. */
    private static final class Stream {
      int position;
      boolean hasPosition;
      boolean filled;
      boolean lost;
      final List<Row> waiting = new ArrayList<>();
    }

    @Override
    public boolean readsChanges() {
      return true;
    }

    @Override
    public void begin(MutableFilter<Long> to) {
      filter = to;
      later(0, this::connect);
    }

    private void later(long delay, Runnable action) {
      time.after(delay + time.random().nextLong(4_000_000), process, action);
    }

    /** Loses the connection, and what it would have brought. */
    void lose() {
      Stream now = stream;
      if (now != null) {
        now.lost = true;
      }
      stream = null;
      if (!closed) {
        later(10_000_000, this::connect);
      }
    }

    /** Runs a step of a stream; if the database or the store is away, the stream is lost. */
    private void step(Stream now, Runnable action) {
      if (!closed && !now.lost) {
        try {
          database.check();
          action.run();
        } catch (RuntimeException e) {
          now.lost = true;
          lose();
        }
      }
    }

    private void connect() {
      if (stream != null || closed) {
        return;
      }
      Stream now = new Stream();
      stream = now;
      step(
          now,
          () -> {
            boolean early = defect == Defect.FILLS_BEFORE_THE_POSITION;
            if (early) {
              fill(now);
            }
            later(early ? 20_000_000 : 0, () -> step(now, () -> takePosition(now, !early)));
          });
    }

    private void takePosition(Stream now, boolean fills) {
      now.position = database.logged();
      now.hasPosition = true;
      // Rows that were logged before the position, and that a build might not see yet.
      List<Row> arriving = defect == Defect.FILLS_WITHOUT_WAITING ? List.of() : database.arriving();
      if (fills) {
        later(0, () -> step(now, () -> fillAfter(now, arriving)));
      }
      later(0, () -> step(now, () -> read(now)));
    }

    private void fillAfter(Stream now, List<Row> arriving) {
      if (arriving.stream().anyMatch(row -> row.visible > time.nanos())) {
        later(20_000_000, () -> step(now, () -> fillAfter(now, arriving)));
      } else {
        fill(now);
      }
    }

    private void fill(Stream now) {
      CompletableFuture<?> unused =
          refill
              .get()
              .whenComplete(
                  (done, error) -> {
                    now.filled = error == null;
                    if (error != null && !now.lost) {
                      lose();
                    }
                  });
    }

    /** Reads the log, puts the keys whose rows are visible, and comes again. */
    private void read(Stream now) {
      catchUp(now);
      later(database.untilChange(50_000_000), () -> step(now, () -> read(now)));
    }

    private void catchUp(Stream now) {
      for (int end = database.logged(); now.position < end; now.position++) {
        now.waiting.add(database.logged(now.position));
      }
      List<Row> arrived = now.waiting.stream().filter(row -> row.visible <= time.nanos()).toList();
      if (!arrived.isEmpty() && filter != null) {
        filter.putAll(arrived.stream().map(row -> row.key).toList());
        now.waiting.removeAll(arrived);
      }
    }

    @Override
    public Proof<Long> confirm(List<Long> asked) throws InterruptedException {
      Stream now = stream;
      if (now == null || !now.hasPosition) {
        throw new IllegalStateException("the table is not followed");
      }
      database.travel();
      int wanted = defect == Defect.PROVES_THE_LAST_POSITION ? lastWanted : database.logged();
      long moment = time.nanos();
      lastWanted = database.logged();
      database.travel();
      while (isBehind(now, wanted, moment)) {
        if (now.lost || closed) {
          throw new IllegalStateException("the stream is lost");
        }
        if (time.current() == null) {
          catchUp(now); // The stream is quick.
        }
        time.pause(LOOK_NANOS);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
      if (!now.filled && defect != Defect.CONFIRMS_UNFILLED) {
        throw new IllegalStateException("the filter is not filled");
      }
      return Proof.complete();
    }

    /** Whether a row that was visible at some moment is not in the filter yet. */
    private static boolean isBehind(Stream now, int wanted, long moment) {
      return now.position < wanted || now.waiting.stream().anyMatch(row -> row.visible <= moment);
    }

    @Override
    public void close() {
      closed = true;
      lose();
    }
  }
}
