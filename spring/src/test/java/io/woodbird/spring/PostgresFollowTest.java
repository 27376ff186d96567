package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.postgres.PostgresFollower;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A guard whose follower is a bean that reads the changes of its table. */
final class PostgresFollowTest {
  private static EmbeddedPostgres server;
  private static final AtomicInteger loads = new AtomicInteger();

  private static volatile long deleted = -1;

  static class Products {
    @Guarded("products")
    public @Nullable String find(long id) {
      loads.incrementAndGet();
      return id == deleted ? null : "product " + id;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Following {
    @Bean
    DataSource dataSource() {
      return server.getPostgresDatabase();
    }

    @Bean
    PostgresFollower<Object> changes(ObjectProvider<Guards> guards) {
      return PostgresFollower.<Object>of(server.getJdbcUrl("postgres", "postgres"), Long::valueOf)
          .login("postgres", "postgres")
          .table("public", "product")
          .column("id")
          .refill(() -> guards.getObject().get("products").rebuild())
          .build();
    }
  }

  @Test
  void rowsOfOthers_areFoundAtOnce_andOnlyWhatWasNotFoundIsLookedUp() throws Exception {
    try (EmbeddedPostgres started =
        EmbeddedPostgres.builder().setServerConfig("wal_level", "logical").start()) {
      server = started;
      DataSource database = started.getPostgresDatabase();
      TestApp.execute(database, "create table product (id bigint primary key)");
      TestApp.execute(database, "insert into product select generate_series(1, 1000)");
      TestApp.runner(Products.class, Following.class)
          .withPropertyValues(
              "woodbird.guards.products.source.sql=select id from product",
              "woodbird.guards.products.follow=changes",
              "woodbird.guards.products.fpp=1e-6",
              "woodbird.guards.products.longest-wait=5m",
              "management.endpoints.web.exposure.include=woodbird")
          .run(
              context -> {
                NamedGuard guard = context.getBean(Guards.class).get("products");
                while (guard.mightContain(-1L)) { // Until the filter is built and followed.
                  LockSupport.parkNanos(1_000_000);
                }
                Products products = context.getBean(Products.class);
                loads.set(0);
                assertThat(products.find(5000)).isNull();
                assertThat(loads).hasValue(0);
                for (long id = 5000; id < 5050; id++) {
                  TestApp.execute(database, "insert into product values (" + id + ")");
                  assertThat(products.find(id)).isEqualTo("product " + id);
                }
                replay(database, products);
                assertThatThrownBy(
                        () ->
                            context
                                .getBean(WoodbirdEndpoint.class)
                                .act("products", "rollback", null))
                    .isInstanceOf(InvalidEndpointRequestException.class)
                    .hasMessageContaining("rebuild it instead");
              });
    }
  }

  /** The filter has a key whose row is gone, as it has a false positive. */
  private static void replay(DataSource database, Products products) {
    TestApp.execute(database, "delete from product where id = 7");
    deleted = 7;
    loads.set(0);
    for (int i = 0; i < 20; i++) {
      assertThat(products.find(7)).isNull();
    }
    assertThat(loads).hasValue(1);
    deleted = -1;
    TestApp.execute(database, "insert into product values (7)");
    assertThat(products.find(7)).isEqualTo("product 7");
  }

  /**
   * A row that comes to match the condition of a query is an update of another column: the changes
   * of the key column do not bring it.
   */
  @Test
  void aSourceThatLeavesRowsOut_isNotFollowedByChanges() throws Exception {
    try (EmbeddedPostgres started =
        EmbeddedPostgres.builder().setServerConfig("wal_level", "logical").start()) {
      server = started;
      DataSource database = started.getPostgresDatabase();
      TestApp.execute(database, "create table product (id bigint primary key, active boolean)");
      TestApp.execute(
          database, "insert into product select n, n > 1 from generate_series(1, 50) n");
      TestApp.execute(database, "create view shown as select id from product where active");
      ApplicationContextRunner app =
          TestApp.runner(Products.class, Following.class)
              .withPropertyValues(
                  "woodbird.guards.products.follow=changes",
                  "woodbird.guards.products.fpp=1e-6",
                  "woodbird.guards.products.longest-wait=5m");
      Refusals.assertRefused(
          app.withPropertyValues(
              "woodbird.guards.products.source.sql=select id from product where active"),
          "changes of a table can be followed only if all its rows are read",
          "woodbird.guards.products");
      app.withPropertyValues("woodbird.guards.products.source.sql=select id from shown")
          .run(
              context -> {
                NamedGuard guard = context.getBean(Guards.class).get("products");
                assertThatThrownBy(() -> guard.rebuild().get())
                    .hasStackTraceContaining("the query reads a view");
                TestApp.execute(database, "update product set active = true where id = 1");
                assertThat(context.getBean(Products.class).find(1)).isEqualTo("product 1");
              });
    }
  }
}
