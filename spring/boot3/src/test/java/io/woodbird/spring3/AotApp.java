package io.woodbird.spring3;

import io.woodbird.spring.Guarded;
import io.woodbird.spring.Guards;
import io.woodbird.spring.NamedGuard;
import java.util.Optional;
import org.springframework.aot.AotDetector;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.actuate.health.HealthContributorRegistry;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;

/** An application with a guarded method, which says what it found and how it is, and ends. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class AotApp {
  /** The guarded method. */
  static class Products {
    @Guarded("products")
    public Optional<String> find(long id) {
      return Optional.of("product " + id);
    }
  }

  @Bean
  Products products(JdbcTemplate database) {
    database.execute("create table product (id bigint primary key)");
    database.execute("insert into product select x from system_range(1, 1000)");
    return new Products();
  }

  public static void main(String[] arguments) throws Exception {
    try (ConfigurableApplicationContext context = SpringApplication.run(AotApp.class, arguments)) {
      NamedGuard guard = context.getBean(Guards.class).get("products");
      guard.rebuild().get();
      while (guard.mightContain(-1L)) {
        Thread.sleep(10); // Until the follower has begun.
      }
      Products products = context.getBean(Products.class);
      HealthContributorRegistry all = context.getBean(HealthContributorRegistry.class);
      HealthIndicator health = (HealthIndicator) all.getContributor("woodbird");
      System.out.println(
          "ahead of time "
              + AotDetector.useGeneratedArtifacts()
              + ", found "
              + products.find(1)
              + " and "
              + products.find(-1)
              + ", health "
              + health.getHealth(false).getStatus());
    }
  }
}
