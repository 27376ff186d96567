package io.woodbird.example.spam;

import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Two days of made-up mail of which it is known what each is; the same mail for the same seed. */
final class MailFeed {
  static final int PER_DAY = 100_000;
  static final int SPAMMERS = 500_000;
  static final int FRIENDS = 200;

  private static final int CAMPAIGNS = 40;
  private static final List<String> WORDS =
      List.of(
          "meeting",
          "about",
          "the",
          "garden",
          "report",
          "tomorrow",
          "please",
          "send",
          "train",
          "lunch",
          "and",
          "paper",
          "draft",
          "family",
          "photos",
          "invoice",
          "weekend",
          "question",
          "answer",
          "with",
          "summer",
          "ticket",
          "house",
          "coffee",
          "notes",
          "project",
          "school");

  /** What a mail really is. */
  enum Kind {
    PERSONAL,
    FRIEND,
    SPAMMER,
    MASS_MAILING
  }

  /** A mail and the truth about it. */
  record Item(Mail mail, Kind kind) {}

  private final SplittableRandom random;

  MailFeed(long seed) {
    random = new SplittableRandom(seed);
  }

  static Stream<String> spammers() {
    return LongStream.range(0, SPAMMERS).mapToObj(i -> "win" + i + "@spam.example");
  }

  /** The registry of spammers: here a glance at the name, in earnest a database. */
  static boolean registered(String sender) {
    return sender.endsWith("@spam.example");
  }

  static Stream<String> friends() {
    return LongStream.range(0, FRIENDS).mapToObj(i -> "friend" + i + "@home.example");
  }

  /** Two days of mail, in the order it came. */
  Stream<Item> mails() {
    Instant start = Instant.parse("2026-03-01T00:00:00Z");
    return LongStream.range(0, 2L * PER_DAY)
        .mapToObj(i -> next(start.plusSeconds(i * 86_400 / PER_DAY)));
  }

  private Item next(Instant time) {
    int kind = random.nextInt(100);
    if (kind < 60) {
      String sender = "p" + random.nextLong(1L << 40) + "@post.example";
      return new Item(new Mail(time, sender, words(30)), Kind.PERSONAL);
    } else if (kind < 70) {
      // Friends write the same short answers again and again.
      String sender = "friend" + random.nextInt(FRIENDS) + "@home.example";
      return new Item(new Mail(time, sender, "Thanks!"), Kind.FRIEND);
    } else if (kind < 85) {
      String sender = "win" + random.nextInt(SPAMMERS) + "@spam.example";
      return new Item(new Mail(time, sender, words(10)), Kind.SPAMMER);
    }
    // A new sender each time, another name and number in each copy of the text.
    String sender = "x" + random.nextLong(1L << 40) + "@mass.example";
    String text =
        "Dear customer %s, offer %c%c is yours for %s!"
            .formatted(
                random.nextInt(1 << 20),
                'a' + random.nextInt(CAMPAIGNS) % 20,
                'a' + random.nextInt(2),
                random.nextInt(1000));
    return new Item(new Mail(time, sender, text), Kind.MASS_MAILING);
  }

  private String words(int count) {
    return random
        .ints(count, 0, WORDS.size())
        .mapToObj(WORDS::get)
        .collect(Collectors.joining(" "));
  }
}
