package io.woodbird.redis;

import io.woodbird.IncompatibleFilterException;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.redis.generations.Opening;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.layout.Script;
import io.woodbird.redis.link.ClientAccess;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.JedisWire;
import io.woodbird.redis.link.LettuceWire;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RoutedLink;
import io.woodbird.redis.link.Time;
import io.woodbird.redis.proof.Checkup;
import io.woodbird.redis.proof.Meta;
import io.woodbird.redis.proof.Names;
import io.woodbird.redis.proof.Shared;
import io.woodbird.time.TimeSpan;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Filters in Redis, Valkey or Redis Cluster, shared by all machines that open them.
 *
 * <pre>{@code
 * WoodbirdRedis redis = WoodbirdRedis.using(client);
 * RedisBloomFilter<String> seen = redis.bloom("seen:urls", Keys.strings(), 10_000_000).fpp(0.001).open();
 * seen.put("crow");
 * }</pre>
 *
 * <p>The client is the user's own: of Jedis 8 a {@code RedisClient} or {@code RedisClusterClient},
 * of Lettuce a {@code RedisClient} or {@code RedisClusterClient}. No server module is needed; the
 * server must be Redis 7 or newer, or Valkey, and must allow scripts.
 */
public final class WoodbirdRedis implements AutoCloseable {
  private static final long LEAST_WINDOW_MILLIS = 100;

  private final Link link;
  private final Time time;
  private final Duration timeout;
  private final Consumer<RedisEvent> listener;

  WoodbirdRedis(Link link, Time time, Duration timeout, Consumer<RedisEvent> listener) {
    this.link = link;
    this.time = time;
    this.timeout = timeout;
    this.listener =
        event -> {
          try {
            listener.accept(event);
          } catch (RuntimeException | Error e) { // A question, or a thread of ours, goes on.
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
          }
        };
  }

  /**
   * Uses a client, with a time-out of two seconds for each call.
   *
   * @param client of Jedis or Lettuce; stays the caller's to close
   * @return makes and opens filters
   */
  public static WoodbirdRedis using(AutoCloseable client) {
    return using(client, Duration.ofSeconds(2), event -> {});
  }

  /**
   * Uses a client.
   *
   * @param client of Jedis or Lettuce; stays the caller's to close
   * @param timeout how long a call may take; then a question is answered "unknown" and a put fails
   * @param listener is told what goes wrong and what is well again, by the thread that noticed; if
   *     it fails, that goes to the handler of uncaught exceptions of the thread
   * @return makes and opens filters
   * @throws IllegalArgumentException if the client is none of those named above
   */
  public static WoodbirdRedis using(
      AutoCloseable client, Duration timeout, Consumer<RedisEvent> listener) {
    Objects.requireNonNull(client, "client");
    Objects.requireNonNull(listener, "listener");
    Duration limit = TimeSpan.positive("timeout", timeout);
    return new WoodbirdRedis(linkTo(client, limit), Time.SYSTEM, limit, listener);
  }

  /** Each library is named only by its own class, so that the other need not be there. */
  private static Link linkTo(AutoCloseable client, Duration timeout) {
    for (Class<?> type = client.getClass(); type != null; type = type.getSuperclass()) {
      if (type.getName().equals("redis.clients.jedis.UnifiedJedis")) {
        try {
          return new RoutedLink(JedisWire.of(client), timeout);
        } catch (LinkageError e) {
          throw new IllegalArgumentException(
              "client must be of Jedis 8 or newer: " + client.getClass().getName(), e);
        }
      }
      if (type.getName().equals("io.lettuce.core.AbstractRedisClient")) {
        return new RoutedLink(LettuceWire.of(client), timeout);
      }
    }
    throw new IllegalArgumentException(
        "client must be of Jedis or Lettuce: " + client.getClass().getName());
  }

  /**
   * A Bloom filter: takes keys from many machines, and removes none.
   *
   * @param <K> the type of the keys
   * @param name of the filter; all programs that use the name share the filter
   * @param keys hashes the keys, see {@link io.woodbird.key.Keys}
   * @param expectedKeys how many distinct keys the promised fpp must hold for
   * @return a builder
   */
  public <K> RedisBloomBuilder<K> bloom(String name, KeyHasher<K> keys, long expectedKeys) {
    return new RedisBloomBuilder<>(this, name, keys, expectedKeys);
  }

  /**
   * A filter whose keys can be removed: it has a counter of four bits in the place of each bit.
   *
   * @param <K> the type of the keys
   * @param name of the filter; all programs that use the name share the filter
   * @param keys hashes the keys, see {@link io.woodbird.key.Keys}
   * @param expectedKeys how many distinct keys the promised fpp must hold for, at a time
   * @return a builder
   */
  public <K> RedisBuilder<K, RedisDeletableFilter<K>> deletable(
      String name, KeyHasher<K> keys, long expectedKeys) {
    return new RedisBuilder<>(
        this,
        name,
        keys,
        expectedKeys,
        RedisBuilder.LEAST_OF_ONE_BLOCK,
        my -> GenerationSpec.counting(time, expectedKeys, my.fpp, keys.id()),
        (shared, my) -> new RedisCounting<>(shared, keys));
  }

  /**
   * A filter whose keys expire: "seen in the last 24 hours", shared by all machines.
   *
   * <pre>{@code
   * RedisFilter<String> today =
   *     redis.window("seen:today", Keys.strings(), 50_000_000, Duration.ofHours(24)).fpp(0.01).open();
   * if (today.put(url)) { ... } // not seen by any machine in the last 24 hours
   * }</pre>
   *
   * <p>Which keys it never denies, at any moment and to any machine: every key of which a put has
   * returned that was called less than the duration ago, as long as the filter is not in doubt. A
   * key that is put again counts from its last put. {@code put} says whether the key is new, in one
   * round trip: of all machines that put a key that is not in the window, one hears "new".
   *
   * <p>The time is that of the server that has the key, to the millisecond. If its clock goes back,
   * keys stay longer. If it leaps forward, or if a server takes over whose clock is ahead, keys
   * leave earlier by as much: let the servers keep their clocks with NTP.
   *
   * <p>A key is forgotten some time later: up to a seventh of the duration, and later still while
   * nothing is put into its shard. More keys than expected never shorten the window: they raise the
   * fpp, which {@code stats()} shows. A key that is put again in a later seventh of the window
   * counts again.
   *
   * <p>All bits of a key are in one block, so that a put is one step. At 1 % that takes 3 % more
   * memory than a window on the heap, at 0.1 % 15 % more.
   *
   * @param <K> the type of the keys
   * @param name of the filter; all programs that use the name share the filter
   * @param keys hashes the keys, see {@link io.woodbird.key.Keys}
   * @param expectedKeys how many distinct keys are put within the duration, at most
   * @param duration how long keys are kept, by the clock of the server
   * @return a builder
   */
  public <K> RedisBuilder<K, RedisFilter<K>> window(
      String name, KeyHasher<K> keys, long expectedKeys, Duration duration) {
    Woodbird.window(keys, expectedKeys, duration); // Checks.
    long span = TimeSpan.atLeastMillis("duration", LEAST_WINDOW_MILLIS, duration).toMillis();
    return new RedisBuilder<>(
        this,
        name,
        keys,
        expectedKeys,
        RedisBuilder.LEAST_OF_ONE_BLOCK,
        my -> GenerationSpec.window(time, expectedKeys, my.fpp, keys.id(), span),
        (shared, my) -> new RedisWindow<>(shared, keys));
  }

  /**
   * A filter that grows with its keys: nobody has to know how many there will be.
   *
   * <pre>{@code
   * RedisFilter<String> seen = redis.growing("seen:ever", Keys.strings(), 100_000).fpp(0.01).open();
   * }</pre>
   *
   * <p>It begins with room for the expected keys. When a shard is full, the next put into it adds a
   * level with four times the room of the level before, up to seven times. So the fpp holds for at
   * least 21,845 times the expected keys, unless a shard would need more than 512 MB, the most that
   * Redis allows (for 100 million expected keys: 85 times as many). More keys raise the fpp, which
   * {@code stats()} shows.
   *
   * <p>{@code put} is one round trip, or two if another machine has added a level since. A question
   * is one round trip, which reads one block of each level.
   *
   * <p>{@code save} writes the file of a window that keeps its keys for a hundred years: a window
   * is eight filters in one, and each level becomes one of them. The file takes eight times the
   * bytes of the largest level, and its statistics count the keys of smaller levels more than once.
   *
   * @param <K> the type of the keys
   * @param name of the filter; all programs that use the name share the filter
   * @param keys hashes the keys, see {@link io.woodbird.key.Keys}
   * @param expectedKeys how many keys it has room for at the beginning; every program that opens it
   *     must give the same number
   * @return a builder
   */
  public <K> RedisBuilder<K, RedisFilter<K>> growing(
      String name, KeyHasher<K> keys, long expectedKeys) {
    return new RedisBuilder<>(
        this,
        name,
        keys,
        expectedKeys,
        RedisBuilder.LEAST_OF_ONE_BLOCK,
        my -> GenerationSpec.growing(time, expectedKeys, my.fpp, keys.id()),
        (shared, my) -> new RedisGrowing<>(shared, keys));
  }

  /**
   * A place for the filter of {@link io.woodbird.guard.RebuildingFilter}s in many processes: one of
   * them builds, all put and ask.
   *
   * <pre>{@code
   * RebuildingFilter<Long> ids = RebuildingFilter.of(Keys.longs(), repository::streamIds)
   *     .every(Duration.ofHours(1)).store(redis.<Long>store("products")).start();
   * }</pre>
   *
   * @param <K> the type of the keys
   * @param name of the filter; all programs that use the name share the filter
   * @return the store
   */
  public <K> RedisStore<K> store(String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("name must not be empty");
    }
    return new RedisStore<>(this, name, new RedisStore.Choices(null, null));
  }

  /**
   * The seed of a filter in a {@link #store}. It is computed from the name alone, so that it is the
   * same in all processes.
   *
   * @param name of the filter
   * @return the seed
   */
  public static OptionalLong seedOf(String name) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return OptionalLong.of(ByteBuffer.wrap(digest.digest(Command.bytes(name))).getLong());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // Every Java has it.
    }
  }

  /**
   * The names of all filters. Looks through all keys of all masters.
   *
   * @return the names, sorted; those of Redisson's format are not among them
   * @throws RedisFilterException if a server can't be asked
   */
  public List<String> names() {
    return new Names(link).filters();
  }

  /**
   * What the record of a filter says.
   *
   * @param name the filter
   * @return empty if there is none
   * @throws RedisFilterException if the server can't be asked
   */
  public Optional<RedisRecord> find(String name) {
    return RedisRecord.of(new Meta(link, name).read());
  }

  /**
   * Opens a filter of any kind, with the parameters that its record says.
   *
   * @param <K> the type of the keys
   * @param name of the filter
   * @param keys hashes the keys; must be the hasher that the filter was made with
   * @return the filter
   * @throws IncompatibleFilterException if its keys have another encoding
   * @throws RedisFilterException if there is none, or if it can't be reached
   */
  public <K> RedisFilter<K> open(String name, KeyHasher<K> keys) {
    Meta meta = new Meta(link, name);
    Map<String, String> fields = meta.read();
    GenerationSpec there = meta.generation(fields, Meta.current(fields));
    if (!there.keyId().equals(keys.id())) {
      throw new IncompatibleFilterException(
          "the filter " + name + " in Redis has keys " + there.keyId() + ", not " + keys.id());
    }
    Shared shared = open(name, there, true, false, null, false);
    return switch (RedisRecord.Kind.of(there)) {
      case BLOOM -> new RedisBloom<>(shared, keys, null);
      case COUNTING -> new RedisCounting<>(shared, keys);
      case WINDOW -> new RedisWindow<>(shared, keys);
      case GROWING -> new RedisGrowing<>(shared, keys);
    };
  }

  /** Makes or joins a filter. */
  Shared open(
      String name,
      GenerationSpec wanted,
      boolean fixedSeed,
      boolean create,
      @Nullable Durability durability,
      boolean sourced) {
    Opening.Opened found =
        new Opening(link, time, name, Script.hex(time.random()), sourced)
            .open(wanted, fixedSeed, durability, create);
    Shared shared =
        new Shared(
            link,
            time,
            listener,
            name,
            durability != null ? durability : Meta.named(found.level(), patience()),
            found.generation(),
            sourced);
    if (sourced) {
      shared.refreshNow(shared.current());
    }
    for (byte[] key : shared.current().keys) {
      shared.diagnosis.remember(key);
    }
    for (String risk : Checkup.risks(shared)) {
      shared.doubts.tell(RedisEvent.Cause.RISK, risk);
    }
    return shared;
  }

  /** How long to wait for confirmations if the user has not said it. */
  private Duration patience() {
    return Duration.ofMillis(Math.max(1, Math.min(1000, timeout.toMillis() / 2)));
  }

  /** Checks a level that a user asks for. */
  Durability checked(Durability value) {
    if (value.patience().compareTo(timeout) >= 0) {
      throw new IllegalArgumentException(
          "patience must be below the time-out of a call, " + timeout + ": " + value);
    }
    return value;
  }

  Time time() {
    return time;
  }

  Duration timeout() {
    return timeout;
  }

  /** {@return what formats of other libraries need to use the same client; internal} */
  public ClientAccess access() {
    return new ClientAccess(link, time, listener);
  }

  /**
   * Ends the connections and threads that were made here; the client stays open. Filters that are
   * still open answer "unknown" from then on, with a near copy as soon as its lag is over.
   */
  @Override
  public void close() {
    link.close();
  }
}
