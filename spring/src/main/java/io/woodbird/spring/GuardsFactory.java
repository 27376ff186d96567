package io.woodbird.spring;

import io.woodbird.guard.GenerationStore;
import io.woodbird.guard.KeySource;
import io.woodbird.guard.RebuildingFilter;
import io.woodbird.guard.RebuildingFilterBuilder;
import io.woodbird.spring.WoodbirdProperties.GuardProperties;
import io.woodbird.spring.WoodbirdProperties.Rebuild;
import io.woodbird.spring.WoodbirdProperties.Source;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.scheduling.support.CronExpression;

/** Makes guards from their configuration, and says what is wrong with it. */
final class GuardsFactory {
  private final BeanFactory beans;
  private final List<GuardStoreFactory> stores;

  GuardsFactory(BeanFactory beans, List<GuardStoreFactory> stores) {
    this.beans = beans;
    this.stores = stores;
  }

  Guards create(WoodbirdProperties properties) {
    Map<String, NamedGuard> guards = new LinkedHashMap<>();
    properties.guards().forEach((name, guard) -> guards.put(name, create(name, guard)));
    return new Guards(guards);
  }

  private static GuardConfigurationException wrong(String guard, String what, String action) {
    return new GuardConfigurationException("woodbird guard '" + guard + "': " + what, action);
  }

  private NamedGuard create(String name, GuardProperties guard) {
    RebuildingFilterBuilder<Object> builder =
        RebuildingFilter.of(guard.key().hasher(), source(name, guard)).store(store(name, guard));
    try {
      schedule(name, guard.rebuild(), builder);
      builder.fpp(guard.fpp()).headroom(guard.headroom()).floor(guard.floor());
      if (guard.expectedKeys() != null) {
        builder.expectedKeys(guard.expectedKeys());
      }
      if (guard.allowEmptySource()) {
        builder.allowEmpty();
      }
      return new NamedGuard(name, guard.key(), builder, guard.bulkhead(), guard.audit());
    } catch (IllegalArgumentException e) {
      throw wrong(
          name, e.getMessage() + ".", "Correct the value under woodbird.guards." + name + ".");
    }
  }

  private static void schedule(
      String name, Rebuild rebuild, RebuildingFilterBuilder<Object> builder) {
    builder.retryAfter(rebuild.retryAfter()).settle(rebuild.settle()).patience(rebuild.patience());
    if (rebuild.cron() == null) {
      builder.every(rebuild.every());
      return;
    }
    CronExpression cron;
    try {
      cron = CronExpression.parse(rebuild.cron());
    } catch (IllegalArgumentException e) {
      throw wrong(
          name,
          "rebuild.cron can't be read: " + e.getMessage() + ".",
          "Write six fields, such as \"0 30 3 * * *\" for half past three (UTC) each night.");
    }
    builder.every(
        () -> {
          LocalDateTime now = LocalDateTime.now(ZoneOffset.UTC);
          LocalDateTime next = cron.next(now);
          return next == null ? Duration.ofDays(36500) : Duration.between(now, next);
        });
  }

  private GenerationStore<Object> store(String name, GuardProperties guard) {
    if (guard.store().equals("memory")) {
      return GenerationStore.memory();
    }
    if (guard.store().equals("file")) {
      if (guard.file() == null) {
        throw wrong(
            name,
            "the store is a file, and no file is named.",
            "Set woodbird.guards." + name + ".file, such as /var/lib/app/" + name + ".wbird.");
      }
      return new FileGenerationStore(guard.file());
    }
    for (GuardStoreFactory factory : stores) {
      if (factory.name().equals(guard.store())) {
        return factory.create(name);
      }
    }
    throw wrong(
        name,
        "there is no store '" + guard.store() + "' on the class path.",
        "Use memory or file, or add the module that has a GuardStoreFactory named '"
            + guard.store()
            + "'.");
  }

  private KeySource<?> source(String name, GuardProperties guard) {
    Source source = guard.source();
    if ((source.sql() == null) == (source.bean() == null)) {
      throw wrong(
          name,
          source.sql() == null ? "it has no source." : "it has two sources, sql and bean.",
          "Set either woodbird.guards."
              + name
              + ".source.sql, such as \"select id from product\", or source.bean, the name of a bean"
              + " that gives all keys.");
    }
    if (source.sql() != null) {
      return new JdbcKeySource(
          dataSource(name, source.dataSource()), source.sql(), source.fetchSize(), guard.key());
    }
    return beanSource(name, String.valueOf(source.bean()), guard.key());
  }

  private DataSource dataSource(String name, @Nullable String bean) {
    try {
      return bean == null ? beans.getBean(DataSource.class) : beans.getBean(bean, DataSource.class);
    } catch (NoUniqueBeanDefinitionException e) {
      throw wrong(
          name,
          "there are several DataSource beans: " + e.getBeanNamesFound() + ".",
          "Set woodbird.guards." + name + ".source.data-source to the name of one of them.");
    } catch (NoSuchBeanDefinitionException e) {
      throw wrong(
          name,
          "its source is SQL, and there is no DataSource"
              + (bean == null ? "." : " '" + bean + "'."),
          "Configure spring.datasource, or use woodbird.guards." + name + ".source.bean.");
    }
  }

  private KeySource<?> beanSource(String name, String bean, KeyType type) {
    Object found;
    try {
      found = beans.getBean(bean);
    } catch (NoSuchBeanDefinitionException e) {
      throw wrong(
          name,
          "there is no bean '" + bean + "' to read the keys from.",
          "Define it as a KeySource, or as a Supplier of a Stream.");
    }
    if (found instanceof KeySource<?> source) {
      return () -> source.open().map(key -> converted(type, key));
    }
    if (found instanceof Supplier<?> supplier) {
      return () -> ((Stream<?>) supplier.get()).map(key -> converted(type, key));
    }
    throw wrong(
        name,
        "the bean '" + bean + "' is a " + found.getClass().getName() + ".",
        "Make it a KeySource, or a Supplier of a Stream.");
  }

  private static Object converted(KeyType type, @Nullable Object key) {
    Object converted = type.convert(key);
    if (converted == null) {
      throw new IllegalStateException(
          "the source gave "
              + (key == null ? "null" : key.getClass())
              + ", no key of type "
              + type);
    }
    return converted;
  }
}
