package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.guard.Admission;
import io.woodbird.redis.RedisFilterException;
import io.woodbird.testkit.RedisCluster;
import io.woodbird.testkit.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** New rows of reactive methods: no thread waits for Redis, and no row comes before its key. */
final class ReactivePutTest {
  private static final List<Long> made = new CopyOnWriteArrayList<>();
  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void clear() {
    server.ask("FLUSHALL");
    made.clear();
  }

  record Product(long id) {}

  static class Products {
    @GuardedPut(value = "products", key = "#id")
    public Mono<Product> save(long id) {
      made.add(id);
      return Mono.just(new Product(id));
    }

    @GuardedPut(value = "products", key = "#ids")
    public Flux<Product> saveAll(List<Long> ids) {
      return Flux.fromIterable(ids).map(Product::new);
    }

    @GuardedPut(value = "products", key = "#first")
    public Flux<Product> saveBoth(long first) {
      made.add(first);
      return Flux.just(new Product(first), new Product(first + 1));
    }

    @GuardedPut(value = "products", key = "#result.id")
    public Mono<Product> create(long id) {
      return Mono.fromSupplier(() -> new Product(id));
    }

    @GuardedPut(value = "products", key = "#result.id")
    public Flux<Product> createMany(long from, int count) {
      return Flux.range(0, count).map(i -> new Product(from + i)).doOnNext(p -> made.add(p.id()));
    }

    @GuardedPut(value = "products", key = "#id")
    public CompletableFuture<Thread> saveLater(long id) {
      return CompletableFuture.completedFuture(Thread.currentThread());
    }

    @GuardedPut(value = "products", key = "#result.id")
    public CompletableFuture<Product> createLater(long id) {
      return CompletableFuture.completedFuture(new Product(id));
    }

    @Guarded("products")
    public CompletableFuture<Product> findLater(long id) {
      return CompletableFuture.completedFuture(new Product(id));
    }
  }

  /** As a future begins at once, what belongs to the calling thread must be there. */
  @Test
  void aMethodThatReturnsAFuture_isCalledByTheCaller() {
    app("60s")
        .run(
            context -> {
              NamedGuard guard = built(context);
              Products products = context.getBean(Products.class);
              assertThat(products.saveLater(2001).join()).isSameAs(Thread.currentThread());
              assertThat(guard.mightContain(2001L)).isTrue();
            });
  }

  private static ApplicationContextRunner app(String timeout) {
    return TestApp.guarded(Products.class)
        .withPropertyValues(
            "spring.application.name=shop",
            "woodbird.guards.products.store=redis",
            "woodbird.guards.products.follow=none",
            "woodbird.guards.products.rebuild.settle=0s",
            "woodbird.redis.timeout=" + timeout,
            "woodbird.redis.url=redis://127.0.0.1:" + server.port());
  }

  private static NamedGuard built(ApplicationContext context) {
    NamedGuard guard = context.getBean(Guards.class).get("products");
    RedisCluster.until(() -> guard.generation().isPresent() && !guard.mightContain(9000L));
    return guard;
  }

  /** Whoever begins these calls goes on while the server is silent. */
  @Test
  void noThreadWaits_whileRedisIsSilent_andNothingComesBeforeItsPut() {
    app("60s")
        .run(
            context -> {
              NamedGuard guard = built(context);
              Products products = context.getBean(Products.class);
              List<Supplier<CompletableFuture<?>>> calls =
                  List.of(
                      () -> products.save(2001).toFuture(),
                      () -> products.saveBoth(2002).collectList().toFuture(),
                      () -> products.create(2003).toFuture(),
                      () -> products.createMany(2004, 1).collectList().toFuture(),
                      () -> products.createLater(2005));
              List<CompletableFuture<?>> begun = new ArrayList<>();
              server.freeze();
              try {
                calls.forEach(call -> begun.add(call.get()));
                assertThat(begun).noneMatch(CompletableFuture::isDone);
                assertThat(made).as("methods called before their put").containsExactly(2004L);
              } finally {
                server.thaw();
              }
              for (CompletableFuture<?> call : begun) {
                call.join();
              }
              for (long id = 2001; id <= 2005; id++) {
                assertThat(guard.mightContain(id)).as("key %d", id).isTrue();
              }
              assertThat(made).containsExactlyInAnyOrder(2001L, 2002L, 2004L);
            });
  }

  /** What the row is made of may be complete only when somebody subscribes. */
  @Test
  void theKeyIsThatOfTheSubscription_asTheRowIs() {
    app("60s")
        .run(
            context -> {
              NamedGuard guard = built(context);
              List<Long> ids = new ArrayList<>(List.of(2001L));
              Flux<Product> rows =
                  Mono.fromRunnable(() -> ids.add(2002L))
                      .thenMany(context.getBean(Products.class).saveAll(ids));
              assertThat(rows.collectList().block()).hasSize(2);
              assertThat(guard.mightContain(2001L)).isTrue();
              assertThat(guard.mightContain(2002L)).isTrue();
            });
  }

  /** A transaction that has written may see rows of its own; it asks without blocking too. */
  @Test
  void noThreadWaits_whenATransactionAsksThatHasWritten() {
    app("60s")
        .run(
            context -> {
              NamedGuard guard = built(context);
              server.freeze();
              CompletableFuture<Admission<Object>.Decision> asked;
              try {
                asked = guard.askAsync(2001L, true);
                assertThat(asked).isNotDone();
              } finally {
                server.thaw();
              }
              assertThat(asked.join().stopped()).isFalse();
            });
  }

  /** What the caller does with a value may block, and a thread of the client must not. */
  @Test
  void theValueComesInAThreadThatMayBlock() {
    app("60s")
        .run(
            context -> {
              built(context);
              Products products = context.getBean(Products.class);
              String caller = Thread.currentThread().getName();
              for (long id = 2001; id < 2021; id++) {
                assertThat(products.create(id).map(p -> Thread.currentThread().getName()).block())
                    .matches(name -> name.equals(caller) || name.startsWith("boundedElastic-"));
              }
            });
  }

  /** Neither must it wait for a caller whose key is not here, and who asks for another one then. */
  @Test
  void aDenialComesInAThreadThatMayBlock() {
    app("60s")
        .run(
            context -> {
              built(context);
              Products products = context.getBean(Products.class);
              CompletableFuture<String> denied;
              server.freeze();
              try {
                denied =
                    products
                        .findLater(3001)
                        .thenApply(none -> none + " in " + Thread.currentThread().getName());
              } finally {
                server.thaw();
              }
              assertThat(denied.join()).startsWith("null in ").doesNotContain("lettuce");
            });
  }

  @Test
  void aPutThatFails_isAnError_andTheMethodIsNotCalled() {
    app("1s")
        .run(
            context -> {
              built(context);
              Products products = context.getBean(Products.class);
              server.freeze();
              try {
                assertThatThrownBy(() -> products.save(2001).block())
                    .isInstanceOf(RedisFilterException.class);
                assertThat(made).isEmpty();
                assertThatThrownBy(() -> products.create(2002).block())
                    .isInstanceOf(RedisFilterException.class);
                assertThatThrownBy(() -> products.createLater(2003).join())
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(RedisFilterException.class);
              } finally {
                server.thaw();
              }
            });
    app("1s")
        .withPropertyValues("woodbird.guards.products.follow=lookup")
        .run(
            context -> {
              built(context);
              Products products = context.getBean(Products.class);
              server.freeze();
              try {
                assertThat(products.save(2001).block()).isEqualTo(new Product(2001));
                assertThat(products.create(2002).block()).isEqualTo(new Product(2002));
              } finally {
                server.thaw();
              }
            });
  }
}
