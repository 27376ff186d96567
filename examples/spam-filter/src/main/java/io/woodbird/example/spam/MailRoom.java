package io.woodbird.example.spam;

import io.woodbird.example.spam.MailFeed.Item;
import io.woodbird.example.spam.MailFeed.Kind;
import io.woodbird.example.spam.SpamFilter.Verdict;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Sorts two days of mail, and says what the filter's wrong guesses cost. */
public final class MailRoom {
  private final SpamFilter filter;
  private final Map<Kind, Map<Verdict, Long>> counts = new EnumMap<>(Kind.class);

  MailRoom(SpamFilter filter) {
    this.filter = filter;
  }

  void sort(MailFeed feed) {
    feed.mails().forEach(this::sort);
  }

  private void sort(Item item) {
    counts
        .computeIfAbsent(item.kind(), kind -> new EnumMap<>(Verdict.class))
        .merge(filter.sort(item.mail()), 1L, Long::sum);
  }

  long count(Kind kind, Verdict verdict) {
    return counts.getOrDefault(kind, Map.of()).getOrDefault(verdict, 0L);
  }

  void report() {
    System.out.printf("%-14s %12s %12s %12s%n", "", "delivered", "quarantined", "rejected");
    for (Kind kind : Kind.values()) {
      System.out.printf(
          "%-14s %,12d %,12d %,12d%n",
          kind.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' '),
          count(kind, Verdict.DELIVERED),
          count(kind, Verdict.QUARANTINED),
          count(kind, Verdict.REJECTED));
    }
    long strangers = filter.asked() - count(Kind.SPAMMER, Verdict.REJECTED);
    System.out.printf("%nWhat wrong guesses cost:%n");
    System.out.printf(
        "  %,d needless look-ups in the registry, of %,d strangers (%.3f %% promised, %.3f %% seen)%n",
        filter.wrongMaybes(),
        strangers,
        100 * filter.senders().promisedFpp(),
        100.0 * filter.wrongMaybes() / strangers);
    System.out.printf(
        "  %,d personal mails in quarantine, %,d rejected%n",
        count(Kind.PERSONAL, Verdict.QUARANTINED), count(Kind.PERSONAL, Verdict.REJECTED));
    System.out.printf(
        "What was saved: %,d of %,d look-ups. The filters take %,d KB.%n",
        filter.asked() - filter.lookUps(), filter.asked(), filter.bytes() / 1000);
  }

  /**
   * Sorts the feed.
   *
   * @param arguments none
   */
  public static void main(String[] arguments) {
    MailRoom room =
        new MailRoom(
            new SpamFilter(
                MailFeed.friends().collect(Collectors.toSet()),
                MailFeed.spammers(),
                MailFeed::registered,
                MailFeed.PER_DAY));
    room.sort(new MailFeed(7));
    room.report();
  }
}
