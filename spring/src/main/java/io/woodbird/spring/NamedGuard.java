package io.woodbird.spring;

import io.woodbird.MutableFilter;
import io.woodbird.guard.Admission;
import io.woodbird.guard.Follower;
import io.woodbird.guard.FollowingFilter;
import io.woodbird.guard.FollowingFilterBuilder;
import io.woodbird.guard.Generation;
import io.woodbird.guard.Guard;
import io.woodbird.guard.GuardStats;
import io.woodbird.guard.RebuildEvent;
import io.woodbird.guard.RebuildingFilter;
import io.woodbird.micrometer.RebuildCounts;
import io.woodbird.spring.WoodbirdProperties.GuardProperties;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** A guard that is declared in the configuration: its filter, its admission, and its log lines. */
public final class NamedGuard {
  private static final Log log = LogFactory.getLog(NamedGuard.class);
  private static final double USUAL_AUDIT = 0.001;

  /** The stores whose filters belong to this process alone. */
  private static final Set<String> OWN_STORES = Set.of("memory", "file");

  private final String name;
  private final KeyType type;
  private final GuardFilter made;
  private final @Nullable FollowingFilter<Object> following;
  private final MutableFilter<Object> filter;
  private final Admission<Object> admission;

  /** Whether other processes deny what is not put here: they share the filter, and don't follow. */
  private final boolean othersNeedPuts;

  private final RebuildCounts events = new RebuildCounts();
  private volatile @Nullable String lastFailure;

  /** Why proofs are no longer believed: one was wrong. A build does not change that. */
  private volatile @Nullable String disproved;

  private volatile boolean closed;
  private volatile boolean disabled;
  private final AtomicBoolean warned = new AtomicBoolean();

  NamedGuard(
      String name,
      GuardProperties properties,
      Function<Consumer<RebuildEvent>, GuardFilter> maker,
      @Nullable Follower<Object> follower,
      @Nullable Follower<Object> lookUp) {
    this.name = name;
    this.type = properties.key();
    this.made = maker.apply(this::onEvent);
    this.following = follower == null ? null : follow(follower, lookUp, properties);
    this.filter = following == null ? made.filter() : following;
    this.othersNeedPuts = following == null && !OWN_STORES.contains(properties.store());
    this.admission =
        Guard.over(filter)
            .bulkhead(properties.bulkhead())
            .audit(audit(properties.audit()))
            .onWrong(this::onWrong)
            .admission();
  }

  private double audit(@Nullable Double configured) {
    if (configured != null) {
      return configured;
    }
    return following == null ? USUAL_AUDIT : 0;
  }

  /** Begins the first build, and to follow the source. */
  void start() {
    if (disabled) {
      return;
    }
    if (following == null) {
      log.warn(
          "woodbird: guard '"
              + name
              + "' does not follow its source: a row that is written without @GuardedPut is denied"
              + " until the next build");
    } else {
      following.start();
    }
    CompletableFuture<Generation> unused = rebuild();
  }

  /** Lets everything pass, for good. Keys are still put if other processes need them. */
  void disable() {
    disabled = true;
    if (!othersNeedPuts) {
      close();
    }
  }

  boolean isDisabled() {
    return disabled;
  }

  private FollowingFilter<Object> follow(
      Follower<Object> follower, @Nullable Follower<Object> lookUp, GuardProperties properties) {
    FollowingFilterBuilder<Object> builder =
        FollowingFilter.over(made.filter(), follower)
            .freshness(properties.freshness())
            .patience(properties.longestWait())
            .name(name)
            .onDoubt(this::onDoubt);
    return (lookUp == null ? builder : builder.lookUpMisses(lookUp)).build();
  }

  private void onDoubt(Optional<String> doubt) {
    if (doubt.isPresent()) {
      log.warn("woodbird: guard '" + name + "' denies nothing now: " + doubt.get());
    } else {
      log.info("woodbird: guard '" + name + "' guards again");
    }
  }

  private void onEvent(RebuildEvent event) {
    events.accept(event);
    String line = "woodbird: guard '" + name + "' " + event.kind() + ": " + event.message();
    switch (event.kind()) {
      case BUILT -> {
        lastFailure = null;
        if (following == null && !(made.filter() instanceof RebuildingFilter)) {
          admission.trust(); // A RebuildingFilter knows which builds began after an audit failed.
        }
        log.info(line);
      }
      case FAILED, REFUSED, STALLED -> {
        lastFailure = event.message();
        log.warn(line, event.cause());
      }
      case OVERFULL, ROLLED_BACK -> log.warn(line);
      case STARTED -> log.debug(line);
    }
  }

  /** The key itself is not logged: it may be somebody's name. */
  private void onWrong(Object key) {
    String what = "an audit found a real key that was \"not here\"; ";
    if (following == null) {
      lastFailure = what + "does every writer put its keys?";
      CompletableFuture<Generation> unused = rebuild();
    } else {
      disproved = what + "does the guard's query give every key that its methods find?";
    }
    log.error("woodbird: guard '" + name + "': " + (following == null ? lastFailure : disproved));
  }

  /**
   * The name in the configuration.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * Puts a key. If the guard does not follow its source, put a key before its row is committed;
   * otherwise the row may be denied. If the guard follows, the put only saves a look-up.
   *
   * @param key a key of the guard's type, or a collection of them
   * @throws IllegalArgumentException if it is of another type
   */
  public void put(Object key) {
    List<Object> converted = convertAll(key);
    if (isNeedless(converted)) {
      return;
    }
    try {
      filter.putAll(converted);
    } catch (RuntimeException e) {
      if (following == null) {
        throw e;
      }
      warnNotPut(e);
    }
  }

  /**
   * The same, without blocking.
   *
   * @return completes with how many keys were certainly new, or exceptionally where {@link #put}
   *     throws
   */
  CompletableFuture<Long> putAsync(Object key) {
    List<Object> converted = convertAll(key);
    if (isNeedless(converted)) {
      return CompletableFuture.completedFuture(0L);
    }
    if (following == null) {
      return made.filter() instanceof RebuildingFilter<Object> rebuilding
          ? rebuilding.putAllAsync(converted)
          : CompletableFuture.completedFuture(filter.putAll(converted));
    }
    try {
      return following.putAllAsync(converted).exceptionally(this::warnNotPut);
    } catch (RuntimeException e) {
      return CompletableFuture.completedFuture(warnNotPut(e));
    }
  }

  /** A closed guard denies nothing, so no key is missed, unless others share its filter. */
  private boolean isNeedless(List<Object> keys) {
    return keys.isEmpty() || (closed && !othersNeedPuts);
  }

  private long warnNotPut(Throwable e) {
    log.warn("woodbird: guard '" + name + "': a new key was not put, and will be looked up", e);
    return 0;
  }

  /**
   * The keys of a row that a method makes. A guard that follows its source does not need them, so
   * it must not fail the method.
   *
   * @param expression gives what {@link #put} takes
   * @return the keys; none if there are no right ones and the guard follows its source
   */
  List<Object> keysOf(Supplier<Object> expression) {
    try {
      return convertAll(expression.get());
    } catch (RuntimeException e) {
      if (following == null) {
        throw e;
      }
      warnNotPut(e);
      return List.of();
    }
  }

  private List<Object> convertAll(Object key) {
    return key instanceof Collection<?> many
        ? many.stream().map(this::convert).toList()
        : List.of(convert(key));
  }

  private Object convert(@Nullable Object key) {
    Object converted = type.convert(key);
    if (converted == null) {
      throw new IllegalArgumentException(
          "guard '"
              + name
              + "' has keys of type "
              + type
              + ", and this is "
              + (key == null ? "null" : "a " + key.getClass().getName()));
    }
    return converted;
  }

  /**
   * Asks about a key. Counts as no request. In a transaction that may see other rows than the guard
   * does, such as those that it has written itself, nothing is denied.
   *
   * @param key a key of the guard's type
   * @return false if it is certainly not here
   */
  public boolean mightContain(Object key) {
    Object converted = convert(key);
    return disabled || Transactions.seesOtherRows() || filter.mightContain(converted);
  }

  /** Asks about a key as a person writes it. */
  String check(String text) {
    return filter.ask(type.parse(text)).toString();
  }

  /** Asks on behalf of a method. What is no key of the guard's type is let through. */
  Admission<Object>.Decision ask(@Nullable Object key) {
    Object converted = type.convert(key);
    if (converted == null) {
      return unknown(key);
    }
    return Transactions.seesOtherRows()
        ? admission.askWithoutDenying(converted)
        : admission.ask(converted);
  }

  /** The same, without blocking, for a caller that may see rows of its own or not. */
  CompletableFuture<Admission<Object>.Decision> askAsync(
      @Nullable Object key, boolean seesOtherRows) {
    Object converted = type.convert(key);
    if (converted == null) {
      return CompletableFuture.completedFuture(unknown(key));
    }
    return seesOtherRows
        ? admission.askWithoutDenyingAsync(converted)
        : admission.askAsync(converted);
  }

  private Admission<Object>.Decision unknown(@Nullable Object key) {
    if (key != null && !warned.getAndSet(true)) {
      log.warn(
          "woodbird: guard '"
              + name
              + "' was asked about a "
              + key.getClass().getName()
              + ", and its keys are of type "
              + type
              + ": such calls are not guarded");
    }
    return admission.unknown(
        key == null ? "no key" : "key of type " + key.getClass().getSimpleName());
  }

  /** Lets a call through whose key could not be computed. */
  Admission<Object>.Decision unknown(String reason) {
    return admission.unknown(reason);
  }

  /**
   * Rebuilds the filter, as soon as possible, in another thread.
   *
   * @return completes when it answers, or exceptionally if the build failed
   */
  public CompletableFuture<Generation> rebuild() {
    return made.rebuild(OptionalLong.empty());
  }

  /**
   * Rebuilds the filter, although the source gives far fewer keys than before.
   *
   * @param atLeastKeys the build is refused if there are fewer
   * @return as {@link #rebuild()}
   */
  public CompletableFuture<Generation> rebuild(long atLeastKeys) {
    return made.rebuild(OptionalLong.of(atLeastKeys));
  }

  /**
   * Goes back to the generation before.
   *
   * @return the generation that answers now; empty if there is none before
   */
  public Optional<Generation> rollBack() {
    return made.rollBack();
  }

  /**
   * The generation that answers.
   *
   * @return empty before the first build
   */
  public Optional<Generation> generation() {
    return made.generation();
  }

  /**
   * What the guard has seen.
   *
   * @return a snapshot
   */
  public GuardStats stats() {
    return admission.counts();
  }

  /** Why something is wrong; null if nothing is. */
  @Nullable String lastFailure() {
    if (disabled) {
      return null;
    }
    String failure = lastFailure;
    if (failure != null) {
      return failure;
    }
    if (disproved != null) {
      return disproved;
    }
    List<String> doubts = new ArrayList<>(made.doubts());
    String doubt = following == null ? null : following.doubt();
    if (doubt != null) {
      doubts.add(doubt);
    }
    return doubts.isEmpty() ? null : String.join("; ", doubts);
  }

  /** The filter as one that follows its source; null if it does not. */
  @Nullable FollowingFilter<Object> following() {
    return following;
  }

  MutableFilter<Object> filter() {
    return filter;
  }

  /** How often something happened to the filter. */
  RebuildCounts events() {
    return events;
  }

  Admission<Object> admission() {
    return admission;
  }

  void close() {
    closed = true;
    try {
      if (following != null) {
        following.close();
      }
    } finally {
      made.close();
    }
  }
}
