package io.woodbird.example.spam;

import io.woodbird.Filter;
import io.woodbird.FilterStats;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Sorts mail: known spammers out, mass mailings aside, everything else in.
 *
 * <p>A filter alone must never throw a mail away, as its "maybe" may be wrong. Here it costs a
 * look-up, or a mail lies in quarantine, where a person finds it.
 */
final class SpamFilter {
  /** What becomes of a mail. */
  enum Verdict {
    DELIVERED,
    QUARANTINED,
    REJECTED
  }

  private static final double FPP = 0.001;

  private final Set<String> friends;
  private final Filter<String> spammers;
  private final Predicate<String> registry;
  private final MutableFilter<String> once;
  private final MutableFilter<String> twice;
  private long nanos;
  private long asked;
  private long lookUps;
  private long wrongMaybes;

  /**
   * Makes one.
   *
   * @param friends senders that are never stopped; few, so they are a plain set
   * @param spammers all known spammers; millions, so they become a frozen filter
   * @param registry the second look: exact, but far away, such as a database
   * @param mailsPerDay how many texts the memory of one day must hold
   */
  SpamFilter(
      Set<String> friends, Stream<String> spammers, Predicate<String> registry, long mailsPerDay) {
    this.friends = friends;
    this.registry = registry;
    this.spammers = Woodbird.frozen(Keys.strings()).fpp(FPP).buildFrom(spammers);
    this.once = lastDay(mailsPerDay);
    this.twice = lastDay(mailsPerDay);
  }

  private MutableFilter<String> lastDay(long mailsPerDay) {
    return Woodbird.window(Keys.strings(), mailsPerDay, Duration.ofHours(24))
        .fpp(FPP)
        .clock(() -> nanos) // The time of the mails, so that an old feed can be sorted again.
        .build();
  }

  Verdict sort(Mail mail) {
    nanos = TimeUnit.SECONDS.toNanos(mail.received().getEpochSecond());
    if (friends.contains(mail.sender())) {
      return Verdict.DELIVERED;
    }
    asked++;
    if (spammers.mightContain(mail.sender())) {
      lookUps++;
      if (registry.test(mail.sender())) {
        return Verdict.REJECTED;
      }
      wrongMaybes++;
    }
    // Put is true for a text that is certainly new; a mass mailing is one that comes a third time.
    String text = fingerprint(mail.text());
    return once.put(text) || twice.put(text) ? Verdict.DELIVERED : Verdict.QUARANTINED;
  }

  /** What is left of a text when names, numbers, case and spaces are varied. */
  static String fingerprint(String text) {
    return text.toLowerCase(Locale.ROOT).replaceAll("^dear [^,]*,|[^a-z]+", "");
  }

  /** How many senders the filter was asked about. */
  long asked() {
    return asked;
  }

  /** How many of them had to be looked up in the registry. */
  long lookUps() {
    return lookUps;
  }

  /** How many of those look-ups found nothing. */
  long wrongMaybes() {
    return wrongMaybes;
  }

  FilterStats senders() {
    return spammers.stats();
  }

  long bytes() {
    return spammers.sizeInBytes() + once.sizeInBytes() + twice.sizeInBytes();
  }
}
