package io.woodbird.spring3;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.testkit.GeneratedProgram;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.context.aot.AbstractAotProcessor;

/** An application of Spring Boot 3.5 whose beans are written as code ahead of time. */
@Tag("slow")
final class AotOnBoot3Test {
  private static final String[] SETTINGS = {
    "--spring.datasource.url=jdbc:h2:mem:aot3",
    "--woodbird.guards.products.source.sql=select id from product",
    "--woodbird.guards.products.fpp=1e-6",
    "--spring.main.web-application-type=none",
    "--spring.main.banner-mode=off",
    "--logging.level.root=warn"
  };

  @TempDir Path folder;

  @Test
  void theCodeRuns_andTheGuardStops() throws Exception {
    Path sources = folder.resolve("sources");
    Path classes = folder.resolve("classes");
    AbstractAotProcessor.Settings settings =
        AbstractAotProcessor.Settings.builder()
            .sourceOutput(sources)
            .resourceOutput(classes)
            .classOutput(classes)
            .groupId("io.woodbird")
            .artifactId("aot")
            .build();
    new SpringApplicationAotProcessor(AotApp.class, settings, SETTINGS).process();
    GeneratedProgram program = new GeneratedProgram(sources, classes);
    program.compile();
    assertThat(program.run(AotApp.class, "-Dspring.aot.enabled=true", SETTINGS))
        .contains("ahead of time true, found Optional[product 1] and Optional.empty, health UP");
  }
}
