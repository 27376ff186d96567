package io.woodbird.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class TrialsTest {
  private static final Pattern SEED = Pattern.compile("-Dwoodbird\\.seed=(-?\\d+)");

  private static String messageOf(Runnable trials) {
    return catchThrowableOfType(AssertionError.class, trials::run).getMessage();
  }

  private static String seedIn(String message) {
    Matcher matcher = SEED.matcher(message);
    assertThat(matcher.find()).as(message).isTrue();
    return matcher.group(1);
  }

  @Test
  void run_triesAsOftenAsAskedEachTimeWithOtherNumbers() {
    Set<Long> seen = new HashSet<>();
    Trials.run("a", 50, random -> seen.add(random.nextLong()), null);
    assertThat(seen).hasSize(50);
  }

  @Test
  void run_givesTheSameNumbersAgainAndOtherNamesOtherNumbers() {
    List<Long> first = new ArrayList<>();
    List<Long> second = new ArrayList<>();
    List<Long> other = new ArrayList<>();
    Trials.run("a", 10, random -> first.add(random.nextLong()), null);
    Trials.run("a", 10, random -> second.add(random.nextLong()), null);
    Trials.run("b", 10, random -> other.add(random.nextLong()), null);
    assertThat(second).isEqualTo(first);
    assertThat(other).doesNotContainAnyElementsOf(first);
  }

  @Test
  void run_givesNewNumbersIfAskedTo() {
    List<Long> seen = new ArrayList<>();
    Trials.run("a", 10, random -> seen.add(random.nextLong()), "random");
    Trials.run("a", 10, random -> seen.add(random.nextLong()), "random");
    assertThat(seen).hasSize(20).doesNotHaveDuplicates();
  }

  @Test
  void run_namesTheSeedOfAFailureAndTheSeedReplaysIt() {
    List<Long> failed = new ArrayList<>();
    Trials.Trial oneInFour =
        random -> {
          long number = random.nextLong();
          if ((number & 3) == 0) {
            failed.add(number);
            throw new IllegalStateException("unlucky " + number);
          }
        };
    String message = messageOf(() -> Trials.run("luck", 1000, oneInFour, null));
    assertThat(message).contains("luck").contains("unlucky " + failed.get(0));
    String again = messageOf(() -> Trials.run("luck", 1000, oneInFour, seedIn(message)));
    assertThat(failed).hasSize(2);
    assertThat(failed.get(1)).isEqualTo(failed.get(0));
    assertThat(seedIn(again)).isEqualTo(seedIn(message));
  }

  @Test
  void run_replaysASeedOnceAndPassesIfItHolds() {
    int[] runs = {0};
    assertThatCode(() -> Trials.run("a", 1000, random -> runs[0]++, "42"))
        .doesNotThrowAnyException();
    assertThat(runs[0]).isEqualTo(1);
  }

  @Test
  void run_keepsTheCauseAndCatchesErrorsToo() {
    StackOverflowError cause = new StackOverflowError();
    AssertionError error =
        catchThrowableOfType(
            AssertionError.class,
            () ->
                Trials.run(
                    "a",
                    1,
                    random -> {
                      throw cause;
                    },
                    null));
    assertThat(error).hasCause(cause);
  }

  @Test
  void sized_triesSmallAndLargeSizesButNoneAboveTheLargest() {
    Set<Integer> sizes = new HashSet<>();
    Trials.sized("a", 500, 9, (random, size) -> sizes.add(size), null);
    assertThat(sizes).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
  }

  @Test
  void sized_halvesTheSizeOfAFailureWhileItStillFails() {
    List<Integer> tried = new ArrayList<>();
    Trials.SizedTrial failsFromTen =
        (random, size) -> {
          tried.add(size);
          assertThat(size).isLessThan(10);
        };
    String message = messageOf(() -> Trials.sized("ten", 1000, 1000, failsFromTen, null));
    int last = tried.size() - 1;
    int smallest = tried.get(last - 1);
    assertThat(smallest).isBetween(10, 19);
    assertThat(tried.get(last)).as("the half of it passed").isEqualTo(smallest / 2);
    assertThat(message).contains("ten").contains("at size " + smallest + " ");
  }

  @Test
  void sized_shrinksToNothingWhatAlwaysFails() {
    Trials.SizedTrial always =
        (random, size) -> {
          throw new IllegalStateException("size " + size);
        };
    assertThat(messageOf(() -> Trials.sized("a", 1, 1000, always, null)))
        .contains("at size 0 ")
        .endsWith("size 0");
  }

  @Test
  void sized_replaysTheSameSizeAndNumbers() {
    List<String> seen = new ArrayList<>();
    Trials.SizedTrial fails =
        (random, size) -> {
          seen.add(size + "/" + random.nextLong());
          assertThat(size).isLessThan(500);
        };
    String message = messageOf(() -> Trials.sized("a", 1000, 1000, fails, null));
    String first = seen.get(seen.size() - 2);
    seen.clear();
    messageOf(() -> Trials.sized("a", 1000, 1000, fails, seedIn(message)));
    assertThat(seen).hasSize(2);
    assertThat(seen.get(0)).isEqualTo(first);
  }

  @Test
  void sized_givesEverySizeTheSameNumbers() {
    List<Long> seen = new ArrayList<>();
    messageOf(
        () ->
            Trials.sized(
                "a",
                1,
                1000,
                (random, size) -> {
                  seen.add(random.nextLong());
                  throw new IllegalStateException();
                },
                null));
    assertThat(seen).hasSizeGreaterThan(3);
    assertThat(new HashSet<>(seen)).hasSize(1);
  }
}
