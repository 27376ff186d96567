package io.woodbird.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A page in Chinese has the code, the headings and the names of its English page. */
final class TranslationTest {
  static List<String> translations() {
    return Page.all().stream().filter(name -> Translation.original(name).isPresent()).toList();
  }

  @Test
  void everyPageOfTheGuide_isThereInChinese() {
    List<String> pages =
        Page.all().stream()
            .filter(name -> name.matches("docs/(tutorial|howto|explanation|reference)/.*"))
            .map(name -> name.replaceFirst("docs/", "docs/zh/"))
            .toList();
    assertThat(pages).hasSizeGreaterThan(20);
    assertThat(translations()).contains("README.zh.md", "docs/zh/README.md").containsAll(pages);
  }

  @Test
  void anotherComment_isTheSameCode_butAnotherCallIsNot() {
    Page english = Page.parse("a.md", "```java\nput(1);   // once\n```\n");
    Page chinese = Page.parse("b.md", "```java\nput(1); // \u4e00\u6b21\n```\n");
    Page wrong = Page.parse("c.md", "```java\nput(2); // once\n```\n");
    assertThat(Translation.code(chinese)).isEqualTo(Translation.code(english));
    assertThat(Translation.code(wrong)).isNotEqualTo(Translation.code(english));
  }

  @Test
  void aRowThatIsMissing_andALinkToTheOtherLanguage_areFound() {
    Page english = Page.parse("docs/a/b.md", "# A\n## B\n| `x` |\n| `y` |\n");
    Page same = Page.parse("docs/zh/a/b.md", "# 1\n## 2\n`y`, `x`, [c](c.md), [en](../../a/b.md)");
    Page wrong = Page.parse("docs/zh/a/b.md", "# 1\n## 2\n| `x` |\n[c](../../a/c.md#d)\n");
    List<String> all = List.of("docs/a/c.md", "docs/zh/a/c.md");
    assertThat(Translation.onlyInOne(same, english)).isEmpty();
    assertThat(Translation.linksToEnglish(same, all)).isEmpty();
    assertThat(Translation.onlyInOne(wrong, english))
        .containsExactly("section \"2\" lacks [`y`], has []");
    assertThat(Translation.linksToEnglish(wrong, all)).containsExactly("../../a/c.md#d");
  }

  @ParameterizedTest
  @MethodSource("translations")
  void aTranslation_followsItsOriginal(String name) {
    Page translation = Page.read(name);
    Page original = Page.read(Translation.original(name).orElseThrow());
    assertThat(Translation.code(translation)).isEqualTo(Translation.code(original));
    assertThat(translation.headings()).hasSameSizeAs(original.headings());
    assertThat(Translation.onlyInOne(translation, original)).as("names in code").isEmpty();
    assertThat(Translation.linksToEnglish(translation, Page.all())).as("links").isEmpty();
    assertThat(translation.prose()).as("is in Chinese").containsPattern("\\p{IsHan}{4}");
  }
}
