package io.woodbird.cli.say;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A problem in three lines: what, why, and what to try. {@link Problem} makes it. */
public final class Failure extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Problem problem;
  private final String why;
  private final transient List<String> tries;

  Failure(Problem problem, @Nullable Throwable cause, String what, String why, String... tries) {
    super(what, cause);
    this.problem = problem;
    this.why = why;
    this.tries = List.of(tries);
  }

  public Problem problem() {
    return problem;
  }

  public String what() {
    return String.valueOf(getMessage());
  }

  public String why() {
    return why;
  }

  public List<String> tries() {
    return tries;
  }
}
