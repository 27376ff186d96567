package io.woodbird.cli.say;

/** What the process ends with. */
public final class ExitCode {
  /** Done; all keys that were asked about may be here. */
  public static final int DONE = 0;

  /**
   * A "no", which is no error. Not 1: a JVM that can't start and a shell that fails end with that.
   */
  public static final int NO = 10;

  /** The filter file is damaged. */
  public static final int DAMAGED = 4;

  /** Ended by Ctrl-C. */
  public static final int INTERRUPTED = 130;

  /** The program that read our output has ended. */
  public static final int PIPE_CLOSED = 141;

  private ExitCode() {}
}
