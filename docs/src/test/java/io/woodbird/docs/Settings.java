package io.woodbird.docs;

import io.woodbird.spring.WoodbirdConsoleProperties;
import io.woodbird.spring.WoodbirdProperties;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** YAML as the Spring Boot starter reads it. */
final class Settings {
  private static final ConfigurationPropertyName CONSOLE =
      ConfigurationPropertyName.of("woodbird.console");

  private Settings() {}

  /** Fails unless everything under "woodbird" is a setting that the starter has. */
  static void bind(String yaml) {
    List<ConfigurationPropertySource> guards = new ArrayList<>();
    List<ConfigurationPropertySource> console = new ArrayList<>();
    for (PropertySource<?> source : load(yaml)) {
      for (ConfigurationPropertySource one : ConfigurationPropertySources.from(source)) {
        guards.add(one.filter(name -> !CONSOLE.equals(name) && !CONSOLE.isAncestorOf(name)));
        console.add(one.filter(CONSOLE::isAncestorOf));
      }
    }
    bind(guards, "woodbird", WoodbirdProperties.class);
    bind(console, "woodbird.console", WoodbirdConsoleProperties.class);
  }

  private static void bind(
      List<ConfigurationPropertySource> sources, String prefix, Class<?> type) {
    BindHandler strict = new NoUnboundElementsBindHandler(BindHandler.DEFAULT);
    new Binder(sources).bind(prefix, Bindable.of(type), strict);
  }

  /** The settings as lines. */
  static String[] flat(String yaml) {
    List<String> lines = new ArrayList<>();
    for (PropertySource<?> source : load(yaml)) {
      EnumerablePropertySource<?> names = (EnumerablePropertySource<?>) source;
      for (String name : names.getPropertyNames()) {
        lines.add(name + "=" + names.getProperty(name));
      }
    }
    return lines.toArray(String[]::new);
  }

  private static List<PropertySource<?>> load(String yaml) {
    try {
      return new YamlPropertySourceLoader()
          .load("page", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
