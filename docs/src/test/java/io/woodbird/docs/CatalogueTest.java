package io.woodbird.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.woodbird.cli.say.Problem;
import io.woodbird.guard.Follower;
import io.woodbird.guard.KeySource;
import io.woodbird.guard.RebuildEvent;
import io.woodbird.redis.RedisEvent;
import io.woodbird.spring.WoodbirdAutoConfiguration;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The catalogues of errors and meters name what there is, all of it and nothing else. */
final class CatalogueTest {
  private static final Page ERRORS = Page.read("docs/reference/errors.md");
  private static final Page METRICS = Page.read("docs/reference/metrics.md");

  @Test
  void everyCodeOfTheCommandLine_isExplained() {
    List<String> lines = new ArrayList<>();
    Matcher matcher = Pattern.compile("\\| `(WB-\\d+)` \\| (\\d+) \\|").matcher(ERRORS.prose());
    while (matcher.find()) {
      lines.add(matcher.group(1) + " " + matcher.group(2));
    }
    assertThat(lines)
        .containsExactlyElementsOf(
            Arrays.stream(Problem.values()).map(p -> p.code() + " " + p.exitCode()).toList());
  }

  @Test
  void everyCauseAndEvent_isExplained() {
    for (RedisEvent.Cause cause : RedisEvent.Cause.values()) {
      assertThat(ERRORS.prose()).contains("| `" + cause + "` |");
    }
    for (RebuildEvent.Kind kind : RebuildEvent.Kind.values()) {
      assertThat(ERRORS.prose()).contains("`" + kind + "`");
      assertThat(METRICS.prose()).contains("`" + kind.name().toLowerCase(Locale.ROOT) + "`");
    }
  }

  @Test
  void everySetting_isInTheStartersOwnPage() throws IOException {
    String page = Page.read("spring/README.md").prose();
    for (SettingsTable.Setting setting : SettingsTable.all()) {
      assertThat(page).contains("| `" + setting.name().replaceFirst("^.*<name>\\.", "") + "` |");
    }
  }

  @Test
  void everyMeter_isInTheTableWithItsTags() {
    Set<String> listed = new TreeSet<>();
    Matcher names =
        Pattern.compile("^\\| `(woodbird\\.[a-z.]+)` \\|", Pattern.MULTILINE)
            .matcher(METRICS.prose());
    while (names.find()) {
      listed.add(names.group(1));
    }
    Set<String> registered = new TreeSet<>();
    for (Meter meter : meters()) {
      registered.add(meter.getId().getName());
      for (Tag tag : meter.getId().getTags()) {
        String shown = tag.getKey().equals("guard") ? "guard" : tag.getValue();
        assertThat(METRICS.prose()).contains("`" + shown + "`");
      }
    }
    assertThat(listed).isEqualTo(registered);
  }

  /** The meters of an application with one guard that follows its source. */
  static List<Meter> meters() {
    MeterRegistry registry = new SimpleMeterRegistry();
    try (ConfigurableApplicationContext context = application()) {
      context.getBeansOfType(MeterBinder.class).values().forEach(b -> b.bindTo(registry));
    }
    return registry.getMeters().stream()
        .filter(meter -> meter.getId().getName().startsWith("woodbird."))
        .toList();
  }

  private static ConfigurableApplicationContext application() {
    SpringApplication application =
        new SpringApplicationBuilder(App.class)
            .web(WebApplicationType.NONE)
            .properties(
                "woodbird.guards.products.source.bean=ids",
                "woodbird.guards.products.follow=nothing",
                "spring.main.banner-mode=off",
                "logging.level.root=warn")
            .build();
    return application.run();
  }

  /** An application with one guard. */
  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration(WoodbirdAutoConfiguration.class)
  static class App {
    @Bean
    KeySource<Long> ids() {
      return () -> Stream.of(1L);
    }

    /** Proves nothing. */
    @Bean
    Follower<Long> nothing() {
      return asked -> key -> false;
    }
  }
}
