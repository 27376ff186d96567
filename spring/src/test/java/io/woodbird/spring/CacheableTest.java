package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.caffeine.CaffeineCacheManager;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.interceptor.KeyGenerator;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.util.AopTestUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Methods that are cached already, guarded by the name of their cache alone. */
final class CacheableTest {
  private static final long NONE = TestApp.ROWS + 1;

  static class Products {
    final AtomicInteger calls = new AtomicInteger();

    private boolean exists(long id) {
      calls.incrementAndGet();
      return id >= 1 && id <= TestApp.ROWS;
    }

    @Cacheable("plain")
    public String plain(long id) {
      return exists(id) ? "product " + id : null;
    }

    @Cacheable(value = "sync", sync = true)
    public String sync(long id) {
      return exists(id) ? "product " + id : null;
    }

    @Cacheable("optional")
    public Optional<String> optional(long id) {
      return exists(id) ? Optional.of("product " + id) : Optional.empty();
    }

    @Cacheable(value = "keyed", key = "#id", unless = "#result == null")
    public String keyed(String tenant, long id) {
      return exists(id) ? "product " + id : null;
    }

    @Cacheable("future")
    public CompletableFuture<String> future(long id) {
      return CompletableFuture.completedFuture(exists(id) ? "product " + id : null);
    }

    @Cacheable(value = "syncFuture", sync = true)
    public CompletableFuture<String> syncFuture(long id) {
      return CompletableFuture.completedFuture(exists(id) ? "product " + id : null);
    }

    @Cacheable("mono")
    public Mono<String> mono(long id) {
      return Mono.fromSupplier(() -> exists(id) ? "product " + id : null);
    }

    @Cacheable("flux")
    public Flux<String> flux(long id) {
      return Flux.defer(() -> exists(id) ? Flux.just("product " + id) : Flux.empty());
    }

    @Cacheable("unguarded")
    public String unguarded(long id) {
      return exists(id) ? "product " + id : null;
    }
  }

  private static final String[] NAMES = {
    "plain", "sync", "optional", "keyed", "future", "syncFuture", "mono", "flux", "unguarded"
  };

  @Configuration(proxyBeanMethods = false)
  @EnableCaching
  static class MapCaching {
    @Bean
    CacheManager cacheManager() {
      return new ConcurrentMapCacheManager(NAMES);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableCaching
  static class CaffeineCaching {
    @Bean
    CacheManager cacheManager() {
      CaffeineCacheManager manager = new CaffeineCacheManager();
      manager.setCaffeine(Caffeine.newBuilder().maximumSize(100));
      manager.setAsyncCacheMode(true);
      manager.setCacheNames(List.of(NAMES));
      return manager;
    }
  }

  private static ApplicationContextRunner app(Class<?> caching) {
    return TestApp.guarded(Products.class, caching)
        .withPropertyValues(
            "woodbird.guards.products.caches=plain,sync,optional,keyed,future,syncFuture,mono,flux");
  }

  /** One way to look a product up. */
  private interface Way {
    Object find(Products products, long id);
  }

  private static void check(Class<?> caching, String cacheName, Way way) {
    app(caching)
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              Products products = context.getBean(Products.class);
              AtomicInteger calls = target(products).calls;

              assertThat(way.find(products, NONE)).as("not here").isNull();
              assertThat(way.find(products, NONE)).isNull();
              assertThat(calls).as("calls for what does not exist").hasValue(0);
              assertThat(cached(context, cacheName, NONE)).as("room taken by it").isNull();
              assertThat(guard.stats().stopped()).isEqualTo(2);

              assertThat(way.find(products, 7)).isEqualTo("product 7");
              assertThat(way.find(products, 7)).isEqualTo("product 7");
              assertThat(calls).as("the second came from the cache").hasValue(1);
              assertThat(guard.stats().maybe()).isEqualTo(2);
              assertThat(guard.stats().loaded()).isEqualTo(1);
              assertThat(guard.stats().found()).isEqualTo(1);

              guard.put(-1L); // A key that the table does not have.
              assertThat(way.find(products, -1)).isNull();
              assertThat(guard.stats().falsePositives()).isEqualTo(1);
            });
  }

  private static Products target(Products proxy) {
    return AopTestUtils.getTargetObject(proxy);
  }

  private static Cache.ValueWrapper cached(ApplicationContext context, String name, long id) {
    return context.getBean(CacheManager.class).getCache(name).get(id);
  }

  @ParameterizedTest
  @ValueSource(classes = {MapCaching.class, CaffeineCaching.class})
  void nullValues(Class<?> caching) {
    check(caching, "plain", Products::plain);
  }

  @ParameterizedTest
  @ValueSource(classes = {MapCaching.class, CaffeineCaching.class})
  void syncTrue(Class<?> caching) {
    check(caching, "sync", Products::sync);
  }

  @ParameterizedTest
  @ValueSource(classes = {MapCaching.class, CaffeineCaching.class})
  void optional(Class<?> caching) {
    check(caching, "optional", (products, id) -> products.optional(id).orElse(null));
  }

  @ParameterizedTest
  @ValueSource(classes = {MapCaching.class, CaffeineCaching.class})
  void keyExpression(Class<?> caching) {
    check(caching, "keyed", (products, id) -> products.keyed("a", id));
  }

  @ParameterizedTest
  @ValueSource(classes = {MapCaching.class, CaffeineCaching.class})
  void completableFuture(Class<?> caching) {
    check(caching, "future", (products, id) -> products.future(id).join());
  }

  @ParameterizedTest
  @ValueSource(classes = {MapCaching.class, CaffeineCaching.class})
  void completableFutureWithSyncTrue(Class<?> caching) {
    check(caching, "syncFuture", (products, id) -> products.syncFuture(id).join());
  }

  @ParameterizedTest
  @ValueSource(classes = {MapCaching.class, CaffeineCaching.class})
  void mono(Class<?> caching) {
    check(caching, "mono", (products, id) -> products.mono(id).block());
  }

  @ParameterizedTest
  @ValueSource(classes = {MapCaching.class, CaffeineCaching.class})
  void flux(Class<?> caching) {
    check(caching, "flux", (products, id) -> products.flux(id).blockFirst());
  }

  @Test
  void aCacheThatIsNotNamedIsNotGuarded() {
    app(MapCaching.class)
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              Products products = context.getBean(Products.class);
              assertThat(products.unguarded(NONE)).isNull();
              assertThat(target(products).calls).hasValue(1);
              assertThat(guard.stats().asked()).isZero();
            });
  }

  @Test
  void whatTheCacheHasIsServedThoughTheFilterIsLostAndTheBulkheadIsFull() {
    app(MapCaching.class)
        .withPropertyValues("woodbird.guards.products.bulkhead=1")
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              Products products = context.getBean(Products.class);
              assertThat(products.plain(7)).isEqualTo("product 7");
              guard.close(); // From now on it can't tell.
              assertThat(guard.unknown("test").admit()).isTrue(); // And nobody leaves.
              assertThat(products.plain(7)).isEqualTo("product 7");
            });
  }

  static class Generated {
    @Cacheable(value = "plain", keyGenerator = "generator")
    public String find(long id) {
      return "";
    }
  }

  /** Keys of a cache that are no keys of the table. */
  static class Computed {
    @Cacheable(value = "plain", key = "'sku:' + #sku")
    public String find(String sku) {
      return "";
    }
  }

  @Test
  void keysThatAreComputedForACache_areNoKeysOfTheGuard() {
    for (String computed :
        List.of(
            "'sku:' + #sku",
            "'all'",
            "#sku.toLowerCase()",
            "#sku.trim()",
            "#sku ?: 'none'",
            "{#sku, #tenant}",
            "#root.methodName",
            "methodName",
            "T(java.util.Objects).hash(#sku)",
            "#product.name.replace('a', 'b')")) {
      assertThat(KeyExpression.isComputed(computed)).as(computed).isTrue();
    }
    for (String taken :
        List.of(
            "",
            "#sku",
            "#p0",
            "#product.sku",
            "#product?.sku",
            "#product.getSku()",
            "#product.sku()",
            "#root.args[0]",
            "args[0].sku",
            "#map['sku']")) {
      assertThat(KeyExpression.isComputed(taken)).as(taken).isFalse();
    }
  }

  static class TwoParameters {
    @Cacheable("plain")
    public String find(String tenant, long id) {
      return "";
    }
  }

  static class ReturnsInt {
    @Cacheable("plain")
    public int find(long id) {
      return 0;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Generator {
    @Bean
    KeyGenerator generator() {
      return (target, method, parameters) -> parameters[0];
    }
  }

  @Test
  void aCachedMethodThatCanNotBeGuardedIsRefused() {
    ApplicationContextRunner base =
        TestApp.guarded(MapCaching.class, Generator.class)
            .withPropertyValues("woodbird.guards.products.caches=plain");
    Refusals.assertRefused(
        base.withUserConfiguration(Generated.class), "key generator 'generator'", "@Guarded(value");
    Refusals.assertRefused(
        base.withUserConfiguration(Computed.class)
            .withPropertyValues(
                "woodbird.guards.products.key=string",
                "woodbird.guards.products.source.sql=select name from product"),
        "are computed: 'sku:' + #sku",
        "@Guarded(value");
    Refusals.assertRefused(
        base.withUserConfiguration(TwoParameters.class), "2 parameters", "key = \"#id\"");
    Refusals.assertRefused(
        base.withUserConfiguration(ReturnsInt.class), "it returns int", "take the guard off");
    Refusals.assertRefused(
        base.withUserConfiguration(ReturnsInt.class)
            .withPropertyValues(
                "woodbird.guards.others.caches=plain",
                "woodbird.guards.others.source.sql=select id from product"),
        "both name the cache 'plain'",
        "Let one guard have it");
  }
}
