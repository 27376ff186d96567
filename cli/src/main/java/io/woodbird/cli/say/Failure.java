package io.woodbird.cli.say;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A problem in three lines: what, why, and what to try. */
public final class Failure extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Problem problem;
  private final String why;
  private final transient List<String> tries;

  /** Makes one: what is wrong in one sentence, why (perhaps empty), and what may help. */
  public Failure(Problem problem, String what, String why, String... tries) {
    this(problem, null, what, why, tries);
  }

  /** Makes one with a cause, which {@code --debug} shows. */
  public Failure(
      Problem problem, @Nullable Throwable cause, String what, String why, String... tries) {
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
