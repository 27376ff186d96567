package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.testkit.RedisServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import reactor.core.publisher.Mono;

/** What tests of the store in Redis share: an application, its database, and a Redis. */
abstract class RedisStoreTests {
  static final AtomicInteger loads = new AtomicInteger();

  RedisServer server;
  DataSource database;

  @BeforeEach
  void start() {
    server = RedisServer.start();
    database = new TestApp.Database().dataSource();
    loads.set(0);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  static final Duration TIMEOUT = Duration.ofMillis(500);

  static class Products {
    @Autowired DataSource dataSource;

    @Guarded("products")
    public String find(long id) throws Exception {
      loads.incrementAndGet();
      try (var connection = dataSource.getConnection();
          var query = connection.prepareStatement("select name from product where id = ?")) {
        query.setLong(1, id);
        try (var rows = query.executeQuery()) {
          return rows.next() ? rows.getString(1) : null;
        }
      }
    }

    @Guarded("products")
    public Mono<String> findReactive(long id) {
      return Mono.fromCallable(() -> find(id));
    }
  }

  ApplicationContextRunner app(String... properties) {
    return TestApp.runner(Products.class)
        .withBean(DataSource.class, () -> database)
        .withPropertyValues(
            "spring.application.name=shop",
            "woodbird.guards.products.source.sql=select id from product",
            "woodbird.guards.products.fpp=1e-6",
            "woodbird.guards.products.store=redis",
            "woodbird.redis.timeout=20s",
            "woodbird.guards.products.rebuild.settle=0s",
            "woodbird.guards.products.rebuild.retry-after=300ms")
        .withPropertyValues(properties);
  }

  ApplicationContextRunner byUrl() {
    return app("woodbird.redis.url=redis://127.0.0.1:" + server.port());
  }

  /** An application that does not wait long for a server that is away. */
  ApplicationContextRunner hasty() {
    return byUrl().withPropertyValues("woodbird.redis.timeout=" + TIMEOUT.toMillis() + "ms");
  }

  static NamedGuard guard(ApplicationContext context) {
    return context.getBean(Guards.class).get("products");
  }

  static String find(ApplicationContext context, long id) {
    try {
      return context.getBean(Products.class).find(id);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  static void await(BooleanSupplier what) {
    for (int i = 0; !what.getAsBoolean(); i++) {
      assertThat(i).as("waited for a minute").isLessThan(3000);
      try {
        TimeUnit.MILLISECONDS.sleep(20);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  static void awaitBuilt(ApplicationContext context) {
    await(() -> guard(context).generation().isPresent());
  }
}
