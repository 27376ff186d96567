package io.woodbird.console;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers as people write them: {@code 10M}, {@code 2e9}, {@code 500MB}, {@code 0.1%}. */
final class Quantity {
  private static final Pattern NUMBER =
      Pattern.compile("([0-9]*\\.?[0-9]+(?:e[+-]?[0-9]{1,3})?)\\s*([a-z%]*)");
  private static final Pattern FRACTION = Pattern.compile("1\\s*/\\s*(.+)");

  private static final Map<String, Long> COUNTS =
      Map.of("", 1L, "k", 1_000L, "m", 1_000_000L, "g", 1_000_000_000L, "b", 1_000_000_000L);

  /** 500MB is not 500MiB. */
  private static final Map<String, Long> BYTES =
      Map.ofEntries(
          Map.entry("", 1L),
          Map.entry("b", 1L),
          Map.entry("k", 1_000L),
          Map.entry("kb", 1_000L),
          Map.entry("m", 1_000_000L),
          Map.entry("mb", 1_000_000L),
          Map.entry("g", 1_000_000_000L),
          Map.entry("gb", 1_000_000_000L),
          Map.entry("t", 1_000_000_000_000L),
          Map.entry("tb", 1_000_000_000_000L),
          Map.entry("kib", 1L << 10),
          Map.entry("mib", 1L << 20),
          Map.entry("gib", 1L << 30),
          Map.entry("tib", 1L << 40));

  private Quantity() {}

  /** A number of keys. */
  static long count(String name, String text) throws BadRequestException {
    return whole(name, text, COUNTS);
  }

  /** A number of bytes. */
  static long bytes(String name, String text) throws BadRequestException {
    return whole(name, text, BYTES);
  }

  /** A probability: {@code 0.001}, {@code 1e-3}, {@code 0.1%} or {@code 1/1000}. */
  static double probability(String name, String text) throws BadRequestException {
    Matcher fraction = FRACTION.matcher(normal(text));
    if (fraction.matches()) {
      return 1.0 / count(name, fraction.group(1));
    }
    Matcher number = match(name, text);
    double value = Double.parseDouble(number.group(1));
    return switch (number.group(2)) {
      case "" -> value;
      case "%" -> new BigDecimal(number.group(1)).movePointLeft(2).doubleValue();
      default -> throw bad(name, text);
    };
  }

  private static long whole(String name, String text, Map<String, Long> units)
      throws BadRequestException {
    Matcher number = match(name, text);
    Long unit = units.get(number.group(2));
    if (unit == null) {
      throw bad(name, text);
    }
    BigDecimal value = new BigDecimal(number.group(1)).multiply(BigDecimal.valueOf(unit));
    if (value.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      throw bad(name, text);
    }
    return value.longValue();
  }

  private static Matcher match(String name, String text) throws BadRequestException {
    Matcher number = NUMBER.matcher(normal(text));
    if (text.length() > 40 || !number.matches()) {
      throw bad(name, text);
    }
    return number;
  }

  private static String normal(String text) {
    return text.strip().toLowerCase(Locale.ROOT).replace("_", "").replace(",", "");
  }

  private static BadRequestException bad(String name, String text) {
    String shown = text.length() > 40 ? text.substring(0, 40) + "..." : text;
    return new BadRequestException(name + " is not a number I know: " + shown);
  }
}
