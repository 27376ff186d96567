package io.woodbird.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A page in Chinese has the code and the headings of its English page. */
final class TranslationTest {
  static List<String> translations() {
    return Page.all().stream().filter(name -> Translation.original(name).isPresent()).toList();
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
