package io.woodbird.cli.say;

import java.io.PrintStream;

/** The progress line on a terminal, which is drawn over itself. */
public final class Progress implements AutoCloseable {
  /*
   * Nothing is drawn in the first half second, and no more than ten times a second. Without a total
   * there is no percentage and no bar, only a count and a rate. In the mode
   * "plain" a whole line is written every ten seconds, for logs. A line that is wider than the
   * terminal is cut: it would go on in a second row, which a carriage return does not reach.
   */
  private static final String COLUMNS = "WOODBIRD_COLUMNS"; // The launcher says it.
  private static final long FIRST_NANOS = 500_000_000L;
  private static final long BETWEEN_NANOS = 100_000_000L;
  private static final long PLAIN_NANOS = 10_000_000_000L;
  private static final int BAR = 20;

  private final PrintStream err;
  private final boolean drawn;
  private final boolean plain;
  private final boolean unicode;
  private final int columns;
  private final long started = System.nanoTime();
  private String phase = "";
  private String unit = "line";
  private long phaseStarted = started;
  private long next;
  private int width;

  /** Makes one; the mode is {@code auto}, {@code always}, {@code never} or {@code plain}. */
  public Progress(Streams streams, Voice voice, String mode) {
    this.err = streams.err();
    this.plain = mode.equals("plain");
    this.drawn =
        mode.equals("always")
            || (mode.equals("auto")
                && streams.terminals().contains("err")
                && !"dumb".equals(streams.environment().get("TERM")));
    this.unicode = voice.unicode();
    this.columns = columns(streams.environment().getOrDefault(COLUMNS, ""));
    this.next = started + (plain ? PLAIN_NANOS : FIRST_NANOS);
  }

  /** How wide the terminal is; very wide if nobody knows. */
  static int columns(String said) {
    return said.matches("[1-9][0-9]{0,4}") ? Integer.parseInt(said) : Integer.MAX_VALUE;
  }

  /** As much of a line as fits into one row; the last column stays free for the cursor. */
  static String fitted(String line, int columns) {
    return line.length() < columns ? line : line.substring(0, columns - 1);
  }

  /** Begins a phase, such as {@code "reading"}, that counts {@code unit}s. */
  public void phase(String name, String counted) {
    if (!name.equals(phase)) {
      phase = name;
      unit = counted;
      phaseStarted = System.nanoTime();
    }
  }

  /**
   * Tells how far it is; cheap enough to be called a few thousand times a second.
   *
   * @param count how many units are done
   * @param done how much of the total is done, in any measure
   * @param total the total in that measure, or 0 if it is unknown
   */
  public void at(long count, long done, long total) {
    if (!drawn && !plain) {
      return;
    }
    long now = System.nanoTime();
    if (now - next < 0) {
      return;
    }
    next = now + (plain ? PLAIN_NANOS : BETWEEN_NANOS);
    double elapsed = Math.max(1e-3, (now - phaseStarted) / 1e9);
    String line = line(count, done, total, elapsed);
    if (plain) {
      err.println(line);
    } else {
      line = fitted(line, columns);
      String spaces = " ".repeat(Math.max(0, width - line.length()));
      width = line.length();
      err.print("\r" + line + spaces);
      err.flush();
    }
  }

  private String line(long count, long done, long total, double elapsed) {
    StringBuilder text = new StringBuilder(phase);
    if (total > 0) {
      double share = Math.min(1, (double) done / total);
      text.append(' ').append(bar(share)).append(' ').append((int) (100 * share)).append(" %");
    }
    text.append("  ").append(Units.count(count, unit));
    text.append("  ").append(Units.rate(count / elapsed)).append("/s");
    if (total > 0 && done > 0 && done < total) {
      text.append("  ").append(Units.seconds(elapsed * (total - done) / done)).append(" left");
    }
    return text.toString();
  }

  private String bar(double share) {
    int full = (int) (BAR * share);
    return "["
        + (unicode ? "\u2588" : "#").repeat(full)
        + (unicode ? "\u2591" : ".").repeat(BAR - full)
        + "]";
  }

  /** How long it took so far. */
  public double seconds() {
    return (System.nanoTime() - started) / 1e9;
  }

  @Override
  public void close() {
    wipe();
  }

  /** Wipes the line, so that something else can be said. */
  public void wipe() {
    if (width > 0) {
      err.print("\r" + " ".repeat(width) + "\r");
      err.flush();
      width = 0;
    }
  }
}
