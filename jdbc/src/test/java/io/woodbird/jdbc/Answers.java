package io.woodbird.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.guard.FollowingFilter;

/** Questions of tests whose patience is short. */
final class Answers {
  private Answers() {}

  /** On a busy machine a question may end before the database answers; another is asked then. */
  static void requireFound(FollowingFilter<Long> filter, long key) {
    Answer answer = filter.ask(key);
    while (answer == Answer.UNKNOWN) {
      answer = filter.ask(key);
    }
    assertThat(answer).isEqualTo(Answer.MAYBE_HERE);
  }
}
