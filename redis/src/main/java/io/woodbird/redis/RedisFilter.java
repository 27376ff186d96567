package io.woodbird.redis;

import io.woodbird.MutableFilter;

/**
 * A filter that lives in Redis and is shared by all programs that open it under its name.
 *
 * <p>It answers {@link io.woodbird.Answer#UNKNOWN}, which counts as "maybe", whenever it can't
 * know: no connection, no answer in time, data that was lost, replaced, or may be older than it
 * was. A put is done, as far as its {@link Durability} says, or it throws {@link
 * RedisFilterException}. Why answers were unknown is in {@code stats().doubts()} and goes to the
 * listener as {@link RedisEvent}s.
 *
 * <p>{@code put} and {@code putAll} answer "was it new?" exactly as on the heap, with two
 * exceptions. When a connection broke and the put was sent again, a new key may be called old.
 * While data is in doubt no key is called new, as an earlier put of it may be lost.
 *
 * @param <K> the type of the keys
 */
public interface RedisFilter<K> extends MutableFilter<K>, AutoCloseable {
  /**
   * Accepts the data as it is, after a restart, a failover or a restored backup: somebody knows
   * that nothing is missing, or has put it again. Puts that were lost will be called "not here"
   * from then on; so may be one that another program began before a failover, and that returns only
   * after this call.
   */
  void trust();

  /** {@return the same filter for callers that must not block} */
  RedisAsync<K> async();

  /** {@return how the filter is, and what may endanger it; asks the servers} */
  RedisHealth health();

  /** Ends this client's part; the filter stays. Questions after it are answered "unknown". */
  @Override
  void close();
}
