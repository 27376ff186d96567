package io.woodbird.spring;

import io.woodbird.guard.Follower;
import io.woodbird.guard.GenerationStore;
import io.woodbird.guard.KeySource;
import io.woodbird.jdbc.JdbcKeys;
import io.woodbird.spring.WoodbirdProperties.GuardProperties;
import io.woodbird.spring.WoodbirdProperties.Source;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.util.ClassUtils;

/** Makes guards from their configuration, and says what is wrong with it. */
final class GuardsFactory {
  static final String ROUTING_NAME =
      "org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource";

  /** Others have a class of the same name as Spring's. The second is Apache's, for shards. */
  private static final Set<String> ROUTING_NAMES =
      Set.of("AbstractRoutingDataSource", "ShardingSphereDataSource");

  /** Spring's own class for such a DataSource; null if it is not there. */
  private static final @Nullable Class<?> ROUTING =
      ClassUtils.isPresent(ROUTING_NAME, GuardsFactory.class.getClassLoader())
          ? ClassUtils.resolveClassName(ROUTING_NAME, GuardsFactory.class.getClassLoader())
          : null;

  private final BeanFactory beans;
  private final List<GuardStoreFactory> stores;
  private final Set<Follower<?>> followers = Collections.newSetFromMap(new IdentityHashMap<>());

  GuardsFactory(BeanFactory beans, List<GuardStoreFactory> stores) {
    this.beans = beans;
    this.stores = stores;
  }

  Guards create(WoodbirdProperties properties) {
    Map<String, NamedGuard> guards = new LinkedHashMap<>();
    properties.guards().forEach((name, guard) -> guards.put(name, create(name, guard)));
    if (!properties.enabled()) {
      guards.values().forEach(NamedGuard::disable);
    }
    return new Guards(guards);
  }

  static GuardConfigurationException wrong(String guard, String what, String action) {
    return new GuardConfigurationException("woodbird guard '" + guard + "': " + what, action);
  }

  private NamedGuard create(String name, GuardProperties guard) {
    KeySource<?> given = source(name, guard);
    Follower<Object> follower = follower(name, guard, given);
    boolean readsChanges = follower != null && follower.readsChanges();
    boolean isLookedUp = follower != null && !readsChanges;
    try {
      KeySource<?> source =
          readsChanges && given instanceof JdbcKeys<?> keys ? keys.wholeTable() : given;
      return new NamedGuard(
          name,
          guard,
          events ->
              filter(new GuardPlan(name, guard.key().hasher(), source, guard, isLookedUp, events)),
          follower,
          readsChanges ? lookUp(source) : null);
    } catch (IllegalArgumentException e) {
      throw wrong(
          name, e.getMessage() + ".", "Correct the value under woodbird.guards." + name + ".");
    }
  }

  private GuardFilter filter(GuardPlan plan) {
    String store = plan.properties().store();
    if (store.equals("memory")) {
      return GuardFilter.rebuilding(plan, GenerationStore.memory());
    }
    if (store.equals("file")) {
      Path file = plan.properties().file();
      if (file == null) {
        throw wrong(
            plan.guard(),
            "the store is a file, and no file is named.",
            "Set woodbird.guards."
                + plan.guard()
                + ".file, such as /var/lib/app/"
                + plan.guard()
                + ".wbird.");
      }
      return GuardFilter.rebuilding(plan, new FileGenerationStore(file));
    }
    for (GuardStoreFactory factory : stores) {
      if (factory.name().equals(store)) {
        return factory.create(plan);
      }
    }
    if (store.equals("redis")) {
      throw wrong(
          plan.guard(),
          "its store is redis, and woodbird-redis is not on the class path.",
          "Add io.woodbird:woodbird-redis, and Lettuce or Jedis 8 if there is no client yet.");
    }
    throw wrong(
        plan.guard(),
        "there is no store '" + store + "' on the class path.",
        "Use memory, file or redis, or add the module that has a GuardStoreFactory named '"
            + store
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
      DataSource pool = dataSource(name, source.dataSource());
      JdbcKeys<?> keys = guard.key().keys(pool, source.sql()).fetchSize(source.fetchSize());
      Boolean keeps = source.keepConnection();
      boolean isKept = keeps == null ? PoolSize.isSpacious(pool, beans) : keeps;
      return isKept ? keys.keepConnection() : keys;
    }
    return beanSource(name, String.valueOf(source.bean()), guard.key());
  }

  /** What proves that keys are absent; null if the filter is believed. */
  @SuppressWarnings("unchecked") // A bean of another key type fails when it is asked.
  private @Nullable Follower<Object> follower(
      String name, GuardProperties guard, KeySource<?> source) {
    String how = guard.follow();
    if ("none".equals(how)) {
      return null;
    }
    if (how != null && !how.equals("lookup")) {
      try {
        return alone(name, how, (Follower<Object>) beans.getBean(how, Follower.class));
      } catch (BeansException e) {
        throw wrong(
            name,
            "there is no Follower bean '" + how + "'.",
            "Set woodbird.guards." + name + ".follow to lookup, none, or the name of such a bean.");
      }
    }
    Follower<Object> lookUp = lookUp(source);
    if (lookUp != null) {
      return lookUp;
    }
    if (how != null) {
      throw wrong(
          name,
          "it can't look keys up: its source is no SQL.",
          "Use woodbird.guards." + name + ".source.sql, or a Follower bean.");
    }
    return null;
  }

  /** A follower puts the keys that it finds into one filter; those of another would be denied. */
  private Follower<Object> alone(String name, String bean, Follower<Object> follower) {
    if (!followers.add(follower)) {
      throw wrong(
          name,
          "its Follower bean '" + bean + "' is that of another guard too.",
          "Define a bean for each guard, or give this one the scope \"prototype\".");
    }
    return follower;
  }

  /** Looks keys up where the source is SQL. */
  @SuppressWarnings("unchecked") // The keys are of the guard's own type.
  private static @Nullable Follower<Object> lookUp(KeySource<?> source) {
    return source instanceof JdbcKeys<?> keys ? (Follower<Object>) keys.follower() : null;
  }

  private DataSource dataSource(String name, @Nullable String bean) {
    try {
      DataSource found =
          bean == null ? beans.getBean(DataSource.class) : beans.getBean(bean, DataSource.class);
      if (bean == null && isRouting(found)) {
        throw wrong(
            name,
            "its DataSource chooses a database by the calling thread or by the statement, and a guard"
                + " asks for many keys at once in a thread of its own: rows of the other databases"
                + " would be denied.",
            "Set woodbird.guards."
                + name
                + ".source.data-source to the name of a DataSource with one database, or of this one"
                + " if all of them have the same rows.");
      }
      return found;
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

  /** Whether a DataSource, or what it wraps, has several databases. */
  private static boolean isRouting(DataSource source) {
    for (Class<?> type = source.getClass(); type != null; type = type.getSuperclass()) {
      if (ROUTING_NAMES.contains(type.getSimpleName())) {
        return true;
      }
    }
    try {
      return ROUTING != null && source.isWrapperFor(ROUTING);
    } catch (SQLException | RuntimeException e) {
      return false; // It knows nothing of wrappers.
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
