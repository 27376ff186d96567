package io.woodbird.guard;

import io.woodbird.guard.shared.SharedStore;
import io.woodbird.time.TimeSpan;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** When the generations of a {@link RebuildingFilter} are built. */
final class BuildSchedule<K> {
  /*
   * At the start, some time after each build, sooner after one that failed, when the filter is
   * overfull, when somebody asks.
   *
   * Time is measured by nanoTime only. Builds never overlap: "running" is there until its thread has
   * ended, however long the source hangs. All calls that ask for a build meanwhile share the next one.
   */
  private static final Duration SOON = Duration.ofSeconds(1);

  private final RebuildOptions<K> options;
  private final Scheduler scheduler;
  private final Generations<K> generations;
  private final BuildEvents events;

  private final Object control = new Object();
  private @Nullable Build<K> running; // control
  private @Nullable Request next; // control
  private Scheduler.@Nullable Ticket nextBuild; // control
  private Scheduler.@Nullable Ticket watch; // control
  private long builds; // control
  private boolean closed; // control
  private boolean lastFailed; // control
  private boolean refused; // control: the source gave too few keys when it was last read
  private long owedSince = -1; // control: no build of another process will do, above this number
  private boolean hurried; // control: a lost filter is about to be built
  private long reported; // control: the generation of the last event
  private volatile String doubt = "not built yet";

  /** A build that is asked for while another one runs. */
  private record Request(long atLeast, boolean forced, CompletableFuture<Generation> result) {
    /** Joins this request with another one: the stricter of their two limits holds. */
    Request and(long other, boolean must) {
      long least = Math.min(atLeast, other) < 0 ? -1 : Math.max(atLeast, other);
      return new Request(least, forced || must, result);
    }
  }

  private volatile boolean plausible;

  BuildSchedule(RebuildOptions<K> options) {
    this.options = options;
    this.scheduler = options.scheduler();
    this.events = new BuildEvents(options.name(), options.listener());
    SharedStore<K> shared = options.shared();
    this.generations =
        shared == null
            ? new OwnGenerations<>(options, events)
            : new SharedGenerations<>(options, shared, events, this::lost);
  }

  Generations<K> generations() {
    return generations;
  }

  BuildEvents events() {
    return events;
  }

  /** Why there is no generation that answers. */
  String doubt() {
    return doubt;
  }

  /**
   * Whether the source gave a plausible number of keys when it was last read, or gives the keys of
   * an earlier life.
   */
  boolean isPlausible() {
    return plausible;
  }

  /** The source that is being read for the first time gives the keys of an earlier life. */
  void recognized() {
    synchronized (control) {
      plausible |= !refused;
    }
  }

  /** Marks this moment: a build that began before it may not be believed. */
  long distrust() {
    synchronized (control) {
      owedSince = builds;
      return builds;
    }
  }

  /** If the keys outgrew their generation: says so, and asks for a larger one. */
  void checkOverfull() {
    Generations.Passed passed = generations.takeOverfull();
    if (passed == null) {
      return;
    }
    events.overfull(passed);
    CompletableFuture<Generation> unused = rebuild(-1, true);
  }

  /**
   * Builds a generation as soon as possible.
   *
   * @param atLeast how many keys the source must give; negative for the usual floor
   * @param asked whether somebody asked for it, or it is only time
   */
  CompletableFuture<Generation> rebuild(long atLeast, boolean asked) {
    Request request;
    Throwable failure = null;
    synchronized (control) {
      // The first call only starts the filter: what another process has built will do.
      boolean forced = atLeast >= 0 || (asked && builds > 0);
      if (closed) {
        return CompletableFuture.failedFuture(new IllegalStateException("the filter is closed"));
      }
      request = new Request(atLeast, forced, new CompletableFuture<>());
      if (running == null) {
        failure = begin(request);
      } else {
        request = next == null ? request : next.and(atLeast, forced);
        next = request;
      }
    }
    if (failure != null) {
      request.result.completeExceptionally(failure);
    }
    return request.result.copy();
  }

  /**
   * Starts a build; needs the lock "control", and that none is running.
   *
   * @return why it could not start, to be told to the waiting callers, without the lock
   */
  private @Nullable Throwable begin(Request request) {
    if (nextBuild != null) {
      nextBuild.cancel();
      nextBuild = null;
    }
    builds++;
    boolean forced = request.forced || owedSince >= 0;
    Build<K> build;
    try {
      build = new Build<>(this, options, builds, request.atLeast, forced, request.result);
      scheduler.start("woodbird-build-" + options.name(), build);
    } catch (RuntimeException | OutOfMemoryError e) { // No more threads or memory, for now.
      nextBuild = later(options.retry(), this::rebuildOnTime);
      return e;
    }
    running = build;
    watch(build, -1);
    return null;
  }

  /** Runs a task later; null if there is no thread for the timer, which is reported. */
  private Scheduler.@Nullable Ticket later(Duration delay, Runnable task) {
    try {
      return scheduler.after(delay.toNanos(), task);
    } catch (RuntimeException | OutOfMemoryError e) {
      Uncaught.report(e);
      return null;
    }
  }

  /** Nobody else would try again if there is no memory for the request. */
  private void rebuildOnTime() {
    try {
      CompletableFuture<Generation> unused = rebuild(-1, false);
    } catch (OutOfMemoryError e) {
      synchronized (control) {
        nextBuild = later(options.retry(), this::rebuildOnTime);
      }
      throw e;
    }
  }

  /** Looks again after a while whether the source still gives keys; needs the lock "control". */
  private void watch(Build<K> build, long before) {
    watch =
        later(
            options.patience(),
            () -> {
              synchronized (control) {
                if (running != build || closed) {
                  return;
                }
                if (build.progress() != before) {
                  watch(build, build.progress());
                  return;
                }
              }
              String reason = "the source gave no key for " + options.patience();
              build.abandon(reason);
              events.stalled(build.number(), reason);
            });
  }

  /** A shared filter can't answer: builds soon, unless that has just failed. */
  private void lost() {
    synchronized (control) {
      if (closed || running != null || lastFailed || builds == 0 || hurried) {
        return;
      }
      Scheduler.Ticket soon = later(SOON, this::rebuildOnTime);
      if (soon == null) {
        return; // The next question that gets no answer tries again.
      }
      hurried = true;
      if (nextBuild != null) {
        nextBuild.cancel();
      }
      nextBuild = soon;
    }
    FlightRecord.doubt(options.name(), "the shared filter can't answer, and is rebuilt");
  }

  /** Takes note that a build has ended. Its waiting callers are told, whatever happens. */
  void finished(Build<K> build, @Nullable Generation built, @Nullable Throwable failure) {
    Unstarted unstarted = null;
    boolean silent;
    try {
      Duration pause = options.untilNext(); // The application's own code: not under the lock.
      synchronized (control) {
        // A shared generation may have been there before; that is no news.
        boolean known = built != null && !lastFailed && built.number() == reported;
        silent = closed || known;
        reported = built == null ? reported : built.number();
        lastFailed = failure != null;
        if (built != null || failure instanceof Build.RefusedException) {
          plausible = built != null;
          refused = built == null;
        }
        noteOwed(build, failure != null);
        hurried = false;
        running = null;
        if (watch != null) {
          watch.cancel();
          watch = null;
        }
        if (!closed) {
          unstarted = follow(pause, failure != null); // First: the text may find no memory.
          doubt = "not built yet" + (failure == null ? "" : ": " + BuildEvents.reason(failure));
        }
      }
      if (!silent) {
        if (built != null) {
          events.built(built);
        } else if (failure != null) {
          events.failed(build.number(), failure, generations.generation().orElse(null));
        }
        checkOverfull();
      }
    } finally {
      if (built != null) {
        build.result().complete(built);
      } else {
        build.result().completeExceptionally(Objects.requireNonNull(failure));
      }
      if (unstarted != null) {
        unstarted.request.result.completeExceptionally(unstarted.failure);
      }
    }
  }

  /** Whether the next build must be this process's own; needs the lock "control". */
  private void noteOwed(Build<K> build, boolean failed) {
    if (!failed && build.number() > owedSince) {
      owedSince = -1;
    } else if (failed && build.forced()) {
      owedSince = Math.max(owedSince, build.number());
    }
  }

  /** A build that could not start, and why. */
  private record Unstarted(Request request, Throwable failure) {}

  /** Begins or schedules the build after this one; needs the lock "control". */
  private @Nullable Unstarted follow(@Nullable Duration pause, boolean failed) {
    Request request = next;
    if (request != null) {
      next = null;
      Throwable failure = begin(request);
      return failure == null ? null : new Unstarted(request, failure);
    }
    // After a failure a build may be overdue; then it must not follow at once.
    Duration delay =
        pause == null || failed ? pause : TimeSpan.bounded(generations.untilNext(pause));
    if (failed && (delay == null || delay.compareTo(options.retry()) > 0)) {
      delay = options.retry();
    }
    if (delay != null) {
      nextBuild = later(delay, this::rebuildOnTime);
    }
    return null;
  }

  void close() {
    Build<K> stopped;
    Request waiting;
    synchronized (control) {
      if (closed) {
        return;
      }
      closed = true;
      doubt = "closed";
      stopped = running;
      waiting = next;
      next = null;
      scheduler.close();
    }
    if (stopped != null) {
      stopped.abandon("the filter was closed");
    }
    if (waiting != null) {
      waiting.result.completeExceptionally(new IllegalStateException("the filter is closed"));
    }
    generations.close();
  }
}
