package io.woodbird.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.woodbird.micrometer.GuardMeters;
import io.woodbird.redis.WoodbirdRedis;
import java.util.List;
import org.springframework.aop.Advisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.bind.annotation.ControllerAdvice;

/** Guards in front of methods and caches, as configured under {@code woodbird.guards}. */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.autoconfigure.aop.AopAutoConfiguration",
      "org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration",
      "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
      "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration",
      // the same in Spring Boot 3
      "org.springframework.boot.autoconfigure.cache.CacheAutoConfiguration",
      "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
      "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
      "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration"
    })
@EnableConfigurationProperties(WoodbirdProperties.class)
@Import(WoodbirdAutoConfiguration.Proxies.class)
@ImportRuntimeHints(WoodbirdHints.class)
public class WoodbirdAutoConfiguration {
  /** Makes sure that Spring makes proxies, as caching and transactions do. */
  static final class Proxies implements ImportBeanDefinitionRegistrar {
    @Override
    public void registerBeanDefinitions(
        AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
      AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
    }
  }

  @Bean
  @ConditionalOnMissingBean
  Guards woodbirdGuards(
      BeanFactory beans, WoodbirdProperties properties, ObjectProvider<GuardStoreFactory> stores) {
    return new GuardsFactory(beans, stores.orderedStream().toList()).create(properties);
  }

  // Spring makes advisors before other beans, and asks them about each bean that it makes. So they
  // read the configuration by themselves, and look for the guards only when they are needed.

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static GuardAdvisors woodbirdAdvisors(
      Environment environment,
      ObjectProvider<Guards> guards,
      ObjectProvider<TaskDecorator> decorators) {
    return new GuardAdvisors(
        new GuardedMethods(
            SingletonSupplier.of(
                () -> Binder.get(environment).bindOrCreate("woodbird", WoodbirdProperties.class))),
        SingletonSupplier.of(guards::getObject),
        SingletonSupplier.of(() -> all(decorators.orderedStream().toList())));
  }

  /** The first one is the outermost. */
  private static TaskDecorator all(List<TaskDecorator> decorators) {
    return task -> {
      Runnable decorated = task;
      for (int i = decorators.size() - 1; i >= 0; i--) {
        decorated = decorators.get(i).decorate(decorated);
      }
      return decorated;
    };
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static Advisor woodbirdAskAdvisor(GuardAdvisors advisors) {
    return advisors.ask();
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static Advisor woodbirdLoadAdvisor(GuardAdvisors advisors) {
    return advisors.load();
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static Advisor woodbirdPutAdvisor(GuardAdvisors advisors) {
    return advisors.put();
  }

  @Bean
  SetupReport woodbirdSetupReport(
      WoodbirdProperties properties, Environment environment, GuardAdvisors advisors) {
    return new SetupReport(properties, environment, advisors.methods());
  }

  /** What a web application answers when a guard is overloaded. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication
  @ConditionalOnClass(ControllerAdvice.class)
  static class WebConfiguration {
    @Bean
    @ConditionalOnMissingBean
    GuardOverloadAdvice woodbirdOverloadAdvice() {
      return new GuardOverloadAdvice();
    }
  }

  /** The store "redis", if the application has woodbird-redis. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(WoodbirdRedis.class)
  static class RedisConfiguration {
    @Bean
    @ConditionalOnMissingBean
    RedisGuardStore woodbirdRedisStore(
        ListableBeanFactory beans, Environment environment, WoodbirdProperties properties) {
      return new RedisGuardStore(beans, environment, properties.redis());
    }
  }

  /** Counts of what goes wrong in Redis, if the application has both. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({WoodbirdRedis.class, MeterRegistry.class})
  static class RedisMeterConfiguration {
    @Bean
    @ConditionalOnMissingBean
    RedisMeters woodbirdRedisMeters(Guards guards, RedisGuardStore store) {
      return new RedisMeters(store);
    }
  }

  /** Health, if the application has it. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
  static class HealthConfiguration {
    @Bean
    @ConditionalOnEnabledHealthIndicator("woodbird")
    @ConditionalOnMissingBean(name = "woodbirdHealthIndicator")
    HealthIndicator woodbirdHealthIndicator(Guards guards) {
      return new GuardHealthIndicator(guards);
    }
  }

  /** The same in Spring Boot 3. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = OlderHealthIndicator.INDICATOR)
  @Import(OlderHealthIndicator.class)
  static class OlderHealthConfiguration {}

  /** The actuator endpoint, if the application has an actuator. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
  static class EndpointConfiguration {
    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    WoodbirdEndpoint woodbirdEndpoint(Guards guards) {
      return new WoodbirdEndpoint(guards);
    }
  }

  /** Meters, if the application has Micrometer. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterRegistry.class)
  static class MeterConfiguration {
    @Bean
    @ConditionalOnMissingBean(name = "woodbirdMeters")
    MeterBinder woodbirdMeters(Guards guards) {
      return registry -> guards.all().forEach(guard -> meters(guard).bindTo(registry));
    }

    private static GuardMeters meters(NamedGuard guard) {
      return new GuardMeters(guard.name(), guard.admission())
          .rebuilt(guard::generation, guard.events());
    }
  }
}
