package io.woodbird.cli.say;

import java.util.Map;

/** Colours for a stream, or none. A colour never carries a meaning alone. */
public final class Paint {
  private static final String BOLD = "1";
  private static final String DIM = "2";
  private static final String RED = "31";
  private static final String GREEN = "32";
  private static final String YELLOW = "33";

  private final boolean on;

  private Paint(boolean on) {
    this.on = on;
  }

  /**
   * Makes one for "out" or "err". In the mode {@code auto} there are colours on a terminal, unless
   * NO_COLOR is set.
   */
  public static Paint of(Streams streams, String stream, String mode) {
    Map<String, String> environment = streams.environment();
    boolean wanted =
        streams.terminals().contains(stream)
            && environment.getOrDefault("NO_COLOR", "").isEmpty()
            && !"dumb".equals(environment.get("TERM"));
    return new Paint(mode.equals("always") || (mode.equals("auto") && wanted));
  }

  public String bold(String text) {
    return painted(BOLD, text);
  }

  public String dim(String text) {
    return painted(DIM, text);
  }

  /** For errors and bad results. */
  public String red(String text) {
    return painted(RED, text);
  }

  /** For good results. */
  public String green(String text) {
    return painted(GREEN, text);
  }

  /** For warnings. */
  public String yellow(String text) {
    return painted(YELLOW, text);
  }

  private String painted(String code, String text) {
    return on ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
