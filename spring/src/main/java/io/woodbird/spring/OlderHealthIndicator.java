package io.woodbird.spring;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * {@link GuardHealth} for Spring Boot 3. Its types of health are in another package, and no class
 * path has both. So they are found by name, and the bean is a proxy.
 */
final class OlderHealthIndicator implements ImportBeanDefinitionRegistrar {
  static final String INDICATOR = "org.springframework.boot.actuate.health.HealthIndicator";
  private static final String HEALTH = "org.springframework.boot.actuate.health.Health";
  private static final String BEAN = "woodbirdHealthIndicator";

  private final Environment environment;
  private final BeanFactory beans;

  OlderHealthIndicator(Environment environment, BeanFactory beans) {
    this.environment = environment;
    this.beans = beans;
  }

  @Override
  public void registerBeanDefinitions(
      AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
    // As Spring Boot's own condition, which is in another package too.
    boolean usual =
        environment.getProperty("management.health.defaults.enabled", Boolean.class, true);
    if (environment.getProperty("management.health.woodbird.enabled", Boolean.class, usual)
        && !registry.containsBeanDefinition(BEAN)) {
      registry.registerBeanDefinition(BEAN, definition(type(INDICATOR)));
    }
  }

  private static Class<?> type(String name) {
    return ClassUtils.resolveClassName(name, OlderHealthIndicator.class.getClassLoader());
  }

  private <T> RootBeanDefinition definition(Class<T> type) {
    return new RootBeanDefinition(
        type,
        () ->
            type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, this::call)));
  }

  private @Nullable Object call(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (method.isDefault()) {
      return InvocationHandler.invokeDefault(proxy, method, arguments);
    }
    return switch (method.getName()) {
      case "health" -> health(GuardHealth.of(beans.getBean(Guards.class)));
      case "equals" -> arguments != null && proxy == arguments[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> BEAN;
    };
  }

  private static Object health(GuardHealth health) throws ReflectiveOperationException {
    String status = health.well() ? "UP" : "UNKNOWN";
    Object builder = type(HEALTH).getMethod("status", String.class).invoke(null, status);
    Class<?> type = builder.getClass();
    type.getMethod("withDetails", Map.class).invoke(builder, health.details());
    return type.getMethod("build").invoke(builder);
  }
}
