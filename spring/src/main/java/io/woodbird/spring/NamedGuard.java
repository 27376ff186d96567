package io.woodbird.spring;

import io.woodbird.MutableFilter;
import io.woodbird.guard.Admission;
import io.woodbird.guard.Generation;
import io.woodbird.guard.Guard;
import io.woodbird.guard.GuardStats;
import io.woodbird.guard.RebuildEvent;
import io.woodbird.guard.RebuildingFilter;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** A guard that is declared in the configuration: its filter, its admission, and its log lines. */
public final class NamedGuard {
  private static final Log log = LogFactory.getLog(NamedGuard.class);

  private final String name;
  private final KeyType type;
  private final GuardFilter made;
  private final MutableFilter<Object> filter;
  private final Admission<Object> admission;
  private final Map<RebuildEvent.Kind, LongAdder> events = new EnumMap<>(RebuildEvent.Kind.class);
  private volatile @Nullable String lastFailure;
  private volatile boolean closed;

  NamedGuard(
      String name,
      KeyType type,
      Function<Consumer<RebuildEvent>, GuardFilter> maker,
      int bulkhead,
      double audit) {
    this.name = name;
    this.type = type;
    for (RebuildEvent.Kind kind : RebuildEvent.Kind.values()) {
      events.put(kind, new LongAdder());
    }
    this.made = maker.apply(this::onEvent);
    this.filter = made.filter();
    this.admission =
        Guard.over(filter).bulkhead(bulkhead).audit(audit).onWrong(this::onWrong).admission();
  }

  private void onEvent(RebuildEvent event) {
    count(event.kind()).increment();
    String line = "woodbird: guard '" + name + "' " + event.kind() + ": " + event.message();
    switch (event.kind()) {
      case BUILT -> {
        lastFailure = null;
        if (!(filter instanceof RebuildingFilter)) {
          admission.trust(); // Of another it is known which build began after an audit failed.
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
    lastFailure =
        "an audit found a real key that was \"not here\"; does every writer put its keys?";
    log.error("woodbird: guard '" + name + "': " + lastFailure);
    CompletableFuture<Generation> unused = rebuild();
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
   * Puts a key. Do so before the row is committed: then it is never "not here" although it is.
   *
   * @param key a key of the guard's type, or a collection of them
   * @throws IllegalArgumentException if it is of another type
   */
  public void put(Object key) {
    if (key instanceof Collection<?> many) {
      List<Object> converted = many.stream().map(this::convert).toList();
      if (!closed) {
        filter.putAll(converted);
      }
      return;
    }
    Object converted = convert(key);
    if (!closed) { // From then on every answer is "can't tell", so that no key is missed.
      filter.put(converted);
    }
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
   * Asks about a key. Counts as no request.
   *
   * @param key a key of the guard's type
   * @return false if it is certainly not here
   */
  public boolean mightContain(Object key) {
    return filter.mightContain(convert(key));
  }

  /** Asks about a key as a person writes it. */
  String check(String text) {
    return filter.ask(type.parse(text)).toString();
  }

  /** Asks on behalf of a method; a key that is none is let through. */
  Admission<Object>.Decision ask(@Nullable Object key) {
    Object converted = type.convert(key);
    if (converted != null) {
      return admission.ask(converted);
    }
    return admission.unknown(
        key == null ? "no key" : "key of type " + key.getClass().getSimpleName());
  }

  /** Lets a call through whose key could not be computed. */
  Admission<Object>.Decision unknown(String reason) {
    return admission.unknown(reason);
  }

  /**
   * Builds the filter anew, as soon as possible, in another thread.
   *
   * @return completes when it answers, or exceptionally if the build failed
   */
  public CompletableFuture<Generation> rebuild() {
    return made.rebuild(OptionalLong.empty());
  }

  /**
   * Builds the filter anew, although the source gives far fewer keys than before.
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
    String failure = lastFailure;
    List<String> doubts = made.doubts();
    return failure != null || doubts.isEmpty() ? failure : String.join("; ", doubts);
  }

  MutableFilter<Object> filter() {
    return filter;
  }

  /** How often something happened to the filter. */
  LongAdder count(RebuildEvent.Kind kind) {
    return events.getOrDefault(kind, new LongAdder());
  }

  void close() {
    closed = true;
    made.close();
  }
}
