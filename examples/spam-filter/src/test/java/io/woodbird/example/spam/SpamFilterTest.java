package io.woodbird.example.spam;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.example.spam.MailFeed.Kind;
import io.woodbird.example.spam.SpamFilter.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SpamFilterTest {
  private static final Instant MORNING = Instant.parse("2026-03-01T08:00:00Z");

  private static SpamFilter small() {
    return new SpamFilter(Set.of("ada"), Stream.of("mallory"), "mallory"::equals, 1000);
  }

  @Test
  void aSpammerIsRejectedAndAFriendNever() {
    SpamFilter filter = small();
    assertThat(filter.sort(new Mail(MORNING, "mallory", "hello"))).isEqualTo(Verdict.REJECTED);
    for (int i = 0; i < 5; i++) {
      assertThat(filter.sort(new Mail(MORNING, "ada", "Thanks!"))).isEqualTo(Verdict.DELIVERED);
    }
  }

  @Test
  void theThirdCopyWithinADayIsPutAsideAndLaterForgotten() {
    SpamFilter filter = small();
    assertThat(sort(filter, 0, "Dear Bob, win 100 now")).isEqualTo(Verdict.DELIVERED);
    assertThat(sort(filter, 1, "Dear Eve, WIN 250 now!")).isEqualTo(Verdict.DELIVERED);
    assertThat(sort(filter, 23, "Dear Lin, win 7 now")).isEqualTo(Verdict.QUARANTINED);
    assertThat(sort(filter, 23, "Dear Lin, lunch?")).isEqualTo(Verdict.DELIVERED);
    for (int mail = 0; mail < 1000; mail++) { // A window forgets while others write.
      sort(filter, 24 + mail / 20, "about " + "x".repeat(mail + 1));
    }
    assertThat(sort(filter, 24 + 50, "Dear Lin, win 7 now")).isEqualTo(Verdict.DELIVERED);
  }

  private static Verdict sort(SpamFilter filter, int hours, String text) {
    return filter.sort(new Mail(MORNING.plus(Duration.ofHours(hours)), "somebody", text));
  }

  @Test
  void twoDaysOfMail_noMailIsLostAndFewGuessesAreWrong() {
    SpamFilter filter =
        new SpamFilter(
            MailFeed.friends().collect(Collectors.toSet()),
            MailFeed.spammers(),
            MailFeed::registered,
            MailFeed.PER_DAY);
    MailRoom room = new MailRoom(filter);
    room.sort(new MailFeed(7));
    for (Kind kind : new Kind[] {Kind.PERSONAL, Kind.FRIEND, Kind.MASS_MAILING}) {
      assertThat(room.count(kind, Verdict.REJECTED)).isZero();
    }
    assertThat(room.count(Kind.FRIEND, Verdict.QUARANTINED)).isZero();
    assertThat(room.count(Kind.SPAMMER, Verdict.DELIVERED)).isZero();
    assertThat(room.count(Kind.SPAMMER, Verdict.QUARANTINED)).isZero();
    // 40 texts, two copies of each, and again when the day is over.
    assertThat(room.count(Kind.MASS_MAILING, Verdict.DELIVERED)).isLessThanOrEqualTo(160);

    double due = 0.001 * (filter.asked() - room.count(Kind.SPAMMER, Verdict.REJECTED));
    assertThat((double) filter.wrongMaybes()).isLessThan(due + 5 * Math.sqrt(due));
    // A personal mail must be mistaken twice: in both memories.
    assertThat(room.count(Kind.PERSONAL, Verdict.QUARANTINED)).isLessThanOrEqualTo(5);
  }
}
