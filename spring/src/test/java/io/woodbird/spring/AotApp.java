package io.woodbird.spring;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.springframework.aot.AotDetector;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** An application with a guarded method, which says what it found and ends. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class AotApp {
  /** A shop whose guard finds the key by an expression over the call. */
  static class Products {
    @Guarded(value = "products", key = "#root.args[0]")
    public Optional<String> find(long id) {
      return Optional.of("product " + id);
    }
  }

  @Bean
  DataSource dataSource() {
    return new TestApp.Database().dataSource();
  }

  @Bean
  Products products() {
    return new Products();
  }

  public static void main(String[] arguments) throws Exception {
    try (ConfigurableApplicationContext context = SpringApplication.run(AotApp.class, arguments)) {
      NamedGuard guard = context.getBean(Guards.class).get("products");
      guard.rebuild().get(5, TimeUnit.MINUTES);
      while (guard.mightContain(-1L)) {
        Thread.sleep(10); // Until the follower has begun.
      }
      Products products = context.getBean(Products.class);
      System.out.println(
          "ahead of time "
              + AotDetector.useGeneratedArtifacts()
              + ", found "
              + products.find(1)
              + " and "
              + products.find(-1));
    }
  }
}
