package io.woodbird.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tests of the pages can fail: each of these broken pages is noticed. */
final class ControlTest {
  /** A page in which "~" stands for the three signs of a fence. */
  private static Page page(String text) {
    return Page.parse("broken.md", text.replace("~", "```"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "~java\nint x = \"text\";\n~\n",
        "~java\nthrow new IllegalStateException();\n~\n",
        "~java\nint x = 1;\n~\n<!-- fresh -->\n~java\nx++;\n~\n",
        "~java\nint x = 1;\n~\n<!-- java\nstage.check(x == 2);\n-->\n",
        "~java\nSystem.out.println(1);\n~\n<!-- output -->\n~text\n2\n~\n",
        "~sh\nfalse\n~\n",
        "~sh\n./woodbird plan -n 1M -p 200%\n~\n",
        "~sh\n./woodbird plan --no-such-option\n~\n",
        "~sh\ncat missing | wc -l\n~\n",
        "~console\n$ echo one\ntwo\n~\n",
        "~console\n$ echo one\n~\n",
        "~yaml\nwoodbird:\n  guards:\n    products:\n      fpps: 0.1\n~\n",
        "~yaml\nwoodbird:\n  guards:\n    products:\n      fpp: often\n~\n",
        "~yaml\nwoodbird:\n  consoles:\n    enabled: true\n~\n",
        "~yaml\nwoodbird: [\n~\n",
        "~json\n{\"a\": }\n~\n",
        "~xml\n<artifactId>woodbird-none</artifactId><version>0.1.0-SNAPSHOT</version>\n~\n",
        "~xml\n<artifactId>woodbird-core</artifactId><version>0.0.1</version>\n~\n",
        "~\nno language\n~\n",
        "~kotlin\nval x = 1\n~\n",
        "<!-- not run -->\n~java\nnonsense\n~\n",
        "<!-- not run: because -->\nonly text follows\n",
        "<!-- not runn: because -->\n~java\nint x;\n~\n",
        "<!-- output -->\n~text\nnothing printed it\n~\n",
        "~java\nint x = 1;\n",
      })
  void aBrokenPage_isNoticed(String text) {
    assertThatThrownBy(() -> PageRun.of(page(text)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("broken.md:");
  }

  @Test
  void aFailure_namesTheLineOfThePage() {
    String text = "# A page\n\n~java\nint x = 1;\nint y = x / 0;\n~\n";
    assertThatThrownBy(() -> PageRun.of(page(text))).hasMessageContaining("broken.md:5: ");
    String wrong = "# A page\n\n~java\nint x = 1;\nint y = z;\n~\n";
    assertThatThrownBy(() -> PageRun.of(page(wrong))).hasMessageContaining("broken.md:5: ");
  }

  @Test
  void anImportThatAReaderLacks_isNamed() throws Exception {
    String text =
        "<!-- java\nimport java.util.Map;\nList<String> none = List.of();\n-->\n"
            + "~java\nimport java.util.Set;\nSet<String> a = Set.of();\n~\n"
            + "~java\nMap<String, String> b = Map.of();\nint c = none.size();\n~\n";
    assertThat(PageRun.missingImports(page(text))).containsExactly("broken.md:10: Map");
    String parts = "~java\nMap<String, String> b = Map.of();\n~\n";
    assertThat(PageRun.missingImports(page(parts))).isEmpty();
  }

  @Test
  void aGoodPage_isCounted() throws Exception {
    String text =
        "~java\nimport java.math.BigInteger;\nSystem.out.println(BigInteger.TWO);\n~\n"
            + "<!-- output -->\n~text\n2\n~\n"
            + "<!-- sh\necho hidden > file\n-->\n~console\n$ cat file\nhid...\n~\n"
            + "<!-- not run: a picture -->\n~text\n/\\\n~\n";
    PageRun.Count count = PageRun.of(page(text));
    assertThat(count.ran()).isEqualTo(2);
    assertThat(count.compared()).isEqualTo(1);
    assertThat(count.shown()).containsExactly("broken.md:17: a picture");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[x](none.md)",
        "[x](README.md#no-such-heading)",
        "[x](#none)",
        "![x](none.svg)",
        "[x](../outside.md)",
        "<img src=\"none.svg\">",
      })
  void aDeadLink_isNoticed(String text) {
    assertThat(LinksTest.dead(page("# A heading\n" + text + "\n"))).hasSize(1);
  }

  @Test
  void aGoodLink_isFollowed() {
    String text =
        "# A `b`: c!\n[x](README.md) [y](#a-b-c) [z](https://example.com) `[code](none)`\n";
    assertThat(LinksTest.dead(page(text))).isEmpty();
  }
}
