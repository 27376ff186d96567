package io.woodbird.redis;

import io.woodbird.guard.GenerationStore;
import io.woodbird.guard.shared.SharedFilter;
import io.woodbird.guard.shared.SharedStore;
import io.woodbird.time.TimeSpan;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The filter of one name in Redis, for programs that build it from a source. Made by {@link
 * WoodbirdRedis#store}.
 *
 * @param <K> the type of the keys
 */
public final class RedisStore<K> implements SharedStore<K> {
  private final WoodbirdRedis redis;
  private final String name;
  private final Choices choices;

  /** How the filter is opened; null where nothing was said. */
  record Choices(@Nullable Durability durability, @Nullable Duration nearLag) {}

  RedisStore(WoodbirdRedis redis, String name, Choices choices) {
    this.redis = redis;
    this.name = name;
    this.choices = choices;
  }

  /**
   * The same store, with a copy of the filter in this process: see {@link
   * RedisBloomBuilder#near()}.
   *
   * @return the store
   */
  public RedisStore<K> near() {
    return new RedisStore<>(redis, name, new Choices(choices.durability(), Duration.ZERO));
  }

  /**
   * The same store, with a copy that also says "not here": see {@link
   * RedisBloomBuilder#near(Duration)}. It does no harm where a {@link
   * io.woodbird.guard.FollowingFilter} looks up what would be denied.
   *
   * @param lag how old the copy may be for that; when it is older, Redis is asked
   * @return the store
   */
  public RedisStore<K> near(Duration lag) {
    Duration checked = TimeSpan.atLeastMillis("lag", 1, lag);
    return new RedisStore<>(redis, name, new Choices(choices.durability(), checked));
  }

  /**
   * The same store, with another moment when a put counts as done. The level belongs to the filter:
   * it can't be opened with another one.
   *
   * @param value if nothing is said, {@link Durability#master()} for a new filter, and its own for
   *     one that is there
   * @return the store
   */
  public RedisStore<K> durability(Durability value) {
    return new RedisStore<>(redis, name, new Choices(redis.checked(value), choices.nearLag()));
  }

  @Override
  public SharedFilter<K> open(GenerationStore.Plan<K> plan, Runnable lost) {
    return new SourcedFilter<>(redis, name, choices, plan, lost);
  }

  /**
   * Computed from the name alone: so stored hashes stay right when the filter is lost and made
   * again.
   */
  @Override
  public OptionalLong seed() {
    return WoodbirdRedis.seedOf(name);
  }
}
