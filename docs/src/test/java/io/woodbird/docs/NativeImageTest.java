package io.woodbird.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** A native image keeps every resource that a module reads: the patterns in its jar match them. */
final class NativeImageTest {
  @ParameterizedTest
  @ValueSource(strings = {"redis", "postgres", "mysql", "console"})
  void everyResource_isKept(String module) throws IOException {
    Path resources = Page.root().resolve(module + "/src/main/resources");
    Path config =
        resources.resolve(
            "META-INF/native-image/io.woodbird/woodbird-" + module + "/resource-config.json");
    Map<?, ?> file = new Yaml().load(Files.readString(config)); // JSON is YAML.
    List<Pattern> patterns = new ArrayList<>();
    for (Object one : (List<?>) ((Map<?, ?>) file.get("resources")).get("includes")) {
      patterns.add(Pattern.compile(((Map<?, ?>) one).get("pattern").toString()));
    }
    try (Stream<Path> files = Files.walk(resources.resolve("io"))) {
      List<String> names =
          files.filter(Files::isRegularFile).map(f -> resources.relativize(f).toString()).toList();
      assertThat(names).isNotEmpty();
      assertThat(names)
          .allMatch(name -> patterns.stream().anyMatch(p -> p.matcher(name).matches()));
    }
  }

  /** A module with resources that is not in the list above would be forgotten. */
  @ParameterizedTest
  @ValueSource(strings = {"core", "jdbc", "kafka", "micrometer"})
  void theOthers_haveNone(String module) {
    assertThat(Page.root().resolve(module + "/src/main/resources/io")).doesNotExist();
  }
}
