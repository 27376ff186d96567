package io.woodbird.guard;

import io.woodbird.Filter;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Function;

/**
 * Builds guards. Made by {@link Guard#over}.
 *
 * @param <K> the type of the keys
 */
public final class GuardBuilder<K> {
  private static final int USUAL_LOADS = 64;

  private final Filter<K> filter;
  private int loads = USUAL_LOADS;
  private double auditShare;
  private Consumer<? super K> onWrong = key -> {};
  private DoubleSupplier draw = () -> ThreadLocalRandom.current().nextDouble();

  GuardBuilder(Filter<K> filter) {
    this.filter = Objects.requireNonNull(filter, "filter");
  }

  /**
   * Caps the look-ups that run at the same time while the filter can't tell. 64 if nothing is said.
   *
   * @param concurrentLoads positive
   * @return this
   */
  public GuardBuilder<K> bulkhead(int concurrentLoads) {
    if (concurrentLoads <= 0) {
      throw new IllegalArgumentException("bulkhead must be positive: " + concurrentLoads);
    }
    loads = concurrentLoads;
    return this;
  }

  /**
   * Lets a share of the "not here" through to the loader, to see that none of them is wrong. They
   * count against the bulkhead; while it is full nothing is audited. If one is wrong, its value is
   * returned as if nothing had happened, and the guard {@linkplain Admission#distrust distrusts}
   * the filter until it is rebuilt. 0 if nothing is said.
   *
   * @param share from 0 (none) to 1 (all)
   * @return this
   */
  public GuardBuilder<K> audit(double share) {
    if (!(share >= 0 && share <= 1)) { // Also refuses NaN.
      throw new IllegalArgumentException("audit must be from 0 to 1: " + share);
    }
    auditShare = share;
    return this;
  }

  /**
   * Asks to be told of each key that an audit found although the filter had said "not here". The
   * call comes from the thread that asked.
   *
   * @param listener gets the key
   * @return this
   */
  public GuardBuilder<K> onWrong(Consumer<? super K> listener) {
    onWrong = Objects.requireNonNull(listener, "listener");
    return this;
  }

  /** Where the audit takes its numbers from, each from 0 to below 1. */
  GuardBuilder<K> draw(DoubleSupplier numbers) {
    draw = numbers;
    return this;
  }

  /**
   * Makes a guard.
   *
   * @param <V> the type of what is loaded
   * @param loader looks a key up, for example in a database
   * @return the guard
   */
  public <V> Guard<K, V> loader(Function<? super K, Optional<V>> loader) {
    return new Guard<>(admission(), loader);
  }

  /** {@return the part of a guard that decides and counts, for loaders of another form} */
  public Admission<K> admission() {
    return new Admission<>(filter, loads, auditShare, onWrong, draw);
  }
}
