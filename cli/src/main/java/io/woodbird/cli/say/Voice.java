package io.woodbird.cli.say;

import java.io.PrintStream;
import java.util.Map;

/** What is said to people, on stderr: errors, warnings, summaries. */
public final class Voice {
  private final PrintStream err;
  private final Paint paint;
  private final boolean unicode;
  private final boolean quiet;
  private final boolean debug;

  /**
   * Makes one; the colour is {@code auto}, {@code always} or {@code never}. Quiet leaves summaries
   * out.
   */
  public Voice(Streams streams, String color, boolean quiet, boolean debug) {
    this.err = streams.err();
    this.paint = Paint.of(streams, "err", color);
    this.unicode = isUtf8(streams.environment());
    this.quiet = quiet;
    this.debug = debug;
  }

  private static boolean isUtf8(Map<String, String> environment) {
    if (environment.containsKey("WOODBIRD_ASCII")) { // The launcher changed the locale for Java.
      return false;
    }
    for (String name : new String[] {"LC_ALL", "LC_CTYPE", "LANG"}) {
      String value = environment.getOrDefault(name, "");
      if (!value.isEmpty()) {
        String upper = value.toUpperCase(java.util.Locale.ROOT);
        return upper.contains("UTF-8") || upper.contains("UTF8");
      }
    }
    return false;
  }

  /** Whether characters past ASCII can be shown. */
  public boolean unicode() {
    return unicode;
  }

  /** Says a line, unless it should be quiet. */
  public void say(String text) {
    if (!quiet) {
      err.println(text);
    }
  }

  /** Says a line in any case: it was asked for. */
  public void report(Object line) {
    err.println(line);
  }

  /** Warns, quiet or not. */
  public void warn(String text) {
    err.println(paint.yellow("warn") + "  " + text);
  }

  /** Says what went wrong, why, and what to try. */
  public void fail(Failure failure) {
    String mark = unicode ? "\u2717" : "x";
    err.println(paint.red(mark + " " + failure.problem().code()) + "  " + failure.what());
    for (String line : failure.why().split("\n", -1)) {
      if (!line.isEmpty()) {
        err.println("  " + line);
      }
    }
    if (!failure.tries().isEmpty()) {
      String between = unicode ? "   \u00b7   " : "   |   ";
      err.println("  Try:  " + String.join(between, failure.tries()));
    }
    if (debug) {
      failure.printStackTrace(err);
    }
  }
}
