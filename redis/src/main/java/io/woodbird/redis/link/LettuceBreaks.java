package io.woodbird.redis.link;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Counts how often each connection of a Lettuce client was made or has broken. */
final class LettuceBreaks implements RedisConnectionStateListener, AutoCloseable {
  /*
   * Lettuce keeps what was not answered, and sends it again on a new connection. What follows
   * commands is about their own connection: on another it says nothing. So the sender of commands
   * compares the count before and after: if it has changed, no reply counts.
   */
  private final AbstractRedisClient client;
  private final Map<Object, AtomicLong> ownBreaks = new ConcurrentHashMap<>();

  /** Of all connections of the client: those to the nodes of a cluster can't be told apart. */
  private final AtomicLong allBreaks = new AtomicLong();

  LettuceBreaks(AbstractRedisClient client) {
    this.client = client;
    client.addListener(this);
  }

  /** Counts the breaks of a connection by themselves from now on. */
  void watch(StatefulConnection<byte[], byte[]> connection) {
    ownBreaks.put(connection, new AtomicLong());
  }

  void forget(StatefulConnection<byte[], byte[]> connection) {
    ownBreaks.remove(connection);
  }

  /** A number that changes whenever the connection breaks. */
  long of(StatefulConnection<byte[], byte[]> connection) {
    AtomicLong own = ownBreaks.get(connection);
    return own == null ? allBreaks.get() : own.get();
  }

  @Override
  public void onRedisConnected(RedisChannelHandler<?, ?> which, SocketAddress address) {
    count(which);
  }

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> which) {
    count(which);
  }

  private void count(Object connection) {
    allBreaks.incrementAndGet();
    AtomicLong own = ownBreaks.get(connection);
    if (own != null) {
      own.incrementAndGet();
    }
  }

  @Override
  public void close() {
    client.removeListener(this);
  }
}
