package io.woodbird.micrometer;

import io.woodbird.guard.RebuildEvent;
import io.woodbird.guard.RebuildingFilterBuilder;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Counts the events of a filter that is rebuilt, by their kind. Give it to {@link
 * RebuildingFilterBuilder#onEvent}.
 */
public final class RebuildCounts implements Consumer<RebuildEvent> {
  private final Map<RebuildEvent.Kind, LongAdder> counts;

  /** Begins with all counts at zero. */
  public RebuildCounts() {
    Map<RebuildEvent.Kind, LongAdder> zeros = new EnumMap<>(RebuildEvent.Kind.class);
    for (RebuildEvent.Kind kind : RebuildEvent.Kind.values()) {
      zeros.put(kind, new LongAdder());
    }
    counts = Collections.unmodifiableMap(zeros);
  }

  @Override
  public void accept(RebuildEvent event) {
    adder(event.kind()).increment();
  }

  /**
   * How many events of a kind there were.
   *
   * @param kind the kind
   * @return the number
   */
  public long count(RebuildEvent.Kind kind) {
    return adder(kind).sum();
  }

  private LongAdder adder(RebuildEvent.Kind kind) {
    return Objects.requireNonNull(counts.get(kind));
  }
}
