package io.woodbird.redis;

import io.woodbird.DeletableFilter;

/**
 * A filter that lives in Redis, is shared by all who open it under its name, and gives keys back.
 *
 * <p>It keeps the law of {@link RedisBloomFilter}: what can't be known is unknown. A put that was
 * sent again after a connection broke may be counted twice, so that one {@code remove} leaves a
 * trace: a false positive. A {@code remove} is counted once. While data is in doubt, after a
 * restart or a failover, {@code remove} throws: a key whose put was lost must not take away the
 * trace of another.
 *
 * <p>A counter that reaches 15 stays there for good. {@code save} writes a plain Bloom filter that
 * answers as this one does.
 *
 * @param <K> the type of the keys
 */
public interface RedisDeletableFilter<K> extends DeletableFilter<K>, AutoCloseable {
  /**
   * Accepts the data as it is, after a restart, a failover or a restored backup: somebody knows
   * that nothing is missing, or has put it again. Puts that were lost will be called "not here"
   * from then on.
   */
  void trust();

  /**
   * Looks at the server: how the filter is, and what may endanger it.
   *
   * @return what was seen
   */
  RedisHealth health();

  /** Ends this client's part; the filter stays. Questions after it are answered "unknown". */
  @Override
  void close();
}
