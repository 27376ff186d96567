package io.woodbird.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.guard.Follower.Proof;
import io.woodbird.guard.FollowingFilter;
import java.util.List;

/** What tests say of answers and proofs. */
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

  static <K> void assertAbsent(Proof<K> proof, List<K> absent, List<K> present) {
    assertThat(absent).allMatch(proof::isAbsent).noneMatch(proof::isPresent);
    assertThat(present).noneMatch(proof::isAbsent);
  }
}
