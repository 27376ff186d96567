package io.woodbird.guard;

import io.woodbird.Answer;
import io.woodbird.Filter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a look-up may reach the loader, and counts the results: a {@link Guard} without
 * its loader, for loaders that are intercepted, asynchronous, or of another form.
 *
 * <pre>{@code
 * Admission<Long>.Decision decision = admission.enter(key);
 * if (decision.stopped()) {
 *   return nothing;
 * }
 * // Look it up, then say exactly one of decision.found(), decision.missed(), decision.failed().
 * }</pre>
 *
 * @param <K> the type of the keys
 */
public final class Admission<K> {
  private static final String CAN_NOT_TELL = "the filter can't tell";
  private static final String DISTRUSTED = "an audit found a wrong answer";
  private static final String MAYBE = "maybe here";
  private static final String AUDIT = "audit";
  private static final String OWN_ROWS = "the caller may see rows of its own";

  // What is distrusted: nothing, a filter that is never rebuilt, or builds up to a number.
  private static final long NOTHING = -1;
  private static final long ALWAYS = Long.MAX_VALUE;

  // The states of a decision.
  private static final int ASKED = 0;
  private static final int ADMITTED = 1;
  private static final int ENDED = 2;
  private static final int SPARED = 3; // An audit for which there was no room.

  private final Filter<K> filter;
  private final Filter<K> own; // The filter itself, below what follows its source.
  private final int loads;
  private final Semaphore bulkhead;
  private final double auditShare;
  private final AuditCheck<K> auditCheck;
  private final DoubleSupplier draw;

  private final GuardCounts counts = new GuardCounts();
  private final Decision stop = new Decision(Kind.STOPPED, "", null);
  private final @Nullable FollowingFilter<K> following;
  private final @Nullable RebuildingFilter<K> rebuilding;
  private final AtomicLong distrusted = new AtomicLong(NOTHING);

  Admission(
      Filter<K> filter,
      int loads,
      double auditShare,
      Consumer<? super K> onWrong,
      DoubleSupplier draw) {
    this.filter = filter;
    this.following = filter instanceof FollowingFilter<K> follows ? follows : null;
    this.own = following == null ? filter : following.followed();
    this.rebuilding = own instanceof RebuildingFilter<K> built ? built : null;
    this.loads = loads;
    this.bulkhead = new Semaphore(loads);
    this.auditShare = auditShare;
    this.auditCheck = new AuditCheck<>(filter, this::wasWrong, onWrong);
    this.draw = draw;
  }

  private enum Kind {
    STOPPED,
    MAYBE,
    UNKNOWN,
    AUDIT,
    /** An audit of a caller that must not be blocked. */
    AUDIT_LATER;

    boolean isAudit() {
      return this == AUDIT || this == AUDIT_LATER;
    }
  }

  /**
   * Asks whether a key may be looked up, and lets the look-up begin: {@link #ask} and {@link
   * Decision#admit} in one step.
   *
   * @param key the key
   * @return a decision that says whether it is stopped; if it is not, the look-up must end the
   *     decision
   * @throws GuardOverloadedException if the filter can't tell and the bulkhead is full
   */
  public Decision enter(K key) {
    Decision decision = ask(key);
    if (decision.stopped()) {
      return decision;
    }
    if (!decision.hasPlace()) {
      decision.refuse();
      return stop;
    }
    decision.state.setPlain(ADMITTED); // No other thread has the decision yet.
    decision.count();
    return decision;
  }

  /**
   * Asks whether a key may be looked up, for callers that may still find it elsewhere, such as in a
   * cache.
   *
   * @param key the key
   * @return a decision that says whether it is stopped; if it is not, a look-up must be {@linkplain
   *     Decision#admit admitted} before it begins
   */
  public Decision ask(K key) {
    Objects.requireNonNull(key, "key");
    long mark = distrusted.get();
    Answer answer;
    try {
      answer =
          following == null || mark == ALWAYS // Nothing is denied then, so that nothing waits.
              ? answerOfFilter(key, mark)
              : following.ask(key, () -> answerOfFilter(key, mark));
    } catch (RuntimeException e) {
      return unknown(e.getClass().getSimpleName());
    }
    return decide(key, answer, mark, Kind.AUDIT);
  }

  /**
   * Asks whether a key may be looked up, without blocking.
   *
   * @param key the key
   * @return completes with a decision as that of {@link #ask}, none of whose methods blocks; what
   *     depends on it may run in a thread of the store's client, and should not block
   */
  public CompletableFuture<Decision> askAsync(K key) {
    Objects.requireNonNull(key, "key");
    long mark = distrusted.get();
    try {
      CompletableFuture<Answer> asked =
          following == null || mark == ALWAYS
              ? answerOfFilterAsync(key, mark)
              : following.askAsync(key, () -> answerOfFilterAsync(key, mark));
      return asked.handle(
          (answer, failure) ->
              failure == null
                  ? decide(key, answer, mark, Kind.AUDIT_LATER)
                  : unknown(failure.getClass().getSimpleName()));
    } catch (RuntimeException e) {
      return CompletableFuture.completedFuture(unknown(e.getClass().getSimpleName()));
    }
  }

  /**
   * Asks on behalf of a caller that may see rows which nobody else sees, such as a transaction that
   * has written some. Nothing is denied, and nothing waits.
   *
   * @param key the key
   * @return a decision that is not stopped
   */
  public Decision askWithoutDenying(K key) {
    Objects.requireNonNull(key, "key");
    long mark = distrusted.get();
    try {
      return decideWithoutDenying(key, answerOfFilter(key, mark), mark);
    } catch (RuntimeException e) {
      return unknown(e.getClass().getSimpleName());
    }
  }

  /**
   * The same without blocking, for a filter that is far away.
   *
   * @param key the key
   * @return completes with a decision that is not stopped
   */
  public CompletableFuture<Decision> askWithoutDenyingAsync(K key) {
    Objects.requireNonNull(key, "key");
    long mark = distrusted.get();
    try {
      return answerOfFilterAsync(key, mark)
          .handle(
              (answer, failure) ->
                  failure == null
                      ? decideWithoutDenying(key, answer, mark)
                      : unknown(failure.getClass().getSimpleName()));
    } catch (RuntimeException e) {
      return CompletableFuture.completedFuture(unknown(e.getClass().getSimpleName()));
    }
  }

  private Decision decideWithoutDenying(K key, Answer answer, long mark) {
    return answer == Answer.MAYBE_HERE ? decide(key, answer, mark, Kind.AUDIT) : unknown(OWN_ROWS);
  }

  /** What the filter says without a proof from its source. */
  private Answer answerOfFilter(K key, long mark) {
    return mark != NOTHING && rebuilding != null ? rebuilding.askAfter(key, mark) : own.ask(key);
  }

  private CompletableFuture<Answer> answerOfFilterAsync(K key, long mark) {
    return rebuilding != null
        ? rebuilding.askAfterAsync(key, mark)
        : CompletableFuture.completedFuture(own.ask(key));
  }

  private Decision decide(K key, Answer answer, long mark, Kind audit) {
    if (answer == Answer.MAYBE_HERE) {
      counts.maybe.increment();
      return following == null
          ? new Decision(Kind.MAYBE, MAYBE, null)
          : new Decision(Kind.MAYBE, MAYBE, key, following.ticket(key));
    }
    if (answer != Answer.NOT_HERE || mark == ALWAYS) {
      return unknown(isDistrusted(mark) ? DISTRUSTED : CAN_NOT_TELL);
    }
    if (auditShare > 0 && draw.getAsDouble() < auditShare) {
      return new Decision(audit, AUDIT, key);
    }
    counts.stopped.increment();
    return stop;
  }

  private boolean isDistrusted(long mark) {
    return mark != NOTHING && (rebuilding == null || !rebuilding.isBuiltAfter(mark));
  }

  /**
   * Takes note of a question that the filter can't be asked, such as one without a key.
   *
   * @param reason why, in a few words; there must be few different ones
   * @return a decision that is not stopped
   */
  public Decision unknown(String reason) {
    counts.unknown(reason);
    return new Decision(Kind.UNKNOWN, reason, null);
  }

  /** A decision about one key. */
  public final class Decision {
    private final Kind kind;
    private final String reason;
    private final @Nullable K key;
    private final long ticket;
    private final AtomicInteger state = new AtomicInteger(ASKED);

    private Decision(Kind kind, String reason, @Nullable K key) {
      this(kind, reason, key, 0);
    }

    private Decision(Kind kind, String reason, @Nullable K key, long ticket) {
      this.kind = kind;
      this.reason = reason;
      this.key = key;
      this.ticket = ticket;
    }

    /** {@return whether the key is not here, so that there is nothing to look up} */
    public boolean stopped() {
      return kind == Kind.STOPPED;
    }

    /**
     * Lets the look-up begin. From then on the decision must be ended, by one of the other methods.
     *
     * @return false if there is nothing to look up after all: the key is not here, and there is no
     *     room for an audit
     * @throws GuardOverloadedException if the filter can't tell and the bulkhead is full
     */
    public boolean admit() {
      if (stopped()) {
        return false;
      }
      if (state.get() == ASKED) {
        if (!hasPlace()) {
          refuse();
        } else if (state.compareAndSet(ASKED, ADMITTED)) {
          count();
        } else {
          leave(); // Another thread was first.
        }
      }
      return state.get() != SPARED;
    }

    private boolean hasPlace() {
      return kind == Kind.MAYBE || bulkhead.tryAcquire();
    }

    private void leave() {
      if (kind != Kind.MAYBE) {
        bulkhead.release();
      }
    }

    private void count() {
      counts.loaded.increment();
      if (kind.isAudit()) {
        counts.audited.increment();
      }
    }

    /** There is no place. An audit is spared; others may try again, and need a place then too. */
    private void refuse() {
      if (kind.isAudit()) {
        if (state.compareAndSet(ASKED, SPARED)) {
          counts.stopped.increment();
        }
        return;
      }
      counts.rejected.increment();
      throw new GuardOverloadedException(
          "the filter gives no answer ("
              + reason
              + "), and "
              + loads
              + " look-ups are already running, as many as the bulkhead allows; try again later");
    }

    /** Says that the look-up found something. */
    public void found() {
      if (end()) {
        counts.found.increment();
        if (kind.isAudit() && key != null) {
          if (kind == Kind.AUDIT) {
            auditCheck.run(key);
          } else {
            auditCheck.runLater(key);
          }
        }
      }
    }

    /** Says that the look-up found nothing. */
    public void missed() {
      if (end()) {
        counts.missed.increment();
        if (kind == Kind.MAYBE) {
          counts.falsePositives.increment();
          if (following != null && key != null) {
            following.missed(key, ticket);
          }
        }
      }
    }

    /** Says that the look-up failed, so that nothing is known. Without effect once it has ended. */
    public void failed() {
      if (end()) {
        counts.failed.increment();
      }
    }

    /** Frees the place in the bulkhead, once. */
    private boolean end() {
      // The plain read comes first: a guard calls this again for a decision that has ended.
      if (state.get() != ADMITTED || !state.compareAndSet(ADMITTED, ENDED)) {
        return false;
      }
      leave();
      return true;
    }
  }

  /** A key that the filter denies was found. */
  private void wasWrong(K key) {
    counts.wrong.increment();
    distrust();
  }

  /**
   * Takes every "not here" for "can't tell" from now on. Happens by itself when an audit finds a
   * wrong answer. If the filter is a {@link RebuildingFilter}, that ends with the first build of
   * this process that began afterwards and succeeded; after a {@linkplain RebuildingFilter#rollBack
   * roll back} to an older one it goes on. Otherwise, and if the filter follows its source, it
   * lasts until {@link #trust}.
   */
  public void distrust() {
    // A new build would not mend a source that proves what is not true.
    long mark = rebuilding == null || following != null ? ALWAYS : rebuilding.distrust();
    distrusted.accumulateAndGet(mark, Math::max);
    FlightRecord.doubt(name(), DISTRUSTED);
  }

  private String name() {
    return rebuilding == null ? "filter" : rebuilding.name();
  }

  /** Believes the filter again, because somebody knows that it is right now. */
  public void trust() {
    if (distrusted.getAndSet(NOTHING) != NOTHING) {
      FlightRecord.doubt(name(), null);
    }
  }

  /** {@return the filter that is asked} */
  public Filter<K> filter() {
    return filter;
  }

  /**
   * {@return what has passed, and what has not} Asks the filter for its own {@link Filter#stats},
   * which may take milliseconds.
   */
  public GuardStats stats() {
    return counts.snapshot(doubts());
  }

  /**
   * {@return the same without asking the filter, in nanoseconds} {@link GuardStats#doubts} is
   * empty.
   */
  public GuardStats counts() {
    return counts.snapshot(List.of());
  }

  private List<String> doubts() {
    try {
      return filter.stats().doubts();
    } catch (RuntimeException e) {
      return List.of("the filter can't be looked at: " + e);
    }
  }
}
