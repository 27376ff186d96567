package io.woodbird.guard;

import io.woodbird.Answer;
import io.woodbird.Filter;
import io.woodbird.MutableFilter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What decides whether a look-up may reach the loader, and counts what came of it: a {@link Guard}
 * without its loader, for loaders that are intercepted, asynchronous, or of another form.
 *
 * <pre>{@code
 * Gate<Long>.Pass pass = gate.enter(key);
 * if (pass.stopped()) {
 *   return nothing;
 * }
 * // Look it up, then say exactly one of pass.found(), pass.missed(), pass.failed().
 * }</pre>
 *
 * @param <K> the type of the keys
 */
public final class Gate<K> {
  private static final String CAN_NOT_TELL = "the filter can't tell";
  private static final String DISTRUSTED = "an audit found a wrong answer";

  private final Filter<K> filter;
  private final int loads;
  private final Semaphore bulkhead;
  private final double auditShare;
  private final Consumer<? super K> onWrong;
  private final DoubleSupplier draw;

  private final LongAdder stopped = new LongAdder();
  private final LongAdder maybe = new LongAdder();
  private final LongAdder rejected = new LongAdder();
  private final LongAdder found = new LongAdder();
  private final LongAdder falsePositives = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder audited = new LongAdder();
  private final LongAdder wrong = new LongAdder();
  private final ConcurrentMap<String, LongAdder> unknown = new ConcurrentHashMap<>();

  private final Pass stop = new Pass(Kind.STOPPED, null);
  private volatile boolean distrusted;

  Gate(
      Filter<K> filter,
      int loads,
      double auditShare,
      Consumer<? super K> onWrong,
      DoubleSupplier draw) {
    this.filter = filter;
    this.loads = loads;
    this.bulkhead = new Semaphore(loads);
    this.auditShare = auditShare;
    this.onWrong = onWrong;
    this.draw = draw;
  }

  private enum Kind {
    STOPPED,
    MAYBE,
    UNKNOWN,
    AUDIT
  }

  /**
   * Asks whether a key may be looked up.
   *
   * @param key the key
   * @return a pass that says whether it is stopped; if it is not, the look-up must end the pass
   * @throws GuardOverloadedException if the filter can't tell and the bulkhead is full
   */
  public Pass enter(K key) {
    Objects.requireNonNull(key, "key");
    Answer answer;
    try {
      answer = filter.ask(key);
    } catch (RuntimeException e) {
      return unknown(e.getClass().getSimpleName());
    }
    if (answer == Answer.MAYBE_HERE) {
      maybe.increment();
      return new Pass(Kind.MAYBE, null);
    }
    if (answer != Answer.NOT_HERE) {
      return unknown(CAN_NOT_TELL);
    }
    if (distrusted) {
      return unknown(DISTRUSTED);
    }
    if (auditShare > 0 && draw.getAsDouble() < auditShare && bulkhead.tryAcquire()) {
      audited.increment();
      return new Pass(Kind.AUDIT, key);
    }
    stopped.increment();
    return stop;
  }

  private Pass unknown(String reason) {
    LongAdder count = unknown.get(reason);
    if (count == null) {
      count = unknown.computeIfAbsent(reason, name -> new LongAdder());
    }
    count.increment();
    if (!bulkhead.tryAcquire()) {
      rejected.increment();
      throw new GuardOverloadedException(
          "the filter gives no answer ("
              + reason
              + "), and "
              + loads
              + " look-ups are already running, as many as the bulkhead allows; try again later");
    }
    return new Pass(Kind.UNKNOWN, null);
  }

  /** A decision about one key. */
  public final class Pass {
    private final Kind kind;
    private final @Nullable K key;
    private final AtomicBoolean ended = new AtomicBoolean();

    private Pass(Kind kind, @Nullable K key) {
      this.kind = kind;
      this.key = key;
    }

    /**
     * Whether the key is not here, so that there is nothing to look up.
     *
     * @return true if so
     */
    public boolean stopped() {
      return kind == Kind.STOPPED;
    }

    /** Says that the look-up found something. */
    public void found() {
      if (end()) {
        found.increment();
        if (key != null) {
          check(key);
        }
      }
    }

    /** Says that the look-up found nothing. */
    public void missed() {
      if (end() && kind == Kind.MAYBE) {
        falsePositives.increment();
      }
    }

    /**
     * Says that the look-up failed, so that nothing is known. Without effect after found or missed.
     */
    public void failed() {
      if (end()) {
        failed.increment();
      }
    }

    /** Gives the place in the bulkhead free, once. */
    private boolean end() {
      if (stopped() || !ended.compareAndSet(false, true)) {
        return false;
      }
      if (kind != Kind.MAYBE) {
        bulkhead.release();
      }
      return true;
    }
  }

  /**
   * An audit found a key that the filter had denied. If it still denies it, a real key would have
   * been stopped: heal what can be healed, and believe no more. If it does not, the key was put
   * between the question and the look-up.
   */
  private void check(K key) {
    try {
      if (filter.ask(key) != Answer.NOT_HERE) {
        return;
      }
      wrong.increment();
      distrusted = true;
      if (filter instanceof MutableFilter<K> mutable) {
        mutable.put(key);
      }
      onWrong.accept(key);
    } catch (RuntimeException e) {
      Uncaught.report(e); // The value is here and must reach the caller.
    }
  }

  /**
   * Takes every "not here" for "can't tell" from now on. Happens by itself when an audit finds a
   * wrong answer.
   */
  public void distrust() {
    distrusted = true;
  }

  /** Believes the filter again, for example because it was built anew. */
  public void trust() {
    distrusted = false;
  }

  /**
   * The filter that is asked.
   *
   * @return the filter
   */
  public Filter<K> filter() {
    return filter;
  }

  /**
   * What has passed, and what has not. Asks the filter for its own {@link Filter#stats}, which may
   * take milliseconds.
   *
   * @return a snapshot
   */
  public GuardStats stats() {
    return counts(doubts());
  }

  /**
   * The same without asking the filter, in nanoseconds: {@link GuardStats#doubts} is empty.
   *
   * @return a snapshot
   */
  public GuardStats counts() {
    return counts(List.of());
  }

  private GuardStats counts(List<String> doubts) {
    Map<String, Long> reasons = new TreeMap<>();
    long unknowns = 0;
    for (Map.Entry<String, LongAdder> reason : unknown.entrySet()) {
      long count = reason.getValue().sum();
      reasons.put(reason.getKey(), count);
      unknowns += count;
    }
    long stops = stopped.sum();
    long maybes = maybe.sum();
    long audits = audited.sum();
    long rejects = rejected.sum();
    return new GuardStats(
        stops + maybes + unknowns + audits,
        stops,
        maybes,
        unknowns,
        Map.copyOf(reasons),
        rejects,
        maybes + unknowns + audits - rejects,
        found.sum(),
        falsePositives.sum(),
        failed.sum(),
        audits,
        wrong.sum(),
        doubts);
  }

  private List<String> doubts() {
    try {
      return filter.stats().doubts();
    } catch (RuntimeException e) {
      return List.of("the filter can't be looked at: " + e);
    }
  }
}
