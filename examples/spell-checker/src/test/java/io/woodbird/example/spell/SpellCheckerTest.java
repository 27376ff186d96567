package io.woodbird.example.spell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SpellCheckerTest {
  private static List<String> list() throws IOException {
    try (BufferedReader words = SpellChecker.resource("words.gz")) {
      return words.lines().toList();
    }
  }

  @Test
  void everyWordOfTheListIsKnown() throws IOException {
    List<String> list = list();
    SpellChecker checker = new SpellChecker(list.stream());
    assertThat(list).hasSizeGreaterThan(100_000).allMatch(checker::knows);
  }

  @Test
  void slipsAreMarkedAndWhatWasMeantIsSuggested() throws IOException {
    SpellChecker checker = new SpellChecker(list().stream());
    assertThat(checker.suggest("teh")).contains("the");
    assertThat(checker.suggest("recieved")).contains("received");
    assertThat(checker.suggest("writting")).contains("writing");
    assertThat(checker.suggest("wich")).contains("which");
    try (BufferedReader letter = SpellChecker.resource("letter.txt")) {
      assertThat(checker.check("letter.txt", letter.lines())).isEqualTo(7);
    }
    assertThat(checker.check("x", Stream.of("Don't stop, Ada. THE END"))).isZero();
  }

  @Test
  void aTypoPassesOnceInTenThousand() throws IOException {
    List<String> list = list();
    Set<String> real = new HashSet<>(list);
    SpellChecker checker = new SpellChecker(list.stream());
    long typos = 0;
    long passed = 0;
    for (String word : list) {
      String typo = word + "qx";
      if (!real.contains(typo)) {
        typos++;
        passed += checker.knows(typo) ? 1 : 0;
      }
    }
    // Each is asked for twice, as it stands and in small letters; 5 sigma above what is due.
    double due = 2e-4 * typos;
    assertThat(typos).isGreaterThan(100_000);
    assertThat((double) passed).isLessThan(due + 5 * Math.sqrt(due));
  }
}
