package io.woodbird.cli.model;

import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the words after a verb as its spec says, in the usual way of Unix. */
public final class Parser {
  /*
   * Written by hand, about a hundred lines: see docs/adr/0008. Options and arguments in any order;
   * "--name value", "--name=value", "-p1", "-p 1", "-qv"; "--" ends the options; "-" is an argument.
   */
  private final Spec spec;
  private final Iterator<String> rest;
  private final Map<String, List<String>> values = new HashMap<>();

  private Parser(Spec spec, List<String> words) {
    this.spec = spec;
    this.rest = words.iterator();
  }

  /**
   * What was found.
   *
   * @param options by long name; "" for those without a value
   * @param values all values of an option, in the order they were given
   * @param words the arguments
   */
  public record Parsed(
      Map<String, String> options, Map<String, List<String>> values, List<String> words) {}

  public static Parsed parse(Spec spec, List<String> words) {
    return new Parser(spec, words).parse();
  }

  private Parsed parse() {
    List<String> arguments = new ArrayList<>();
    while (rest.hasNext()) {
      String word = rest.next();
      if (word.equals("--")) {
        rest.forEachRemaining(arguments::add);
      } else if (!word.startsWith("-") || word.equals("-")) {
        arguments.add(word);
      } else if (word.startsWith("--")) {
        longOption(word);
      } else {
        letters(word);
      }
    }
    if (!values.containsKey("help")) {
      checkCount(arguments);
    }
    Map<String, String> options = new HashMap<>();
    values.forEach((name, given) -> options.put(name, given.get(given.size() - 1)));
    return new Parsed(options, values, arguments);
  }

  private void longOption(String word) {
    int equals = word.indexOf('=');
    String name = equals < 0 ? word : word.substring(0, equals);
    Option option = known(spec.option(name.substring(2)), name);
    if (option.value() != null) {
      put(option, equals < 0 ? next(name, option) : word.substring(equals + 1));
    } else if (equals < 0) {
      put(option, "");
    } else {
      throw spec.misuse(Problem.OPTION_VALUE, name + " takes no value: " + word);
    }
  }

  private void letters(String word) {
    for (int i = 1; i < word.length(); i++) {
      String name = "-" + word.charAt(i);
      Option option = known(spec.option(word.charAt(i)), name);
      if (option.value() != null) {
        put(option, i + 1 < word.length() ? word.substring(i + 1) : next(name, option));
        return;
      }
      put(option, "");
    }
  }

  /** The value of an option that stands in the next word. */
  private String next(String name, Option option) {
    if (!rest.hasNext()) {
      throw spec.misuse(
          Problem.OPTION_VALUE, name + " needs a value: " + name + " " + option.value());
    }
    return rest.next();
  }

  private void put(Option option, String value) {
    if (!option.choices().isEmpty() && !option.choices().contains(value)) {
      throw Problem.BAD_VALUE.failure(
          "--" + option.name() + " can't be \"" + value + "\".",
          "It is one of " + String.join(", ", option.choices()) + ".",
          "woodbird help " + spec.name());
    }
    values.computeIfAbsent(option.name(), name -> new ArrayList<>()).add(value);
  }

  private void checkCount(List<String> arguments) {
    if (arguments.size() < spec.leastArguments()) {
      String end = spec.arguments().endsWith(".") ? "" : ".";
      throw spec.misuse(Problem.MISSING, "'" + spec.name() + "' needs " + spec.arguments() + end);
    }
    if (arguments.size() > spec.mostArguments()) {
      String extra = arguments.get(spec.mostArguments());
      throw spec.misuse(
          Problem.TOO_MANY, "'" + spec.name() + "' takes no further argument: " + extra);
    }
  }

  private Option known(@Nullable Option option, String name) {
    if (option == null) {
      String near = nearest(name, spec.optionNames());
      String hint = near == null ? "" : " Did you mean " + near + "?";
      throw spec.misuse(
          Problem.NO_SUCH_OPTION, "unknown option " + name + " for '" + spec.name() + "'." + hint);
    }
    return option;
  }

  /** Says that a verb is unknown, and which one was probably meant. */
  public static Failure noSuchVerb(String name, List<String> names) {
    String near = nearest(name, names);
    return Problem.NO_SUCH_VERB.failure(
        "there is no verb '" + name + "'." + (near == null ? "" : " Did you mean '" + near + "'?"),
        "The verbs are: " + String.join(", ", names) + ".",
        "woodbird help");
  }

  /** Returns the word that was probably meant, or null. */
  private static @Nullable String nearest(String word, List<String> words) {
    String best = null;
    int least = Math.max(1, word.length() / 3) + 1;
    for (String candidate : words) {
      int distance = distance(word, candidate);
      if (distance < least) {
        least = distance;
        best = candidate;
      }
    }
    return best;
  }

  /**
   * The edit distance of two words; swapped neighbours are one edit, long words are far from all.
   */
  private static int distance(String a, String b) {
    if (a.length() > 40) {
      return Integer.MAX_VALUE;
    }
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        d[i][j] = Math.min(d[i - 1][j - 1] + change, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[a.length()][b.length()];
  }
}
