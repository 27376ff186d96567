package io.woodbird.spring;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * All guards of the application, by name.
 *
 * <pre>{@code
 * guards.get("products").put(product.getId()); // in the transaction, before it commits
 * }</pre>
 *
 * <p>Their first builds begin in threads of their own, when all beans are there. Until then, and
 * until a build is done, every key is "maybe here".
 */
public final class Guards implements SmartLifecycle, DisposableBean {
  private final Map<String, NamedGuard> guards;
  private volatile boolean running;

  Guards(Map<String, NamedGuard> guards) {
    this.guards = Collections.unmodifiableMap(guards);
  }

  /**
   * The guard of a name.
   *
   * @param name as in {@code woodbird.guards.<name>}
   * @return the guard
   * @throws IllegalArgumentException if there is none
   */
  public NamedGuard get(String name) {
    NamedGuard guard = guards.get(name);
    if (guard == null) {
      throw new IllegalArgumentException(
          "there is no guard '" + name + "', but " + guards.keySet());
    }
    return guard;
  }

  /** The guard of a name, or null. */
  @Nullable NamedGuard find(String name) {
    return guards.get(name);
  }

  /**
   * All of them.
   *
   * @return the guards in the order of their configuration
   */
  public Collection<NamedGuard> all() {
    return guards.values();
  }

  /** Begins the first builds and to follow the sources, and returns at once. */
  @Override
  public void start() {
    running = true;
    guards.values().forEach(NamedGuard::start);
  }

  /**
   * After the store in Redis has started, which gives up old connections, and before the web
   * server, so that a build is under way when the first request comes.
   */
  @Override
  public int getPhase() {
    return 2;
  }

  /** Does nothing: guards answer until the context is closed. */
  @Override
  public void stop() {
    running = false;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public void destroy() {
    RuntimeException failed = null;
    for (NamedGuard guard : guards.values()) {
      try {
        guard.close();
      } catch (RuntimeException e) { // The others have threads and connections to give back.
        failed = e;
      }
    }
    if (failed != null) {
      throw failed;
    }
  }
}
