package io.woodbird.cli.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.cli.ModelAccess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Help, man page, completion and reference follow from one model, and the files are in step. */
final class ModelTest {
  private static final List<Spec> SPECS = ModelAccess.ownSpecs();
  private static final Path SHARE = Path.of("src/dist/share");

  /** Set to write the files anew: {@code -DargLine=-Dwoodbird.write}. */
  private static final boolean WRITE = System.getProperty("woodbird.write") != null;

  private static final Map<Path, String> FILES =
      Map.of(
          SHARE.resolve("man/man1/woodbird.1"), ManPage.of(SPECS),
          SHARE.resolve("bash-completion/completions/woodbird"), Completion.bash(SPECS),
          SHARE.resolve("zsh/site-functions/_woodbird"), Completion.zsh(SPECS),
          SHARE.resolve("fish/vendor_completions.d/woodbird.fish"), Completion.fish(SPECS),
          Path.of("../docs/cli.md"), Reference.of(SPECS));

  @Test
  void theFiles_areWhatTheModelSays() throws IOException {
    for (Map.Entry<Path, String> file : FILES.entrySet()) {
      String text = file.getValue().stripTrailing() + "\n";
      if (WRITE) {
        Files.writeString(file.getKey(), text);
      }
      assertThat(file.getKey()).hasContent(text);
    }
  }

  @Test
  void everyVerb_hasAPageWithAnExample() {
    for (Spec spec : SPECS) {
      String page = Help.page(spec);
      assertThat(page).contains("usage: woodbird " + spec.name()).contains("exit codes");
      assertThat(spec.examples()).as(spec.name()).isNotEmpty();
      assertThat(spec.summary()).as(spec.name()).hasSizeLessThan(80).doesNotEndWith(".");
      assertThat(page.lines()).as(spec.name()).allMatch(line -> line.length() <= 120);
      assertThat(spec.allOptions())
          .extracting(Option::name)
          .as(spec.name())
          .doesNotHaveDuplicates()
          .contains("help");
      assertThat(spec.allOptions().stream().map(Option::letter).filter(letter -> letter != 0))
          .as(spec.name())
          .doesNotHaveDuplicates();
    }
  }

  @Test
  void everyExample_parses() {
    for (Spec spec : SPECS) {
      for (Spec.Example example : spec.examples()) {
        String command = example.command();
        int from = command.indexOf("woodbird " + spec.name());
        assertThat(from).as(command).isNotNegative();
        String mine = command.substring(from).split("[|<>)]", 2)[0].strip();
        List<String> words = List.of(mine.split(" +"));
        Parser.parse(spec, words.subList(2, words.size()));
      }
    }
  }

  @Test
  void theScripts_areGoodForTheirShells() throws Exception {
    checkSyntax("bash", "bash-completion/completions/woodbird");
    checkSyntax("zsh", "zsh/site-functions/_woodbird");
    checkSyntax("fish", "fish/vendor_completions.d/woodbird.fish");
  }

  private static void checkSyntax(String shell, String file) throws Exception {
    if (!Files.exists(Path.of("/usr/bin", shell))) {
      return; // Not every machine has every shell; bash is checked below in any case.
    }
    Process process =
        new ProcessBuilder(shell, "-n", SHARE.resolve(file).toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
  }

  @Test
  void bash_completesVerbsOptionsAndChoices() throws Exception {
    assertThat(completed("woodbird", "bu")).containsExactly("build");
    assertThat(completed("woodbird", "build", "--fam")).containsExactly("--family");
    assertThat(completed("woodbird", "build", "--family", "r")).containsExactly("ribbon");
    assertThat(completed("woodbird", "completion", "")).containsExactly("bash", "zsh", "fish");
    assertThat(completed("woodbird", "help", "di")).containsExactly("diff");
  }

  private static List<String> completed(String... words) throws Exception {
    StringBuilder script = new StringBuilder("source ");
    script.append(SHARE.resolve("bash-completion/completions/woodbird")).append("; COMP_WORDS=(");
    for (String word : words) {
      script.append('"').append(word).append("\" ");
    }
    script.append("); COMP_CWORD=").append(words.length - 1);
    script.append("; _woodbird; printf '%s\\n' \"${COMPREPLY[@]}\"");
    Process process = new ProcessBuilder("bash", "-c", script.toString()).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isZero();
    return said.lines().toList();
  }
}
