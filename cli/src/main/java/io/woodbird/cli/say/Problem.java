package io.woodbird.cli.say;

import org.jspecify.annotations.Nullable;

/** Everything that can go wrong, by the code that is shown, searched for and documented. */
public enum Problem {
  /** There is no such verb. */
  NO_SUCH_VERB(1, 2),
  /** There is no such option. */
  NO_SUCH_OPTION(3, 2),
  /** An option lacks its value, or has one it does not take. */
  OPTION_VALUE(4, 2),
  /** A number, size, probability or choice was not understood. */
  BAD_VALUE(5, 2),
  /** An argument is missing. */
  MISSING(6, 2),
  /** There are more arguments than the verb takes. */
  TOO_MANY(7, 2),
  /** Two options exclude each other. */
  CONFLICT(8, 2),
  /** The output exists and there is no {@code --force}. */
  EXISTS(10, 2),
  /** The output is one of the inputs. */
  SAME_FILE(11, 2),
  /** A filter would be written to a terminal. */
  TERMINAL(12, 2),

  /** The budget is below what any structure needs. */
  BUDGET(101, 5),
  /** More keys than planned, and {@code --strict}. */
  OVER_PLAN(110, 5),

  /** A file can't be read. */
  CANNOT_READ(120, 3),
  /** A line has no such field, or is not in the form it should be in. */
  NO_FIELD(121, 3),
  /** A line is not a key of the kind that the filter holds. */
  BAD_KEY(122, 3),
  /** A line is longer than memory allows. */
  LONG_LINE(123, 3),
  /** Compressed input is damaged or ends too soon. */
  BAD_COMPRESSION(124, 3),
  /** An input changed between two readings. */
  CHANGED(125, 3),
  /** Two lines can't both be true: a key with two values, or one that must not be found. */
  CONTRADICTION(126, 3),
  /** A file can't be written. */
  CANNOT_WRITE(130, 3),
  /** Another process has the filter open. */
  IN_USE(131, 3),
  /** The process ran out of memory. */
  OUT_OF_MEMORY(140, 3),

  /** A filter file is damaged. */
  DAMAGED(201, 4),
  /** The file is no filter. */
  NOT_A_FILTER(202, 4),
  /** The file was written by a newer version. */
  TOO_NEW(203, 4),
  /** The filter holds keys of another kind, or under a secret. */
  OTHER_KEYS(204, 4),
  /** The file holds a filter of other parameters. */
  OTHER_FILTER(205, 2),
  /** A file is not signed. */
  UNSIGNED(206, 4),
  /** A file is signed by another key. */
  FOREIGN(207, 4),
  /** A file was altered after it was signed. */
  ALTERED(208, 4),
  /** Filters of different shapes can't be merged. */
  SHAPES_DIFFER(220, 2),
  /** This kind of filter can't do that. */
  WRONG_FAMILY(221, 2),
  /** A delta was made for another filter. */
  OTHER_BASE(222, 2),

  /** Redis can't be reached, or the shared filter can't be trusted. */
  REDIS(301, 6),

  /** A bug in woodbird. */
  BUG(999, 70);

  private final int number;
  private final int exitCode;

  Problem(int number, int exitCode) {
    this.number = number;
    this.exitCode = exitCode;
  }

  /** Makes a failure: what is wrong in one sentence, why (perhaps empty), and what may help. */
  public Failure failure(String what, String why, String... tries) {
    return new Failure(this, null, what, why, tries);
  }

  /** Makes a failure with a cause, which {@code --debug} shows. */
  public Failure failure(@Nullable Throwable cause, String what, String why, String... tries) {
    return new Failure(this, cause, what, why, tries);
  }

  /** The code that is shown, such as {@code WB-101}. */
  public String code() {
    String digits = "00" + number;
    return "WB-" + digits.substring(digits.length() - 3);
  }

  /** What the process ends with. */
  public int exitCode() {
    return exitCode;
  }
}
