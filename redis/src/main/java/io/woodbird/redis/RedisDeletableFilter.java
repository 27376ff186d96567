package io.woodbird.redis;

import io.woodbird.DeletableFilter;

/**
 * A filter in Redis whose keys can be removed.
 *
 * <p>A put that was sent again after a connection broke may be counted twice, so that one {@code
 * remove} leaves a trace: a false positive. A {@code remove} is counted once. While data is in
 * doubt, after a restart or a failover, {@code remove} throws: a key whose put was lost must not
 * take away the trace of another. A {@code remove} that throws may have been done all the same: do
 * not call it again, as the second one may take away the trace of another key.
 *
 * <p>A counter that reaches 15 stays there for good. {@code save} writes a plain Bloom filter that
 * answers as this one does.
 *
 * @param <K> the type of the keys
 */
public interface RedisDeletableFilter<K> extends DeletableFilter<K>, RedisFilter<K> {}
