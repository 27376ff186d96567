package io.woodbird.example.spell;

import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * A spell checker whose dictionary takes a fifth of its word list, and that suggests what was
 * meant.
 *
 * <p>"Not here" is certain, so every word that it marks is really not in the list. A wrong "maybe"
 * is a typo that passes: at an fpp of 1/10,000 one in ten thousand.
 */
public final class SpellChecker {
  private static final double FPP = 1e-4;
  private static final Pattern WORD = Pattern.compile("\\p{L}+(?:'\\p{L}+)*");
  private static final String LETTERS = "etaoinshrdlucmfwypvbgkjqxz'";

  private final Filter<String> words;

  SpellChecker(Stream<String> list) {
    // With a fixed seed the same typos pass each time.
    words = Woodbird.frozen(Keys.strings()).fpp(FPP).seed(1).buildFrom(list);
  }

  /** Whether a word is in the list, as it stands or in small letters. */
  boolean knows(String word) {
    return words.mightContain(word) || words.mightContain(word.toLowerCase(Locale.ROOT));
  }

  /** All words of the list that are one slip of the pen away, the likeliest slips first. */
  List<String> suggest(String word) {
    Set<String> near = new LinkedHashSet<>();
    for (int i = 0; i + 1 < word.length(); i++) { // two letters swapped
      near.add(word.substring(0, i) + word.charAt(i + 1) + word.charAt(i) + word.substring(i + 2));
    }
    for (int i = 0; i < word.length(); i++) { // one too many
      near.add(word.substring(0, i) + word.substring(i + 1));
    }
    for (int i = 0; i <= word.length(); i++) { // one missing, one wrong
      for (int j = 0; j < LETTERS.length(); j++) {
        char letter = LETTERS.charAt(j);
        near.add(word.substring(0, i) + letter + word.substring(i));
        if (i < word.length()) {
          near.add(word.substring(0, i) + letter + word.substring(i + 1));
        }
      }
    }
    return words.candidates(near); // some hundred questions in one call
  }

  /** Prints every unknown word of a text, with its line and what may have been meant. */
  int check(String name, Stream<String> lines) {
    int typos = 0;
    int line = 0;
    for (String text : (Iterable<String>) lines::iterator) {
      line++;
      Matcher found = WORD.matcher(text);
      while (found.find()) {
        if (!knows(found.group())) {
          typos++;
          List<String> meant = suggest(found.group().toLowerCase(Locale.ROOT));
          System.out.printf(
              "%s:%d: %s -> %s%n",
              name, line, found.group(), meant.isEmpty() ? "?" : String.join(", ", meant));
        }
      }
    }
    return typos;
  }

  static BufferedReader resource(String name) throws IOException {
    InputStream in = Objects.requireNonNull(SpellChecker.class.getResourceAsStream(name), name);
    return new BufferedReader(
        new InputStreamReader(
            name.endsWith(".gz") ? new GZIPInputStream(in) : in, StandardCharsets.UTF_8));
  }

  /**
   * Checks files, or a letter that comes with the example.
   *
   * @param files text in UTF-8
   * @throws IOException if one can't be read
   */
  public static void main(String[] files) throws IOException {
    try (BufferedReader list = resource("words.gz");
        BufferedReader letter = resource("letter.txt")) {
      SpellChecker checker = new SpellChecker(list.lines());
      System.out.printf(
          "%,d words in %,d KB%n",
          checker.words.stats().estimatedKeys(), checker.words.sizeInBytes() / 1000);
      int typos = files.length == 0 ? checker.check("letter.txt", letter.lines()) : 0;
      for (String file : files) {
        try (Stream<String> lines = Files.lines(Path.of(file))) {
          typos += checker.check(file, lines);
        }
      }
      System.out.printf("%,d unknown words%n", typos);
    }
  }
}
