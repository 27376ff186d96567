package io.woodbird.guard;

import io.woodbird.Filter;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * A loader behind a filter: a key that does not exist never reaches it.
 *
 * <pre>{@code
 * Guard<Long, Product> products = Guard.of(ids, repository::findById);
 * Optional<Product> product = products.get(42L);
 * }</pre>
 *
 * <p>"Not here" gives an empty result at once. "Maybe here" calls the loader; if it finds nothing,
 * that was a false positive, and is counted. When the filter can't tell (not built yet, its store
 * is away, it throws) the loader is called too, but only by a limited number of threads at a time:
 * a lost filter must not become a lost database. The rest get a {@link GuardOverloadedException}.
 *
 * <p>No method waits, and no lock is taken, unless the filter is a {@link FollowingFilter}: then a
 * key that would be denied waits for its proof.
 *
 * @param <K> the type of the keys
 * @param <V> the type of what is loaded
 */
public final class Guard<K, V> {
  private final Admission<K> admission;
  private final Function<? super K, Optional<V>> loader;

  Guard(Admission<K> admission, Function<? super K, Optional<V>> loader) {
    this.admission = admission;
    this.loader = Objects.requireNonNull(loader, "loader");
  }

  /**
   * Puts a filter in front of a loader.
   *
   * @param <K> the type of the keys
   * @param <V> the type of what is loaded
   * @param filter holds at least every key that the loader would find
   * @param loader looks a key up, for example in a database
   * @return the guard
   */
  public static <K, V> Guard<K, V> of(Filter<K> filter, Function<? super K, Optional<V>> loader) {
    return over(filter).loader(loader);
  }

  /**
   * Begins a guard with other than the usual bulkhead, or with an audit.
   *
   * @param <K> the type of the keys
   * @param filter holds at least every key that the loader would find
   * @return a builder
   */
  public static <K> GuardBuilder<K> over(Filter<K> filter) {
    return new GuardBuilder<>(filter);
  }

  /**
   * Looks a key up, if it may be here.
   *
   * @param key the key
   * @return what the loader found; empty if the key is not here
   * @throws GuardOverloadedException if the filter can't tell and the bulkhead is full
   */
  public Optional<V> get(K key) {
    Admission<K>.Decision decision = admission.enter(key);
    if (decision.stopped()) {
      return Optional.empty();
    }
    try {
      Optional<V> value =
          Objects.requireNonNull(loader.apply(key), "the loader must not return null");
      if (value.isPresent()) {
        decision.found();
      } else {
        decision.missed();
      }
      return value;
    } finally {
      decision.failed(); // Has no effect on a decision that has ended.
    }
  }

  /** {@return the admission that decides and counts} */
  public Admission<K> admission() {
    return admission;
  }

  /** {@return what the guard has seen} */
  public GuardStats stats() {
    return admission.stats();
  }
}
