package io.woodbird.spring;

import io.woodbird.spring.WoodbirdProperties.GuardProperties;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.cache.annotation.AnnotationCacheOperationSource;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheableOperation;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Which methods are guarded, by which guard, and where their key is. */
final class GuardedMethods {
  /** A method that looks a key up. */
  record Load(String guard, @Nullable String cache, KeyExpression key, Results results) {}

  /**
   * A method that makes a new row.
   *
   * @param reactive for a method that returns a Mono, a Flux, or another type that does nothing
   *     before somebody subscribes
   */
  record Put(String guard, KeyExpression key, @Nullable ReactiveAdapter reactive) {}

  private record Call(Method method, Class<?> target) {}

  private final Supplier<WoodbirdProperties> properties;
  private final AnnotationCacheOperationSource caching = new AnnotationCacheOperationSource();
  private final ConcurrentMap<Call, Load> loads = new ConcurrentHashMap<>();
  private final ConcurrentMap<Call, Put> puts = new ConcurrentHashMap<>();
  private volatile @Nullable Map<String, String> guardsByCache;

  GuardedMethods(Supplier<WoodbirdProperties> properties) {
    this.properties = properties;
  }

  // Only what is guarded is remembered: Spring asks about every method of every bean.

  /** What was found so far. Beans that are made later are not in it. */
  Collection<Load> found() {
    return List.copyOf(loads.values());
  }

  @Nullable Load load(Method method, Class<?> target) {
    if (!properties.get().enabled()) {
      return null;
    }
    Call call = new Call(method, target);
    Load known = loads.get(call);
    if (known == null) {
      known = findLoad(specific(method, target), target);
      if (known != null) {
        loads.put(call, known);
      }
    }
    return known;
  }

  @Nullable Put put(Method method, Class<?> target) {
    Call call = new Call(method, target);
    Put known = puts.get(call);
    if (known == null) {
      known = findPut(specific(method, target));
      if (known != null) {
        puts.put(call, known);
      }
    }
    return known;
  }

  /**
   * The method of the class; of the interface if the bean itself is a proxy, such as a repository
   * of Spring Data: its methods have neither names of parameters nor type arguments.
   */
  private static Method specific(Method method, Class<?> target) {
    return Proxy.isProxyClass(target) ? method : AopUtils.getMostSpecificMethod(method, target);
  }

  private @Nullable Load findLoad(Method method, Class<?> target) {
    if (method.getDeclaringClass() == Object.class) {
      return null;
    }
    Guarded guarded = AnnotatedElementUtils.findMergedAnnotation(method, Guarded.class);
    if (guarded != null) {
      return load(method, target, guarded.value(), null, guarded.key());
    }
    Map<String, String> byCache = guardsByCache();
    Collection<CacheOperation> operations =
        byCache.isEmpty() ? null : caching.getCacheOperations(method, target);
    if (operations != null) {
      for (CacheOperation operation : operations) {
        for (String cache : operation.getCacheNames()) {
          String guard = byCache.get(cache);
          if (guard != null && operation instanceof CacheableOperation) {
            return cached(method, target, guard, cache, operation);
          }
        }
      }
    }
    return null;
  }

  private Load cached(
      Method method, Class<?> target, String guard, String cache, CacheOperation operation) {
    if (!operation.getKeyGenerator().isEmpty()) {
      throw new GuardConfigurationException(
          KeyExpression.where(method, guard)
              + " the keys of its cache '"
              + cache
              + "' come from the key generator '"
              + operation.getKeyGenerator()
              + "', so that the guard does not know which parameter it is asked about.",
          putGuarded(guard));
    }
    if (KeyExpression.isComputed(operation.getKey())) {
      throw new GuardConfigurationException(
          KeyExpression.where(method, guard)
              + " the keys of its cache '"
              + cache
              + "' are computed: "
              + operation.getKey()
              + ". They need not be keys of the guard, which would deny them.",
          putGuarded(guard));
    }
    return load(method, target, guard, cache, operation.getKey());
  }

  private static String putGuarded(String guard) {
    return "Put @Guarded(value = \"" + guard + "\", key = \"#...\") on the method as well.";
  }

  private Load load(
      Method method, Class<?> target, String guard, @Nullable String cache, String key) {
    KeyType type = properties(method, guard).key();
    KeyExpression.checkParameter(method, guard, key, type);
    KeyExpression expression = KeyExpression.of(method, guard, key, type);
    if (expression.usesResult()) {
      throw new GuardConfigurationException(
          KeyExpression.where(method, guard) + " the key of a look-up can't be its result.",
          "Use a parameter, as in key = \"#id\".");
    }
    return new Load(guard, cache, expression, Results.of(method, target, guard));
  }

  private @Nullable Put findPut(Method method) {
    GuardedPut put = AnnotatedElementUtils.findMergedAnnotation(method, GuardedPut.class);
    if (put == null) {
      return null;
    }
    KeyType type = properties(method, put.value()).key();
    KeyExpression key = KeyExpression.of(method, put.value(), put.key(), type);
    ReactiveAdapter adapter = Results.adapterOf(method.getReturnType(), null);
    // A future has begun when the method returns, in the thread of its caller.
    boolean begins = adapter != null && adapter.getDescriptor().isDeferred();
    return new Put(put.value(), key, begins ? adapter : null);
  }

  private GuardProperties properties(Method method, String guard) {
    Map<String, GuardProperties> guards = properties.get().guards();
    GuardProperties found = guards.get(guard);
    if (found == null) {
      throw new GuardConfigurationException(
          KeyExpression.where(method, guard)
              + " there is no such guard"
              + (guards.isEmpty() ? "." : ", but " + guards.keySet() + "."),
          "Declare woodbird.guards." + guard + ", or correct the name.");
    }
    return found;
  }

  private Map<String, String> guardsByCache() {
    Map<String, String> known = guardsByCache;
    if (known == null) {
      Map<String, String> made = new LinkedHashMap<>();
      properties
          .get()
          .guards()
          .forEach((name, guard) -> guard.caches().forEach(cache -> add(made, cache, name)));
      known = made;
      guardsByCache = made;
    }
    return known;
  }

  private static void add(Map<String, String> made, String cache, String guard) {
    String other = made.putIfAbsent(cache, guard);
    if (other != null) {
      throw new GuardConfigurationException(
          "woodbird guards '"
              + other
              + "' and '"
              + guard
              + "' both name the cache '"
              + cache
              + "'.",
          "Let one guard have it; put @Guarded on methods that need another.");
    }
  }
}
