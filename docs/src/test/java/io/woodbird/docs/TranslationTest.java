package io.woodbird.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A page in Chinese has the code and the headings of its English page. */
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

  @ParameterizedTest
  @MethodSource("translations")
  void aTranslation_followsItsOriginal(String name) {
    Page translation = Page.read(name);
    Page original = Page.read(Translation.original(name).orElseThrow());
    assertThat(Translation.code(translation)).isEqualTo(Translation.code(original));
    assertThat(translation.headings()).hasSameSizeAs(original.headings());
    assertThat(translation.prose()).as("is in Chinese").containsPattern("\\p{IsHan}{4}");
  }
}
