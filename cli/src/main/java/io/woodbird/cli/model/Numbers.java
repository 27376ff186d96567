package io.woodbird.cli.model;

import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** Numbers as people write them. */
public final class Numbers {
  /*
   *   count        10M  2e9  1_000_000  1,000,000  2.5k  3B      whole numbers
   *   size         500MB (10^6)  500MiB (2^20)  64KiB  1000      "500M" could be either: refused
   *   probability  0.1%  1e-3  1/1000  0.001
   */
  private static final BigDecimal LARGEST = BigDecimal.valueOf(Long.MAX_VALUE);
  private static final int MOST_DIGITS = 40;

  private Numbers() {}

  /** Reads a count of keys. */
  public static long count(String option, String text) {
    BigDecimal value = null;
    String digits = text;
    long factor = 1;
    if (!text.isEmpty()) {
      factor =
          switch (text.charAt(text.length() - 1)) {
            case 'k', 'K' -> 1_000L;
            case 'm', 'M' -> 1_000_000L;
            case 'g', 'G', 'b', 'B' -> 1_000_000_000L;
            case 't', 'T' -> 1_000_000_000_000L;
            default -> 1;
          };
      digits = factor == 1 ? text : text.substring(0, text.length() - 1);
      value = decimal(digits);
    }
    Long whole = value == null ? null : whole(value.multiply(BigDecimal.valueOf(factor)));
    if (whole == null) {
      throw bad(option, text, "a count", "10M", "2e9", "1_000_000");
    }
    return whole;
  }

  /** Reads a number of bytes. */
  public static long size(String option, String text) {
    int end = text.length();
    while (end > 0 && Character.isLetter(text.charAt(end - 1))) {
      end--;
    }
    String unit = text.substring(end);
    if (unit.equals("M") || unit.equals("G") || unit.equals("K") || unit.equals("T")) {
      throw new Failure(
          Problem.BAD_VALUE,
          "--" + option + " " + text + ": is that " + text + "B or " + text + "iB?",
          "1 " + unit + "B is a power of 1000, 1 " + unit + "iB one of 1024.",
          "--" + option + " " + text + "B",
          "--" + option + " " + text + "iB");
    }
    Long factor = unitBytes(unit);
    BigDecimal value = decimal(text.substring(0, end));
    Long whole =
        value == null || factor == null ? null : whole(value.multiply(BigDecimal.valueOf(factor)));
    if (whole == null) {
      throw bad(option, text, "a size", "500MB", "512MiB", "1.5GB");
    }
    return whole;
  }

  private static @Nullable Long unitBytes(String unit) {
    return switch (unit) {
      case "", "B" -> 1L;
      case "kB", "KB" -> 1_000L;
      case "MB" -> 1_000_000L;
      case "GB" -> 1_000_000_000L;
      case "TB" -> 1_000_000_000_000L;
      case "KiB" -> 1L << 10;
      case "MiB" -> 1L << 20;
      case "GiB" -> 1L << 30;
      case "TiB" -> 1L << 40;
      default -> null;
    };
  }

  /** Reads a probability above 0 and below 1. */
  public static double chance(String option, String text) {
    double value = Double.NaN;
    int slash = text.indexOf('/');
    if (slash > 0) {
      BigDecimal above = decimal(text.substring(0, slash));
      BigDecimal below = decimal(text.substring(slash + 1));
      if (above != null && below != null) {
        value = above.doubleValue() / below.doubleValue();
      }
    } else if (text.endsWith("%")) {
      BigDecimal percent = decimal(text.substring(0, text.length() - 1).strip());
      value = percent == null ? value : percent.movePointLeft(2).doubleValue();
    } else {
      BigDecimal number = decimal(text);
      value = number == null ? value : number.doubleValue();
    }
    if (!(value > 0 && value < 1)) {
      throw bad(option, text, "a probability above 0 and below 1", "0.1%", "1e-3", "1/1000");
    }
    return value;
  }

  private static @Nullable BigDecimal decimal(String text) {
    StringBuilder digits = new StringBuilder();
    boolean seen = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean separator = c == '_' || c == ',';
      if (separator && !seen) {
        return null;
      }
      boolean sign = (c == '+' || c == '-') && i > 0 && "eE".indexOf(text.charAt(i - 1)) >= 0;
      if (c >= '0' && c <= '9') {
        seen = true;
      } else if (!separator && c != '.' && c != 'e' && c != 'E' && !sign) {
        return null;
      }
      if (!separator) {
        digits.append(c);
      }
    }
    if (!seen || digits.length() > MOST_DIGITS) {
      return null;
    }
    try {
      BigDecimal value = new BigDecimal(digits.toString());
      return Math.abs((long) value.scale()) > 400 ? null : value;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static @Nullable Long whole(BigDecimal value) {
    boolean fits = value.compareTo(LARGEST) <= 0 && value.stripTrailingZeros().scale() <= 0;
    return fits ? value.longValueExact() : null;
  }

  private static Failure bad(String option, String text, String what, String... examples) {
    return new Failure(
        Problem.BAD_VALUE,
        "--" + option + " \"" + text + "\" is not " + what + ".",
        "It is written like " + String.join(", ", examples) + ".",
        "--" + option + " " + examples[0]);
  }
}
