package io.woodbird.spring;

import io.woodbird.guard.GenerationStore;
import io.woodbird.guard.shared.SharedFilter;
import io.woodbird.guard.shared.SharedStore;
import io.woodbird.redis.RedisEvent;
import io.woodbird.redis.WoodbirdRedis;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.Environment;

/** The store {@code redis}: one filter for all instances of the application. */
final class RedisGuardStore implements GuardStoreFactory, SmartLifecycle, DisposableBean {
  /*
   * A context may stop and start again: before a checkpoint of the JVM (CRaC), or between tests that
   * share it. Spring Data then makes another client. So all connections are given up when the context
   * stops, and made again when the filter is opened the next time: by the builds that begin when the
   * context starts, or by a put. A put may come while the context stops, and connect with a client
   * that is stopped a moment later. So what is there when the context starts is given up too.
   */
  private static final Log log = LogFactory.getLog(RedisGuardStore.class);

  private static final long BETWEEN_NANOS = 10_000_000_000L;

  private final ConcurrentMap<String, Long> told = new ConcurrentHashMap<>();
  private final Environment environment;
  private final WoodbirdProperties.Redis properties;
  private final RedisClients clients;
  private final List<Lazy> stores = new CopyOnWriteArrayList<>();
  private volatile boolean running;
  private volatile boolean isDestroyed;
  private final ConcurrentMap<String, Map<RedisEvent.Cause, LongAdder>> events =
      new ConcurrentHashMap<>();

  RedisGuardStore(
      ListableBeanFactory beans, Environment environment, WoodbirdProperties.Redis properties) {
    this.environment = environment;
    this.properties = properties;
    this.clients = new RedisClients(beans, environment, properties);
  }

  @Override
  public String name() {
    return "redis";
  }

  @Override
  public GuardFilter create(GuardPlan plan) {
    String filter = prefix(plan.guard()) + ":" + plan.guard();
    clients.find(plan.guard()); // So that the application does not start without one.
    events.put(plan.guard(), new ConcurrentHashMap<>());
    RedisChoices choices = RedisChoices.of(plan, properties.timeout());
    Lazy store = new Lazy(plan.guard(), filter, choices);
    stores.add(store);
    return GuardFilter.rebuilding(plan, store);
  }

  /** Two applications must not build one filter from two sources. */
  private String prefix(String guard) {
    String prefix = properties.prefix();
    String name = environment.getProperty("spring.application.name", "");
    if (prefix == null && name.isEmpty()) {
      throw GuardsFactory.wrong(
          guard,
          "its store is redis, and nothing tells this application's filters from those of others.",
          "Set spring.application.name, or woodbird.redis.prefix.");
    }
    return prefix == null ? name : prefix;
  }

  /** How often something happened, by guard. */
  Map<String, Map<RedisEvent.Cause, LongAdder>> events() {
    return events;
  }

  private void onEvent(String guard, RedisEvent event) {
    Map<RedisEvent.Cause, LongAdder> counts = events.get(guard);
    if (counts != null) {
      counts.computeIfAbsent(event.cause(), cause -> new LongAdder()).increment();
    }
    String line = "woodbird: guard '" + guard + "' " + event.cause() + ": " + event.message();
    if (!isDue(guard + event.cause())) {
      log.debug(line); // Each of a hundred shards tells of the same outage.
    } else if (event.cause() == RedisEvent.Cause.HEALED) {
      log.info(line);
    } else {
      log.warn(line);
    }
  }

  private boolean isDue(String what) {
    long now = System.nanoTime();
    Long before = told.get(what);
    return (before == null || now - before > BETWEEN_NANOS)
        && (before == null ? told.putIfAbsent(what, now) == null : told.replace(what, before, now));
  }

  /** Connects when the filter is opened, not when the application starts: Redis may be away. */
  private final class Lazy implements SharedStore<Object> {
    private final String guard;
    private final String filter;
    private final RedisChoices choices;
    private @Nullable WoodbirdRedis redis; // this
    private @Nullable SharedFilter<Object> last; // this
    private int disconnected; // this

    Lazy(String guard, String filter, RedisChoices choices) {
      this.guard = guard;
      this.filter = filter;
      this.choices = choices;
    }

    @Override
    public SharedFilter<Object> open(GenerationStore.Plan<Object> plan, Runnable lost)
        throws IOException {
      try {
        WoodbirdRedis ready = connected();
        SharedFilter<Object> open = choices.applied(ready.store(filter)).open(plan, lost);
        if (!isKept(open, ready)) {
          open.close();
          throw stopped();
        }
        return open;
      } catch (LinkageError e) { // An older one has some of the classes.
        throw new IOException("woodbird needs Jedis 8, or Lettuce of a newer version: " + e, e);
      }
    }

    private synchronized boolean isKept(SharedFilter<Object> open, WoodbirdRedis ready) {
      last = redis == ready ? open : last;
      return redis == ready;
    }

    /** Only one thread opens the filter. It holds no lock while it waits for Redis. */
    private WoodbirdRedis connected() throws IOException {
      int before;
      synchronized (this) {
        if (redis != null) {
          return redis;
        }
        before = disconnected;
      }
      if (isDestroyed) { // Nobody would close what is opened now.
        throw stopped();
      }
      WoodbirdRedis ready = connect();
      synchronized (this) {
        if (disconnected == before) {
          redis = ready;
          return ready;
        }
      }
      ready.close();
      if (isDestroyed) {
        clients.close(); // One may have been made after the others were closed.
      }
      throw stopped();
    }

    private static IOException stopped() {
      return new IOException("the application stopped while it connected to Redis");
    }

    /** Gives up the connections, and one that is being made, but does not wait for that. */
    void disconnect() {
      WoodbirdRedis old;
      SharedFilter<Object> open;
      synchronized (this) {
        disconnected++;
        old = redis;
        open = last;
        redis = null; // The filter remains, and is asked whether it is closed.
        last = null;
      }
      if (open != null) {
        open.close();
      }
      if (old != null) {
        old.close();
      }
    }

    private WoodbirdRedis connect() throws IOException {
      Consumer<RedisEvent> listener = event -> onEvent(guard, event);
      try {
        return WoodbirdRedis.using(clients.find(guard).get(), properties.timeout(), listener);
      } catch (IllegalArgumentException e) {
        throw e; // A client of another kind.
      } catch (RuntimeException e) {
        throw new IOException("Redis can't be reached: " + e.getMessage(), e);
      }
    }

    @Override
    public OptionalLong seed() {
      return WoodbirdRedis.seedOf(filter);
    }
  }

  @Override
  public void start() {
    disconnect();
    running = true;
  }

  /** Stops after the web server and before the clients of Spring Data, and starts between them. */
  @Override
  public int getPhase() {
    return 1;
  }

  @Override
  public void stop() {
    running = false;
    disconnect();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Spring calls this after it has closed the guards, because they were made later. */
  @Override
  public void destroy() {
    isDestroyed = true;
    disconnect();
  }

  private void disconnect() {
    stores.forEach(Lazy::disconnect);
    clients.close();
  }
}
