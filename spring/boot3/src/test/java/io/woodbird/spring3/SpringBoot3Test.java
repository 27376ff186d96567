package io.woodbird.spring3;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.woodbird.spring.Guarded;
import io.woodbird.spring.GuardedPut;
import io.woodbird.spring.Guards;
import io.woodbird.spring.NamedGuard;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthContributorRegistry;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** The starter in an application of Spring Boot 3.5. */
final class SpringBoot3Test {
  private static ConfigurableApplicationContext context;
  private static Products products;
  private static NamedGuard guard;
  private static JdbcTemplate database;

  /** What an application would have. */
  static class Products {
    private final JdbcTemplate database;
    int calls;

    Products(JdbcTemplate database) {
      this.database = database;
    }

    @Cacheable(value = "products", unless = "#result == null")
    public Optional<String> find(long id) {
      calls++;
      return database
          .queryForList("select name from product where id = ?", String.class, id)
          .stream()
          .findFirst();
    }

    @Guarded("products")
    public List<String> names(long id) {
      calls++;
      return database.queryForList("select name from product where id = ?", String.class, id);
    }

    @Transactional
    @GuardedPut(value = "products", key = "#id")
    public void create(long id, String name) {
      database.update("insert into product values (?, ?)", id, name);
    }
  }

  /** An application with a guarded cache and a guarded method. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EnableCaching
  static class App {
    @Bean
    Products products(JdbcTemplate database) {
      database.execute("create table product (id bigint primary key, name varchar(100))");
      database.execute("insert into product select x, 'product ' || x from system_range(1, 1000)");
      return new Products(database);
    }
  }

  /** An application without guards. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Empty {}

  @BeforeAll
  static void start() throws Exception {
    context =
        new SpringApplicationBuilder(App.class)
            .web(WebApplicationType.NONE)
            .properties(
                "spring.datasource.url=jdbc:h2:mem:boot3",
                "woodbird.guards.products.source.sql=select id from product",
                "woodbird.guards.products.caches=products",
                "management.endpoints.web.exposure.include=*",
                "spring.main.banner-mode=off",
                "logging.level.root=warn")
            .run();
    products = context.getBean(Products.class);
    guard = context.getBean(Guards.class).get("products");
    database = context.getBean(JdbcTemplate.class);
    guard.rebuild().get();
    for (long id = -1; guard.mightContain(id); id--) {
      Thread.sleep(10);
    }
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @Test
  void itIsSpringBoot35() {
    assertThat(SpringBootVersion.getVersion()).startsWith("3.5.");
  }

  @Test
  void idsThatDoNotExist_doNotReachTheMethods() {
    assertThat(products.find(42)).contains("product 42");
    int before = products.calls;
    long stopped = guard.stats().stopped();
    for (long id = 1_000_000; id < 1_000_020; id++) {
      assertThat(products.find(id)).isEmpty();
      assertThat(products.names(id)).isEmpty();
    }
    // At 0.1 %, five of 40 would be a wonder.
    assertThat(products.calls - before).isLessThan(5);
    assertThat(guard.stats().stopped() - stopped).isGreaterThan(35);
  }

  @Test
  void rowsOfOthers_areFoundAtOnce() {
    assertThat(products.find(5000)).isEmpty();
    database.update("insert into product values (5000, 'by a script')");
    assertThat(products.find(5000)).contains("by a script");
    products.create(5001, "by the application");
    assertThat(products.find(5001)).contains("by the application");
  }

  @Test
  void metersAreThere() {
    MeterRegistry registry = new SimpleMeterRegistry();
    context.getBeansOfType(MeterBinder.class).values().forEach(binder -> binder.bindTo(registry));
    assertThat(registry.find("woodbird.guard.requests").functionCounters()).isNotEmpty();
  }

  @Test
  void theEndpoint_isThere() {
    assertThat(context.containsBean("woodbirdEndpoint")).isTrue();
  }

  /** Its types are elsewhere in Spring Boot 4, for which the starter is compiled. */
  @Test
  void healthTellsOfTheGuards() {
    HealthContributorRegistry all = context.getBean(HealthContributorRegistry.class);
    HealthIndicator woodbird = (HealthIndicator) all.getContributor("woodbird");
    Health health = woodbird.getHealth(true);
    assertThat(health.getStatus()).isEqualTo(Status.UP);
    assertThat(health.getDetails().get("products").toString()).contains("state=built");
    assertThat(woodbird.getHealth(false).getDetails()).isEmpty();
    assertThat(woodbird).isEqualTo(woodbird).hasToString("woodbirdHealthIndicator");
  }

  @Test
  void healthCanBeTurnedOff() {
    try (ConfigurableApplicationContext quiet =
        new SpringApplicationBuilder(Empty.class)
            .web(WebApplicationType.NONE)
            .properties(
                "management.health.woodbird.enabled=false",
                "spring.datasource.url=jdbc:h2:mem:quiet",
                "spring.main.banner-mode=off",
                "logging.level.root=warn")
            .run()) {
      assertThat(quiet.containsBean("woodbirdHealthIndicator")).isFalse();
    }
  }
}
