package io.woodbird.cli.say;

import java.util.Locale;

/** Numbers as people read them. */
public final class Units {
  private static final String[] DECIMAL = {"bytes", "KB", "MB", "GB", "TB", "PB"};

  private Units() {}

  /** A count with separators, such as {@code 10,000,000}. */
  public static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** A count and its noun, which gets an s if it needs one. */
  public static String count(long value, String noun) {
    return count(value) + " " + noun + (value == 1 ? "" : "s");
  }

  /** Bytes in powers of ten with three digits, such as {@code 1.66 GB}. */
  public static String bytes(long value) {
    int unit = unit(value);
    String number = unit == 0 ? Long.toString(value) : threeDigits(value / Math.pow(1000, unit));
    return number + " " + DECIMAL[unit];
  }

  /** A size as an option takes it, rounded up to three digits: {@code 2.51GB}. */
  public static String sizeOption(long value) {
    int unit = unit(value);
    if (unit == 0) {
      return value + "B";
    }
    double scaled = value / Math.pow(1000, unit);
    double step = scaled >= 100 ? 1 : scaled >= 10 ? 0.1 : 0.01;
    return threeDigits(Math.ceil(scaled / step) * step) + DECIMAL[unit];
  }

  /** The power of 1000 that leaves at most three digits. */
  private static int unit(long value) {
    int unit = 0;
    for (double scaled = value; scaled >= 999.5 && unit < DECIMAL.length - 1; scaled /= 1000) {
      unit++;
    }
    return unit;
  }

  /** A probability, such as {@code 0.1 %}; small ones as {@code 1.2e-06}. */
  public static String chance(double value) {
    if (value == 0) {
      return "0 %";
    }
    if (value < 1e-5) {
      return trimmed(String.format(Locale.ROOT, "%.2e", value));
    }
    return trimmed(String.format(Locale.ROOT, "%.3g", 100 * value)) + " %";
  }

  /** A rate such as {@code 5.2 M}. */
  public static String rate(double value) {
    if (value >= 1e9) {
      return threeDigits(value / 1e9) + " G";
    }
    if (value >= 1e6) {
      return threeDigits(value / 1e6) + " M";
    }
    return value >= 1e3 ? threeDigits(value / 1e3) + " k" : Long.toString(Math.round(value));
  }

  /** A time such as {@code 3.2 s} or {@code 2 min 5 s}. */
  public static String seconds(double value) {
    if (value < 60) {
      return String.format(Locale.ROOT, value < 10 ? "%.1f s" : "%.0f s", value);
    }
    long whole = Math.round(value);
    return whole < 3600
        ? whole / 60 + " min " + whole % 60 + " s"
        : whole / 3600 + " h " + whole % 3600 / 60 + " min";
  }

  private static String threeDigits(double value) {
    String form = value >= 99.95 ? "%.0f" : value >= 9.995 ? "%.1f" : "%.2f";
    return trimmed(String.format(Locale.ROOT, form, value));
  }

  /** Removes zeros at the end of a fraction, before an exponent too. */
  private static String trimmed(String text) {
    int exponent = text.indexOf('e');
    String digits = exponent < 0 ? text : text.substring(0, exponent);
    if (digits.indexOf('.') >= 0) {
      int end = digits.length();
      while (digits.charAt(end - 1) == '0') {
        end--;
      }
      digits = digits.substring(0, digits.charAt(end - 1) == '.' ? end - 1 : end);
    }
    return exponent < 0 ? digits : digits + text.substring(exponent);
  }
}
