package io.woodbird.redis.link;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import java.net.SocketAddress;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Counts how often each connection of a Lettuce client was made or has broken. */
final class LettuceBreaks implements RedisConnectionStateListener, AutoCloseable {
  /*
   * Lettuce keeps what was not answered, and sends it again on a new connection. What follows
   * commands is about their own connection: on another it says nothing. So the sender of commands
   * compares the count before and after: if it has changed, no reply counts.
   */
  private final AbstractRedisClient client;
  private final Map<Object, AtomicLong> breaks = Collections.synchronizedMap(new WeakHashMap<>());

  LettuceBreaks(AbstractRedisClient client) {
    this.client = client;
    client.addListener(this);
  }

  /** A number that changes whenever the connection breaks. */
  long of(StatefulConnection<byte[], byte[]> connection) {
    return counter(connection).get();
  }

  private AtomicLong counter(Object connection) {
    return breaks.computeIfAbsent(connection, none -> new AtomicLong());
  }

  @Override
  public void onRedisConnected(RedisChannelHandler<?, ?> which, SocketAddress address) {
    counter(which).incrementAndGet();
  }

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> which) {
    counter(which).incrementAndGet();
  }

  @Override
  public void close() {
    client.removeListener(this);
  }
}
