package io.woodbird.spring;

import io.woodbird.guard.Generation;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application with a table of the products 1 to 1000, and a guard over it. */
final class TestApp {
  static final long ROWS = 1000;

  private TestApp() {}

  static ApplicationContextRunner runner(Class<?>... configurations) {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(AopAutoConfiguration.class, WoodbirdAutoConfiguration.class))
        .withUserConfiguration(configurations);
  }

  static ApplicationContextRunner guarded(Class<?>... configurations) {
    return runner(configurations)
        .withUserConfiguration(Database.class)
        .withPropertyValues(
            "woodbird.guards.products.source.sql=select id from product",
            "woodbird.guards.products.fpp=1e-6");
  }

  /** The guard, when it is built and has begun to follow its source. */
  static NamedGuard built(ApplicationContext context) {
    NamedGuard guard = context.getBean(Guards.class).get("products");
    rebuild(guard);
    while (guard.following() != null
        && String.valueOf(guard.following().doubt()).contains("has not begun yet")) {
      Thread.onSpinWait();
    }
    return guard;
  }

  static Generation rebuild(NamedGuard guard) {
    try {
      return guard.rebuild().get(5, TimeUnit.MINUTES);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  static void execute(DataSource dataSource, String sql) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** A database of its own for each context. */
  @Configuration(proxyBeanMethods = false)
  static class Database {
    @Bean
    DataSource dataSource() {
      JdbcDataSource dataSource = new JdbcDataSource();
      dataSource.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
      execute(dataSource, "create table product (id bigint primary key, name varchar(100))");
      execute(
          dataSource, "insert into product select x, 'product ' || x from system_range(1, 1000)");
      return dataSource;
    }
  }
}
