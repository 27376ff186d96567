package io.woodbird.console.shared;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads amounts as people write them: {@code 10M}, {@code 500MB}, {@code 0.1%}. */
public final class Amounts {
  /*
   *   count        10M  2e9  1_000_000  1,000,000  2.5k  3B      whole numbers
   *   size         500MB (10^6)  500MiB (2^20)  64 KiB  1000     "500M" could be either: refused
   *   probability  0.1%  1e-3  1/1000  0.001                     above 0 and below 1
   */
  // A comma only before each three digits: "0,1%" means 0.1 % to many people, and not 1 %.
  private static final String WHOLE = "(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9][0-9_]*)";
  private static final Pattern NUMBER =
      Pattern.compile(
          "((?:" + WHOLE + "(?:\\.[0-9]*)?|\\.[0-9]+)(?:e[+-]?[0-9]{1,3})?)\\s*([a-z%]*)");
  private static final int MOST_CHARACTERS = 40;
  private static final BigDecimal LARGEST = BigDecimal.valueOf(Long.MAX_VALUE);
  private static final Map<String, Long> COUNTS =
      Map.of(
          "",
          1L,
          "k",
          1_000L,
          "m",
          1_000_000L,
          "g",
          1_000_000_000L,
          "b",
          1_000_000_000L,
          "t",
          1_000_000_000_000L);
  private static final Map<String, Long> BYTES =
      Map.of(
          "",
          1L,
          "b",
          1L,
          "kb",
          1_000L,
          "mb",
          1_000_000L,
          "gb",
          1_000_000_000L,
          "tb",
          1_000_000_000_000L,
          "kib",
          1L << 10,
          "mib",
          1L << 20,
          "gib",
          1L << 30,
          "tib",
          1L << 40);

  private Amounts() {}

  /**
   * Reads a whole number of things.
   *
   * @param text what was written
   * @return the number, or empty if it is not understood, not whole, or too large
   */
  public static OptionalLong count(String text) {
    return whole(number(text, COUNTS));
  }

  /**
   * Reads a number of bytes.
   *
   * @param text what was written
   * @return the number, or empty if it is not understood, not whole, or too large
   */
  public static OptionalLong bytes(String text) {
    return whole(number(text, BYTES));
  }

  /**
   * Says whether a size has half a unit, so that a B or iB is missing.
   *
   * @param text what was written
   * @return the unit, such as {@code M}, or null if that is not what is wrong
   */
  public static @Nullable String halfUnit(String text) {
    Matcher matcher = match(text);
    String unit = matcher == null ? "" : matcher.group(2);
    return !unit.isEmpty() && "kmgt".contains(unit) ? unit.toUpperCase(Locale.ROOT) : null;
  }

  /**
   * Reads a probability.
   *
   * @param text what was written
   * @return the probability, or empty if it is not understood, or not above 0 and below 1
   */
  public static OptionalDouble probability(String text) {
    double value;
    int slash = text.indexOf('/');
    if (slash >= 0) {
      BigDecimal above = number(text.substring(0, slash), COUNTS);
      BigDecimal below = number(text.substring(slash + 1), COUNTS);
      value = above == null || below == null ? 0 : above.doubleValue() / below.doubleValue();
    } else {
      boolean percent = text.endsWith("%");
      BigDecimal number =
          number(percent ? text.substring(0, text.length() - 1) : text, Map.of("", 1L));
      value = number == null ? 0 : number.movePointLeft(percent ? 2 : 0).doubleValue();
    }
    return value > 0 && value < 1 ? OptionalDouble.of(value) : OptionalDouble.empty();
  }

  private static @Nullable BigDecimal number(String text, Map<String, Long> units) {
    Matcher matcher = match(text);
    Long unit = matcher == null ? null : units.get(matcher.group(2));
    if (matcher == null || unit == null) {
      return null;
    }
    String digits = matcher.group(1).replace("_", "").replace(",", "");
    return new BigDecimal(digits).multiply(BigDecimal.valueOf(unit));
  }

  private static @Nullable Matcher match(String text) {
    Matcher matcher = NUMBER.matcher(text.strip().toLowerCase(Locale.ROOT));
    return text.length() <= MOST_CHARACTERS && matcher.matches() ? matcher : null;
  }

  private static OptionalLong whole(@Nullable BigDecimal value) {
    return value != null && value.compareTo(LARGEST) <= 0 && value.stripTrailingZeros().scale() <= 0
        ? OptionalLong.of(value.longValueExact())
        : OptionalLong.empty();
  }
}
