package io.woodbird.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the build files say of a release. */
final class ReleaseTest {
  private static String pom(String module) throws IOException {
    return Files.readString(Page.root().resolve(module).resolve("pom.xml"));
  }

  /** The text of the elements of a name, in order. */
  private static List<String> all(String element, String pom) {
    return Pattern.compile("<" + element + ">([^<]*)</" + element + ">")
        .matcher(pom)
        .results()
        .map(result -> result.group(1))
        .toList();
  }

  /** The modules that a release has, without the two that have no jar. */
  private static List<String> published() throws IOException {
    List<String> modules = new ArrayList<>();
    for (String module : all("module", pom(""))) {
      if (!pom(module).contains("<maven.deploy.skip>true") && !module.equals("bom")) {
        modules.add(module);
      }
    }
    return modules;
  }

  private static String artifact(String module) throws IOException {
    MatchResult own =
        Pattern.compile("(?m)^  <artifactId>([^<]*)")
            .matcher(pom(module))
            .results()
            .findFirst()
            .get();
    return own.group(1);
  }

  @Test
  void theBom_hasEveryPublishedModuleAndNothingElse() throws IOException {
    String bom = pom("bom");
    String managed =
        bom.substring(
            bom.indexOf("<dependencyManagement>"), bom.indexOf("</dependencyManagement>"));
    List<String> artifacts = new ArrayList<>();
    for (String module : published()) {
      artifacts.add(artifact(module));
    }
    assertThat(artifacts).contains("woodbird-core", "woodbird-spring-boot-starter");
    assertThat(all("artifactId", managed)).containsExactlyInAnyOrderElementsOf(artifacts);
    assertThat(all("groupId", managed)).containsOnly("io.woodbird");
    assertThat(all("version", managed)).containsOnly("${project.version}");
  }

  /** What a public repository asks for; children inherit all but the first two. */
  @Test
  void everyModule_saysWhatItIs() throws IOException {
    for (String module : published()) {
      assertThat(all("name", pom(module))).as(module).isNotEmpty();
      assertThat(all("description", pom(module))).as(module).isNotEmpty();
    }
    for (String element : List.of("name", "description", "url", "connection", "tag")) {
      assertThat(all(element, pom("bom"))).as(element).isNotEmpty();
    }
    assertThat(pom("bom")).contains("<licenses>", "<developers>", "<scm ");
  }

  @Test
  void allModules_haveOneVersion() throws IOException {
    String version = all("version", pom("bom")).get(0);
    for (String module : all("module", pom(""))) {
      assertThat(all("version", pom(module)).get(0)).as(module).isEqualTo(version);
    }
    assertThat(pom("examples/hello")).contains("<version>" + version + "</version>");
    assertThat(Files.readString(Page.root().resolve("check"))).contains(version);
  }
}
