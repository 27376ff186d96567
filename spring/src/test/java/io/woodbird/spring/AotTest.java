package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.testkit.GeneratedProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.context.aot.AbstractAotProcessor;

/** An application whose beans are written as code ahead of time, as for a native image. */
@Tag("slow")
final class AotTest {
  @TempDir static Path folder;

  private static final String[] SETTINGS = {
    "--woodbird.guards.products.source.sql=select id from product",
    "--woodbird.guards.products.fpp=1e-6",
    "--management.endpoints.web.exposure.include=*",
    "--spring.main.web-application-type=none",
    "--spring.main.banner-mode=off",
    "--logging.level.root=warn"
  };

  /** Writes the code of the application's beans. */
  @BeforeAll
  static void process() {
    AbstractAotProcessor.Settings settings =
        AbstractAotProcessor.Settings.builder()
            .sourceOutput(folder.resolve("sources"))
            .resourceOutput(folder.resolve("classes"))
            .classOutput(folder.resolve("classes"))
            .groupId("io.woodbird")
            .artifactId("aot")
            .build();
    new SpringApplicationAotProcessor(AotApp.class, settings, SETTINGS).process();
  }

  @Test
  void everyBeanOfTheStarterIsWrittenAsCode() throws IOException {
    Path code =
        folder.resolve(
            "sources/io/woodbird/spring/WoodbirdAutoConfiguration__BeanDefinitions.java");
    assertThat(Files.readString(code))
        .contains("woodbirdGuards", "woodbirdAskAdvisor", "woodbirdMeters")
        .contains("woodbirdHealthIndicator", "woodbirdEndpoint");
  }

  @Test
  void theCodeRuns_andTheGuardStops() throws Exception {
    GeneratedProgram program =
        new GeneratedProgram(folder.resolve("sources"), folder.resolve("classes"));
    program.compile();
    String output = program.run(AotApp.class, "-Dspring.aot.enabled=true", SETTINGS);
    assertThat(output).contains("ahead of time true, found Optional[product 1] and Optional.empty");
  }

  @Test
  void theSettings_canBeBoundInANativeImage() throws IOException {
    StringBuilder metadata = new StringBuilder();
    try (Stream<Path> files = Files.walk(folder.resolve("classes"))) {
      for (Path file : files.filter(name -> name.toString().endsWith(".json")).toList()) {
        metadata.append(Files.readString(file));
      }
    }
    for (Class<?> type :
        List.of(
            WoodbirdProperties.class,
            WoodbirdProperties.GuardProperties.class,
            WoodbirdProperties.Source.class,
            KeyExpression.Root.class)) {
      assertThat(metadata).contains("\"" + type.getName() + "\"");
    }
  }
}
