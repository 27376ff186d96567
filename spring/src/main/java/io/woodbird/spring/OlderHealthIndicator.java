package io.woodbird.spring;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
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
  private static final String BUILDER = HEALTH + "$Builder";
  private static final String BEAN = "woodbirdHealthIndicator";

  private final Environment environment;

  OlderHealthIndicator(Environment environment) {
    this.environment = environment;
  }

  @Override
  public void registerBeanDefinitions(
      AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
    // As Spring Boot's own condition, which is in another package too.
    boolean usual =
        environment.getProperty("management.health.defaults.enabled", Boolean.class, true);
    if (environment.getProperty("management.health.woodbird.enabled", Boolean.class, usual)
        && !registry.containsBeanDefinition(BEAN)) {
      registry.registerBeanDefinition(BEAN, definition());
    }
  }

  /** By the name of a method: code that Spring writes ahead of time can't hold a lambda. */
  private static RootBeanDefinition definition() {
    RootBeanDefinition definition = new RootBeanDefinition(OlderHealthIndicator.class);
    definition.setFactoryMethodName("indicator");
    definition.setAutowireMode(RootBeanDefinition.AUTOWIRE_CONSTRUCTOR);
    definition.setTargetType(type(INDICATOR));
    return definition;
  }

  static Object indicator(BeanFactory beans) {
    Class<?> type = type(INDICATOR);
    return Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) -> call(beans, proxy, method, arguments));
  }

  /** What a native image needs to know, if the application has Spring Boot 3. */
  static void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
    if (!ClassUtils.isPresent(INDICATOR, loader)) {
      return;
    }
    hints.proxies().registerJdkProxy(TypeReference.of(INDICATOR));
    hints
        .reflection()
        .registerType(
            TypeReference.of(HEALTH),
            type ->
                type.withMethod(
                    "status", TypeReference.listOf(String.class), ExecutableMode.INVOKE))
        .registerType(
            TypeReference.of(BUILDER),
            type ->
                type.withMethod(
                        "withDetails", TypeReference.listOf(Map.class), ExecutableMode.INVOKE)
                    .withMethod("build", TypeReference.listOf(), ExecutableMode.INVOKE));
  }

  private static Class<?> type(String name) {
    return ClassUtils.resolveClassName(name, OlderHealthIndicator.class.getClassLoader());
  }

  private static @Nullable Object call(
      BeanFactory beans, Object proxy, Method method, Object @Nullable [] arguments)
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
    Class<?> type = type(BUILDER);
    type.getMethod("withDetails", Map.class).invoke(builder, health.details());
    return type.getMethod("build").invoke(builder);
  }
}
