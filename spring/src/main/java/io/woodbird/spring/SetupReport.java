package io.woodbird.spring;

import io.woodbird.spring.WoodbirdProperties.GuardProperties;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/** Warns, when the application has started, of guards and settings that have no effect. */
final class SetupReport implements SmartInitializingSingleton {
  private static final Log log = LogFactory.getLog(SetupReport.class);
  private static final String CONSOLE = "woodbird.console.";

  private final WoodbirdProperties properties;
  private final Environment environment;
  private final GuardedMethods methods;

  SetupReport(WoodbirdProperties properties, Environment environment, GuardedMethods methods) {
    this.properties = properties;
    this.environment = environment;
    this.methods = methods;
  }

  @Override
  public void afterSingletonsInstantiated() {
    if (!properties.enabled()) {
      log.info("woodbird: guards are disabled, everything passes");
      return;
    }
    properties.guards().forEach(this::report);
    for (String name : unknownProperties()) {
      log.warn("woodbird: there is no setting '" + name + "'");
    }
  }

  private void report(String name, GuardProperties guard) {
    List<GuardedMethods.Load> own =
        methods.found().stream().filter(load -> load.guard().equals(name)).toList();
    if (own.isEmpty()) {
      log.warn(
          "woodbird: guard '"
              + name
              + "' guards no method: no bean has @Guarded(\""
              + name
              + "\")"
              + (guard.caches().isEmpty() ? "" : " or @Cacheable of " + guard.caches())
              + "; is the method called through its bean?");
      return;
    }
    Set<Object> used = own.stream().map(GuardedMethods.Load::cache).collect(Collectors.toSet());
    for (String cache : guard.caches()) {
      if (!used.contains(cache)) {
        log.warn(
            "woodbird: guard '"
                + name
                + "' names the cache '"
                + cache
                + "', which no guarded @Cacheable method uses");
      }
    }
  }

  /** Settings below "woodbird", in files and on the command line, that do not exist. */
  private Set<String> unknownProperties() {
    Set<String> unknown = new TreeSet<>();
    try {
      Binder.get(environment)
          .bind(
              "woodbird",
              Bindable.of(WoodbirdProperties.class),
              new NoUnboundElementsBindHandler(
                  BindHandler.DEFAULT, new UnboundElementsSourceFilter()));
    } catch (BindException e) {
      if (e.getCause() instanceof UnboundConfigurationPropertiesException unbound) {
        unbound.getUnboundProperties().stream()
            .map(property -> property.getName().toString())
            .filter(property -> !property.startsWith(CONSOLE))
            .forEach(unknown::add);
      }
    }
    return unknown;
  }
}
