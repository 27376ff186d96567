package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.guard.GuardOverloadedException;
import io.woodbird.guard.GuardStats;
import io.woodbird.guard.KeySource;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** {@code @Guarded} on methods of every return type. */
final class GuardedTest {
  record Request(long id, String text) {}

  static class Products {
    final AtomicInteger calls = new AtomicInteger();

    private boolean exists(long id) {
      calls.incrementAndGet();
      return id >= 1 && id <= TestApp.ROWS;
    }

    @Guarded("products")
    public String plain(long id) {
      return exists(id) ? "product " + id : null;
    }

    @Guarded("products")
    public Optional<String> optional(Integer id) {
      return exists(id) ? Optional.of("product " + id) : Optional.empty();
    }

    @Guarded("products")
    public List<String> list(long id) {
      return exists(id) ? List.of("product " + id) : List.of();
    }

    @Guarded("products")
    public Collection<String> collection(long id) {
      return list(id);
    }

    @Guarded("products")
    public Set<String> set(long id) {
      return Set.copyOf(list(id));
    }

    @Guarded("products")
    public Map<String, Long> map(long id) {
      return exists(id) ? Map.of("product", id) : Map.of();
    }

    @Guarded("products")
    public long[] array(long id) {
      return exists(id) ? new long[] {id} : new long[0];
    }

    @Guarded("products")
    public CompletableFuture<String> future(long id) {
      return CompletableFuture.completedFuture(exists(id) ? "product " + id : null);
    }

    @Guarded("products")
    public CompletionStage<Optional<String>> futureOptional(long id) {
      return CompletableFuture.completedFuture(
          exists(id) ? Optional.of("product " + id) : Optional.empty());
    }

    @Guarded("products")
    public Mono<String> mono(long id) {
      return Mono.fromSupplier(() -> exists(id) ? "product " + id : null);
    }

    @Guarded("products")
    public Flux<String> flux(long id) {
      return Flux.defer(() -> exists(id) ? Flux.just("product " + id, "again") : Flux.empty());
    }

    @Guarded("products")
    public Flux<String> endless(long id) {
      return Flux.concat(flux(id), Flux.never());
    }

    @Guarded(value = "products", key = "#request.id")
    public String nested(String tenant, Request request) {
      return exists(request.id()) ? tenant : null;
    }

    @Guarded(value = "products", key = "#a1.intValue()")
    public String byPosition(String tenant, Long id) {
      return exists(id) ? tenant : null;
    }

    @Guarded("products")
    public String boxed(Long id) {
      return id != null && exists(id) ? "product " + id : null;
    }

    @Guarded("products")
    public String failing(long id) {
      throw new IllegalStateException("the database is away");
    }
  }

  private static final long NONE = TestApp.ROWS + 1;

  @Test
  void aKeyThatExistsIsLookedUpAndOneThatDoesNotIsNot() {
    TestApp.guarded(Products.class)
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              Products products = context.getBean(Products.class);
              assertThat(products.plain(1)).isEqualTo("product 1");
              assertThat(products.optional(1)).contains("product 1");
              assertThat(products.collection(1)).containsExactly("product 1");
              assertThat(products.set(1)).containsExactly("product 1");
              assertThat(products.map(1)).containsEntry("product", 1L);
              assertThat(products.array(1)).containsExactly(1);
              assertThat(products.future(1).join()).isEqualTo("product 1");
              assertThat(products.futureOptional(1).toCompletableFuture().join())
                  .contains("product 1");
              assertThat(products.mono(1).block()).isEqualTo("product 1");
              assertThat(products.flux(1).collectList().block())
                  .containsExactly("product 1", "again");
              assertThat(products.nested("a", new Request(1, ""))).isEqualTo("a");
              assertThat(products.byPosition("a", 1L)).isEqualTo("a");
              GuardStats real = guard.stats();
              assertThat(real.found()).isEqualTo(12).isEqualTo(real.loaded());
              assertThat(real.stopped()).isZero();

              Products target = target(products);
              int before = target.calls.get();
              assertThat(products.plain(NONE)).isNull();
              assertThat(products.optional((int) NONE)).isEmpty();
              assertThat(products.list(NONE)).isEmpty();
              assertThat(products.collection(NONE)).isEmpty();
              assertThat(products.set(NONE)).isEmpty();
              assertThat(products.map(NONE)).isEmpty();
              assertThat(products.array(NONE)).isEmpty();
              assertThat(products.future(NONE).join()).isNull();
              assertThat(products.futureOptional(NONE).toCompletableFuture().join()).isEmpty();
              assertThat(products.mono(NONE).blockOptional()).isEmpty();
              assertThat(products.flux(NONE).collectList().block()).isEmpty();
              assertThat(products.nested("a", new Request(NONE, ""))).isNull();
              assertThat(products.byPosition("a", NONE)).isNull();
              assertThat(target.calls).hasValue(before);
              assertThat(guard.stats().stopped()).isEqualTo(13);
            });
  }

  private static Products target(Products proxy) {
    return org.springframework.test.util.AopTestUtils.getTargetObject(proxy);
  }

  @Test
  void missesAndFailuresOfEveryReturnTypeAreCounted() {
    TestApp.guarded(Products.class)
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              Products products = context.getBean(Products.class);
              // In the filter, and not in the table.
              guard.put(List.of(-1L, -2L, -3L, -4L, -5L, -6L, -7L, -8L));
              assertThat(products.plain(-1)).isNull();
              assertThat(products.optional(-2)).isEmpty();
              assertThat(products.map(-3)).isEmpty();
              assertThat(products.array(-4)).isEmpty();
              assertThat(products.future(-5).join()).isNull();
              assertThat(products.futureOptional(-6).toCompletableFuture().join()).isEmpty();
              assertThat(products.mono(-7).blockOptional()).isEmpty();
              assertThat(products.flux(-8).collectList().block()).isEmpty();
              assertThat(guard.stats().falsePositives()).isEqualTo(8);
              // The second time each of them is looked up by the guard, and by nobody else.
              assertThat(products.plain(-1)).isNull();
              assertThat(products.future(-5).join()).isNull();
              assertThat(products.mono(-7).blockOptional()).isEmpty();
              assertThat(products.flux(-8).collectList().block()).isEmpty();
              assertThat(guard.stats().falsePositives()).isEqualTo(8);
              assertThatThrownBy(() -> products.failing(1)).hasMessage("the database is away");
              assertThat(guard.stats().failed()).isEqualTo(1);
              assertThat(products.flux(1).take(1).collectList().block()).hasSize(1);
              assertThat(guard.stats().found()).isEqualTo(1);
            });
  }

  @Test
  void aCallWithoutAKeyIsLetThroughAndCounted() {
    TestApp.guarded(Products.class)
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              Products products = context.getBean(Products.class);
              assertThat(products.boxed(null)).isNull();
              assertThat(guard.stats().unknownReasons()).containsEntry("no key", 1L);
              assertThatThrownBy(() -> products.nested("a", null))
                  .isInstanceOf(NullPointerException.class);
              assertThat(guard.stats().unknownReasons())
                  .containsEntry("the key expression failed", 1L);
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class HangingSource {
    final CountDownLatch release = new CountDownLatch(1);

    @Bean
    KeySource<Long> ids() {
      return () -> {
        release.await();
        return Stream.of(1L, 2L);
      };
    }
  }

  @Test
  void aSourceThatHangsDoesNotKeepTheApplicationFromStarting() {
    TestApp.runner(Products.class, Slow.class, HangingSource.class)
        .withPropertyValues(
            "woodbird.guards.products.source.bean=ids", "woodbird.guards.products.bulkhead=1")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              NamedGuard guard = context.getBean(Guards.class).get("products");
              Products products = context.getBean(Products.class);
              assertThat(guard.generation()).isEmpty();
              assertThat(products.plain(1)).isEqualTo("product 1");
              assertThat(products.plain(NONE)).isNull();
              assertThat(guard.stats().unknown()).isEqualTo(2);
              assertThat(guard.stats().loaded()).isEqualTo(2);
              // A look-up that lasts takes the only place.
              CompletableFuture<String> never = new CompletableFuture<>();
              Slow.answer = never;
              Slow slow = context.getBean(Slow.class);
              assertThat(slow.find(1)).isSameAs(never);
              assertThat(slow.find(2)).isCompletedExceptionally();
              assertThatThrownBy(() -> slow.find(2).join())
                  .hasCauseInstanceOf(GuardOverloadedException.class);
              assertThatThrownBy(() -> products.plain(1))
                  .isInstanceOf(GuardOverloadedException.class);
              assertThatThrownBy(() -> products.mono(1).block())
                  .isInstanceOf(GuardOverloadedException.class);
              never.complete("at last");
              assertThat(products.plain(1)).isEqualTo("product 1");
              // One that has found something, and goes on for ever, needs no place any more.
              Disposable watching = products.endless(1).subscribe();
              assertThat(products.plain(1)).isEqualTo("product 1");
              watching.dispose();
              context.getBean(HangingSource.class).release.countDown();
            });
  }

  static class Slow {
    static CompletableFuture<String> answer = new CompletableFuture<>();

    @Guarded("products")
    public CompletableFuture<String> find(long id) {
      return answer;
    }
  }

  static class ReturnsInt {
    @Guarded("products")
    public int find(long id) {
      return 0;
    }
  }

  static class ReturnsVoid {
    @Guarded("products")
    public void find(long id) {}
  }

  static class ReturnsFuture {
    @Guarded("products")
    public Future<String> find(long id) {
      return CompletableFuture.completedFuture("");
    }
  }

  static class ReturnsOptionalInt {
    @Guarded("products")
    public OptionalInt find(long id) {
      return OptionalInt.empty();
    }
  }

  static class ReturnsStream {
    @Guarded("products")
    public Stream<String> find(long id) {
      return Stream.empty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        ReturnsInt.class,
        ReturnsVoid.class,
        ReturnsFuture.class,
        ReturnsOptionalInt.class,
        ReturnsStream.class
      })
  void aMethodThatCanNotSayNothingIsRefused(Class<?> type) {
    Refusals.assertRefused(
        TestApp.guarded(type), "it returns", "Return an object (null is nothing), an Optional");
  }

  static class TwoParameters {
    @Guarded("products")
    public String find(String tenant, long id) {
      return "";
    }
  }

  static class WrongKeyType {
    @Guarded("products")
    public String find(String id) {
      return "";
    }
  }

  static class WrongExpressionType {
    @Guarded(value = "products", key = "#sku")
    public String find(String sku, long shop) {
      return "";
    }
  }

  static class BadExpression {
    @Guarded(value = "products", key = "#id +")
    public String find(long id) {
      return "";
    }
  }

  static class ResultAsKey {
    @Guarded(value = "products", key = "#result")
    public String find(long id) {
      return "";
    }
  }

  static class UnknownGuard {
    @Guarded("prodcuts")
    public String find(long id) {
      return "";
    }
  }

  @Test
  void anAnnotationThatCanNotBeRightIsRefused() {
    Refusals.assertRefused(TestApp.guarded(TwoParameters.class), "2 parameters", "key = \"#id\"");
    Refusals.assertRefused(
        TestApp.guarded(WrongKeyType.class), "java.lang.String", "woodbird.guards.products.key");
    Refusals.assertRefused(
        TestApp.guarded(WrongExpressionType.class),
        "java.lang.String",
        "woodbird.guards.products.key");
    Refusals.assertRefused(
        TestApp.guarded(BadExpression.class), "expression can't be read", "@Cacheable");
    Refusals.assertRefused(TestApp.guarded(ResultAsKey.class), "can't be its result", "parameter");
    Refusals.assertRefused(
        TestApp.guarded(UnknownGuard.class),
        "'prodcuts' at io.woodbird.spring.GuardedTest$UnknownGuard.find: there is no such guard,"
            + " but [products]",
        "Declare woodbird.guards.prodcuts");
  }

  /** As Spring Data makes them. */
  interface Repository {
    @Guarded(value = "products", key = "#id")
    Optional<String> find(long id);

    @Guarded(value = "products", key = "#id")
    CompletableFuture<Optional<String>> findLater(String tenant, Long id);
  }

  @Configuration(proxyBeanMethods = false)
  static class Repositories {
    @Bean
    Repository repository() {
      return (Repository)
          Proxy.newProxyInstance(
              Repository.class.getClassLoader(),
              new Class<?>[] {Repository.class},
              (proxy, method, arguments) ->
                  method.getName().equals("find")
                      ? Optional.of("row " + arguments[0])
                      : CompletableFuture.completedFuture(Optional.of("row " + arguments[1])));
    }
  }

  @Test
  void aBeanThatIsAProxyItself_isGuarded() {
    TestApp.guarded(Repositories.class)
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              Repository repository = context.getBean(Repository.class);
              assertThat(repository.find(1)).contains("row 1");
              assertThat(repository.find(NONE)).isEmpty();
              assertThat(repository.findLater("a", 2L).join()).contains("row 2");
              assertThat(repository.findLater("a", NONE).join()).isEmpty();
              assertThat(guard.stats().stopped()).isEqualTo(2);
              assertThat(guard.stats().unknown()).isZero();
            });
  }

  static class UnknownVariable {
    @Guarded(value = "products", key = "#ID")
    public String find(long id) {
      return "row " + id;
    }
  }

  /** It would be null for every call, and nothing guarded. */
  @Test
  void anExpressionThatNamesNoParameter_isRefused() {
    Refusals.assertRefused(
        TestApp.guarded(UnknownVariable.class),
        "names #ID, and its parameters are [id]",
        "Correct the name");
  }

  @Test
  void disabled_everythingIsLookedUp() {
    TestApp.guarded(Products.class)
        .withPropertyValues("woodbird.enabled=false")
        .run(
            context -> {
              Products products = context.getBean(Products.class);
              assertThat(products.plain(NONE)).isNull();
              assertThat(products.calls).hasValue(1);
            });
  }

  @Test
  void manyThreadsSeeNoRealKeyStoppedWhileTheFilterIsRebuilt() {
    TestApp.guarded(Products.class)
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              Products products = context.getBean(Products.class);
              AtomicInteger stopped = new AtomicInteger();
              List<Thread> threads = new ArrayList<>();
              CountDownLatch end = new CountDownLatch(1);
              for (int i = 0; i < 4; i++) {
                Thread thread =
                    new Thread(
                        () -> {
                          while (end.getCount() > 0) {
                            for (long id = 1; id <= TestApp.ROWS; id++) {
                              stopped.addAndGet(products.plain(id) == null ? 1 : 0);
                            }
                          }
                        });
                thread.start();
                threads.add(thread);
              }
              for (int i = 0; i < 50; i++) {
                TestApp.rebuild(guard);
              }
              end.countDown();
              for (Thread thread : threads) {
                thread.join();
              }
              assertThat(stopped).hasValue(0);
            });
  }
}
