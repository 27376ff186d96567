package io.woodbird.example.guard;

import io.woodbird.spring.Guards;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ConfigurableApplicationContext;

/** The application: PostgreSQL, Caffeine, Woodbird. */
@SpringBootApplication(proxyBeanMethods = false)
@EnableCaching
class Shop {
  /**
   * Starts it on a database; with the guard, waits for its first build, so that all can be counted.
   */
  static ConfigurableApplicationContext start(
      Database database, boolean guarded, String... settings) throws Exception {
    List<String> all = new ArrayList<>(List.of(settings));
    all.add("--spring.datasource.url=" + database.url());
    all.add("--woodbird.enabled=" + guarded);
    ConfigurableApplicationContext context =
        new SpringApplication(Shop.class).run(all.toArray(String[]::new));
    if (guarded) {
      context.getBean(Guards.class).get("products").rebuild().get(5, TimeUnit.MINUTES);
    }
    return context;
  }
}
