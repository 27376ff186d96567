package io.woodbird.spring;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import reactor.core.publisher.Mono;

/** What tests of a guard that follows its source share: guarded methods and their table. */
abstract class FollowTests {
  static final AtomicInteger loads = new AtomicInteger();

  final DataSource database = new TestApp.Database().dataSource();

  @BeforeEach
  void forget() {
    loads.set(0);
  }

  /** Guarded look-ups. */
  static class Products {
    private final JdbcTemplate database;

    Products(DataSource database) {
      this.database = new JdbcTemplate(database);
    }

    @Guarded("products")
    public String find(long id) {
      loads.incrementAndGet();
      List<String> names =
          database.queryForList("select name from product where id = ?", String.class, id);
      return names.isEmpty() ? null : names.get(0);
    }

    @Guarded("products")
    public CompletableFuture<String> findLater(long id) {
      return CompletableFuture.completedFuture(find(id));
    }

    @Guarded("products")
    public Mono<String> findReactive(long id) {
      return Mono.justOrEmpty(find(id));
    }
  }

  ApplicationContextRunner app(String... properties) {
    return TestApp.runner(Products.class)
        .withBean(DataSource.class, () -> database)
        .withPropertyValues(
            "woodbird.guards.products.source.sql=select id from product",
            "woodbird.guards.products.fpp=1e-6")
        .withPropertyValues(properties);
  }

  static Products products(ApplicationContext context) {
    return context.getBean(Products.class);
  }

  static NamedGuard guard(ApplicationContext context) {
    return context.getBean(Guards.class).get("products");
  }
}
