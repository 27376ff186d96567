package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** New rows: their keys are in the filter before anybody can see them. */
final class GuardedPutTest {
  record Product(long id, String name) {}

  static class Products {
    private final JdbcTemplate jdbc;
    private final Guards guards;
    volatile Boolean inFilterBeforeCommit;

    Products(DataSource dataSource, Guards guards) {
      this.jdbc = new JdbcTemplate(dataSource);
      this.guards = guards;
    }

    private void insert(long id, String name) {
      jdbc.update("insert into product values (?, ?)", id, name);
      if (TransactionSynchronizationManager.isSynchronizationActive()) {
        TransactionSynchronizationManager.registerSynchronization(
            new TransactionSynchronization() {
              @Override
              public void beforeCommit(boolean readOnly) {
                inFilterBeforeCommit = guards.get("products").mightContain(id);
              }
            });
      }
    }

    @Transactional
    @GuardedPut(value = "products", key = "#result.id")
    public Product create(String name) {
      Product product = new Product(5000 + name.length(), name);
      insert(product.id(), name);
      return product;
    }

    @GuardedPut(value = "products", key = "#product.id")
    public void save(Product product) {
      assertThat(guards.get("products").mightContain(product.id())).isTrue();
      insert(product.id(), product.name());
    }

    @Transactional
    @GuardedPut(value = "products", key = "#result.![id]")
    public List<Product> createAll(List<String> names) {
      return names.stream().map(name -> new Product(6000 + name.length(), name)).toList();
    }

    @GuardedPut(value = "products", key = "#result.id")
    public Mono<Product> createReactive(String name) {
      return Mono.fromSupplier(() -> new Product(7100 + name.length(), name));
    }

    @GuardedPut(value = "products", key = "#result.id")
    public Flux<Product> createMany(String... names) {
      return Flux.fromArray(names).map(name -> new Product(7200 + name.length(), name));
    }

    @GuardedPut(value = "products", key = "#result.id")
    public CompletableFuture<Product> createLater(String name) {
      return CompletableFuture.supplyAsync(() -> new Product(7300 + name.length(), name));
    }

    @Transactional
    @GuardedPut(value = "products", key = "#product.id")
    public void fail(Product product) {
      throw new IllegalStateException("no stock");
    }

    @GuardedPut(value = "products", key = "#name")
    public void wrongType(String name) {}

    @GuardedPut(value = "products", key = "#product?.id")
    public void noKey(Product product) {}

    @GuardedPut(value = "products", key = "#resultId")
    public void saveNumbered(long resultId) {
      inFilterBeforeCommit = guards.get("products").mightContain(resultId);
    }

    @Guarded(value = "products", key = "#resultId")
    public String findNumbered(long resultId) {
      return find(resultId);
    }

    @Transactional
    @GuardedPut(value = "products", key = "#result.id")
    public Product makesNone(long id) {
      insert(id, "made");
      return null;
    }

    @GuardedPut(value = "products", key = "#result.name")
    public Mono<Product> wrongTypeLater() {
      return Mono.just(new Product(1, "text"));
    }

    @Guarded("products")
    public String find(long id) {
      return jdbc.query(
          "select name from product where id = ?",
          rows -> rows.next() ? rows.getString(1) : null,
          id);
    }
  }

  private static ApplicationContextRunner app() {
    return TestApp.guarded(Products.class)
        .withConfiguration(
            AutoConfigurations.of(
                DataSourceTransactionManagerAutoConfiguration.class,
                TransactionAutoConfiguration.class));
  }

  @Test
  void aGeneratedKeyIsPutInsideTheTransactionBeforeItCommits() {
    app()
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              Products products = context.getBean(Products.class);
              assertThat(products.find(5004)).isNull();
              assertThat(products.create("crow").id()).isEqualTo(5004);
              assertThat(target(products).inFilterBeforeCommit).isTrue();
              assertThat(products.find(5004)).isEqualTo("crow");
              TestApp.rebuild(guard);
              assertThat(products.find(5004)).isEqualTo("crow");
            });
  }

  private static Products target(Products proxy) {
    return org.springframework.test.util.AopTestUtils.getTargetObject(proxy);
  }

  @Test
  void aKnownKeyIsPutBeforeTheMethodIsCalled() {
    app()
        .run(
            context -> {
              TestApp.built(context);
              Products products = context.getBean(Products.class);
              products.save(new Product(7000, "owl"));
              assertThat(products.find(7000)).isEqualTo("owl");
            });
  }

  /** Without a follower, so that only the put can have brought the key. */
  @Test
  void aResultThatComesLater_isPut_beforeTheCallerGetsIt() {
    app()
        .withPropertyValues("woodbird.guards.products.follow=none")
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              Products products = context.getBean(Products.class);
              Mono<Product> one = products.createReactive("crow");
              assertThat(guard.mightContain(7104L)).isFalse();
              assertThat(one.map(made -> guard.mightContain(made.id())).block()).isTrue();
              assertThat(guard.mightContain(7203L)).isFalse();
              assertThat(
                      products
                          .createMany("owl", "heron")
                          .map(made -> guard.mightContain(made.id()))
                          .collectList()
                          .block())
                  .containsExactly(true, true);
              assertThat(
                      products
                          .createLater("jay")
                          .thenApply(made -> guard.mightContain(made.id()))
                          .join())
                  .isTrue();
            });
  }

  @Test
  void manyKeysAreThereTogether() {
    app()
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              context.getBean(Products.class).createAll(List.of("a", "bb", "ccc"));
              assertThat(guard.mightContain(6001L)).isTrue();
              assertThat(guard.mightContain(6002)).isTrue();
              assertThat(guard.mightContain((short) 6003)).isTrue();
              assertThat(guard.mightContain(6004L)).isFalse();
            });
  }

  @Test
  void aRollBackLeavesAKeyTooManyWhichDoesNoHarm() {
    app()
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              Products products = context.getBean(Products.class);
              assertThatThrownBy(() -> products.fail(new Product(8000, ""))).hasMessage("no stock");
              assertThat(guard.mightContain(8000L)).isTrue();
              assertThat(products.find(8000)).isNull();
              assertThat(guard.stats().falsePositives()).isEqualTo(1);
            });
  }

  @Test
  void aParameterThatIsCalledLikeTheResult_isPutBeforeTheMethodIsCalled() {
    app()
        .withPropertyValues("woodbird.guards.products.follow=none")
        .run(
            context -> {
              TestApp.built(context);
              Products products = context.getBean(Products.class);
              products.saveNumbered(5000);
              assertThat(target(products).inFilterBeforeCommit).isTrue();
              assertThat(products.findNumbered(5001)).isNull();
            });
  }

  /** A guard that follows its source finds the row without the put. */
  @Test
  void aKeyThatIsNone_failsNoMethod_ifTheGuardFollows() {
    app()
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              Products products = context.getBean(Products.class);
              products.wrongType("x");
              products.noKey(null);
              assertThat(products.makesNone(5000)).isNull();
              assertThat(products.find(5000)).isEqualTo("made");
              assertThat(products.wrongTypeLater().block()).isNotNull();
              assertThatIllegalArgumentException().isThrownBy(() -> guard.put(List.of("x")));
            });
  }

  @Test
  void aKeyThatIsNoneIsRefusedAtOnce() {
    app()
        .withPropertyValues("woodbird.guards.products.follow=none")
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              Products products = context.getBean(Products.class);
              assertThatIllegalArgumentException()
                  .isThrownBy(() -> products.wrongType("x"))
                  .withMessageContaining("keys of type LONG")
                  .withMessageContaining("java.lang.String");
              assertThatThrownBy(() -> products.noKey(null)).hasMessageContaining("#result");
              assertThatThrownBy(() -> products.makesNone(5000)).hasMessageContaining("null");
              assertThatIllegalArgumentException().isThrownBy(() -> guard.put(List.of("x")));
            });
  }

  @Test
  void aRowWrittenBehindTheGuardsBackIsFoundByTheAuditAndServed() {
    app()
        .withPropertyValues(
            "woodbird.guards.products.audit=1", "woodbird.guards.products.follow=none")
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              Products products = context.getBean(Products.class);
              TestApp.execute(
                  context.getBean(DataSource.class), "insert into product values (9000, 'jay')");
              assertThat(products.find(9000)).isEqualTo("jay");
              assertThat(guard.stats().wrong()).isEqualTo(1);
              TestApp.rebuild(guard);
              assertThat(products.find(9000)).isEqualTo("jay");
              assertThat(guard.stats().wrong()).isEqualTo(1);
            });
  }
}
