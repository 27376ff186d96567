package io.woodbird.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.Filter;
import io.woodbird.FilterStats;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every filter must do, whatever it is made of.
 *
 * @param <K> the type of the keys
 */
public abstract class FilterContract<K> {
  /** Enough keys for several batches and pages, few enough to be quick. */
  protected static final int MANY = 5000;

  /** How many sizes are tried: a fault that half of them show is missed once in a thousand runs. */
  static final int SIZES = 10;

  private final TestKeys<K> keys;
  private final double fpp;

  /**
   * Makes the contract for one kind of keys and one fpp.
   *
   * @param keys the keys to try it with
   * @param fpp to promise
   */
  protected FilterContract(TestKeys<K> keys, double fpp) {
    this.keys = keys;
    this.fpp = fpp;
  }

  /**
   * Makes a filter that holds some keys and is meant for no more.
   *
   * @param present the keys, perhaps some of them twice
   * @param fpp the fpp to promise
   * @param seed of the hash function
   * @return the filter
   */
  protected abstract Filter<K> filterOf(List<K> present, double fpp, long seed);

  /**
   * Whether the order of the keys leaves no trace in the bytes of the filter.
   *
   * @return true, unless the filter treats older keys in another way
   */
  protected boolean bytesDependOnKeysAlone() {
    return true;
  }

  /**
   * The keys.
   *
   * @return as given to the constructor
   */
  protected final TestKeys<K> keys() {
    return keys;
  }

  /**
   * The fpp to promise.
   *
   * @return as given to the constructor
   */
  protected final double fpp() {
    return fpp;
  }

  @Test
  void everyKeyThatIsInIsMaybeHere() {
    Trials.sized(
        "everyKeyThatIsInIsMaybeHere",
        SIZES,
        MANY,
        (random, size) -> {
          List<K> present = keys.range(0, size);
          assertAllHere(filterOf(present, fpp, random.nextLong()), present);
        });
  }

  @Test
  void everyWayToAskGivesTheSameAnswer() {
    Trials.sized(
        "everyWayToAskGivesTheSameAnswer",
        SIZES,
        MANY,
        (random, size) -> {
          Filter<K> filter = filterOf(keys.range(0, size), fpp, random.nextLong());
          List<K> asked = keys.range(size / 2, size / 2 + size);
          long[] hashes = new long[size];
          List<K> maybe = new ArrayList<>();
          List<Integer> maybeIndexes = new ArrayList<>();
          for (int i = 0; i < size; i++) {
            K key = asked.get(i);
            hashes[i] = filter.hashOf(key);
            boolean here = filter.mightContain(key);
            require(filter.mightContainHash(hashes[i]) == here, "the hash of key", i);
            Answer answer = here ? Answer.MAYBE_HERE : Answer.NOT_HERE;
            require(filter.ask(key) == answer, "the answer about key", i);
            if (here) {
              maybe.add(key);
              maybeIndexes.add(i);
            }
          }
          assertSame(filter.candidates(asked), maybe);
          int[] selected = new int[size];
          int count = filter.candidates(hashes, size, selected);
          assertThat(Arrays.stream(selected, 0, count).boxed().toList()).isEqualTo(maybeIndexes);
        });
  }

  @Test
  void hashOf_isTheHashUnderTheSeedOfTheFilter() {
    Trials.run(
        "hashOf_isTheHashUnderTheSeedOfTheFilter",
        5,
        random -> {
          long seed = random.nextLong();
          Filter<K> filter = filterOf(keys.range(0, 10), fpp, seed);
          for (K key : keys.range(0, 100)) {
            assertThat(filter.hashOf(key)).isEqualTo(keys.hasher().hash(key, seed));
          }
        });
  }

  @Test
  void candidates_areInTheOrderOfTheQuestionAndAsOftenAsAsked() {
    Trials.run(
        "candidates_areInTheOrderOfTheQuestionAndAsOftenAsAsked",
        5,
        random -> {
          List<K> present = new ArrayList<>(keys.range(0, 1000));
          Filter<K> filter = filterOf(present, fpp, random.nextLong());
          List<K> asked = new ArrayList<>(present);
          asked.addAll(present);
          Collections.shuffle(asked, new Random(random.nextLong()));
          assertSame(filter.candidates(asked), asked);
          assertSame(filter.candidates(new Unlisted<>(asked)), asked);
        });
  }

  @Test
  void candidates_ofNothingAreNothing() {
    Filter<K> filter = filterOf(keys.range(0, 10), fpp, 1);
    assertThat(filter.candidates(List.of())).isEmpty();
    assertThat(filter.candidates(new long[0], 0, new int[0])).isZero();
    assertThat(filter.candidates(new long[5], 0, new int[5])).isZero();
  }

  @Test
  void candidates_readAndWriteNothingPastTheCount() {
    List<K> present = keys.range(0, 300);
    Filter<K> filter = filterOf(present, fpp, 2);
    long[] hashes = present.stream().mapToLong(filter::hashOf).toArray();
    for (int count : new int[] {0, 1, 127, 128, 129, 255, 256, 257, 299}) {
      int[] selected = new int[300];
      Arrays.fill(selected, -7);
      assertThat(filter.candidates(hashes, count, selected)).isEqualTo(count);
      for (int i = 0; i < 300; i++) {
        assertThat(selected[i]).isEqualTo(i < count ? i : -7);
      }
    }
  }

  @Test
  void candidates_refuseACountOutOfRange() {
    Filter<K> filter = filterOf(keys.range(0, 10), fpp, 3);
    int[] untouched = {-7, -7, -7};
    assertThatIllegalArgumentException()
        .isThrownBy(() -> filter.candidates(new long[3], -1, untouched))
        .withMessageContaining("-1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> filter.candidates(new long[2], 3, untouched))
        .withMessageContaining("3");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> filter.candidates(new long[9], 4, untouched))
        .withMessageContaining("4");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> filter.candidates(new long[9], Integer.MIN_VALUE, untouched));
    assertThat(untouched).containsExactly(-7, -7, -7);
  }

  @Test
  @SuppressWarnings({"DataFlowIssue", "NullAway"})
  void nullIsRefusedAtOnce() throws IOException {
    Filter<K> filter = filterOf(keys.range(0, 10), fpp, 4);
    byte[] before = bytesOf(filter);
    K none = null;
    assertThatNullPointerException().isThrownBy(() -> filter.ask(none));
    assertThatNullPointerException().isThrownBy(() -> filter.mightContain(none));
    assertThatNullPointerException().isThrownBy(() -> filter.hashOf(none));
    assertThatNullPointerException().isThrownBy(() -> filter.candidates((Collection<K>) null));
    assertThatNullPointerException().isThrownBy(() -> filter.candidates(null, 0, new int[1]));
    assertThatNullPointerException().isThrownBy(() -> filter.candidates(new long[1], 0, null));
    assertThatNullPointerException().isThrownBy(() -> filter.save(null));
    assertThatNullPointerException().isThrownBy(() -> filter.writeTo(null));
    for (int at : new int[] {0, 1, 127, 128, 300}) {
      List<K> batch = new ArrayList<>(keys.range(0, 301));
      batch.set(at, null);
      assertThatNullPointerException().isThrownBy(() -> filter.candidates(batch));
    }
    assertSameBytes(bytesOf(filter), before, "the same filter");
  }

  @Test
  void everyKeyIsAKey() {
    List<K> corners = keys.corners();
    Filter<K> filter = filterOf(corners, fpp, 5);
    assertAllHere(filter, corners);
    assertThat(corners.stream().map(filter::hashOf)).doesNotHaveDuplicates();
    for (K corner : corners) {
      Filter<K> lone = filterOf(List.of(corner), fpp, 6);
      assertThat(lone.ask(corner)).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  @Test
  void stats_sayWhatTheFilterIs() {
    Filter<K> filter = filterOf(keys.range(0, MANY), fpp, 7);
    FilterStats stats = filter.stats();
    assertThat(stats.layout()).isNotBlank();
    assertThat(stats.bits()).isPositive();
    assertThat(stats.fill()).isBetween(0.0, 1.0).isPositive();
    assertThat(stats.promisedFpp()).isPositive().isLessThanOrEqualTo(fpp);
    assertThat(stats.currentFpp()).isNotNegative().isLessThanOrEqualTo(stats.promisedFpp());
    assertThat(stats.overfull()).isFalse();
    assertThat(stats.doubts()).isEmpty();
    assertEstimate(stats, MANY);
  }

  @Test
  void toString_saysLayoutBitsKeysAndFpp() {
    Filter<K> filter = filterOf(keys.range(0, MANY), fpp, 8);
    FilterStats stats = filter.stats();
    assertThat(filter.toString())
        .contains(stats.layout())
        .contains(String.format(Locale.ROOT, "%,d bits", stats.bits()))
        .contains(String.format(Locale.ROOT, "%,d", stats.estimatedKeys()))
        .contains(String.format(Locale.ROOT, "%,d", stats.expectedKeys()))
        .contains(String.format(Locale.ROOT, "%.3g", stats.promisedFpp()))
        .contains(String.format(Locale.ROOT, "%.3g", stats.currentFpp()));
  }

  @Test
  void fpp_isAtMostThePromisedOne() {
    long probes = (long) Math.min(1_000_000, Math.max(100_000, 100 / fpp));
    // A million probes of one filter are as good as half a million of two.
    Trials.run(
        "fpp_isAtMostThePromisedOne",
        probes < 1_000_000 ? 2 : 1,
        random -> {
          long seed = random.nextLong();
          Filter<K> filter = filterOf(keys.range(0, MANY), fpp, seed);
          FppMeter.measure("seed " + seed, filter, keys.key(), MANY, probes).assertAtMost(fpp);
        });
  }

  @Test
  void save_andWriteToGiveTheSameBytes(@TempDir Path folder) throws IOException {
    for (int size : new int[] {1, 100, MANY}) {
      Filter<K> filter = filterOf(keys.range(0, size), fpp, 9);
      Path path = folder.resolve("filter.wbird"); // The second save replaces the first.
      filter.save(path);
      byte[] saved = Files.readAllBytes(path);
      assertThat(saved).hasSize(Math.toIntExact(filter.sizeInBytes()));
      assertSameBytes(bytesOf(filter), saved, "writeTo and save");
    }
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).as("nothing but the file is left").hasSize(1);
    }
  }

  @Test
  void save_thatFailsLeavesEverythingAsItWas(@TempDir Path folder) throws IOException {
    Filter<K> filter = filterOf(keys.range(0, 10), fpp, 10);
    Path inTheWay = folder.resolve("filter.wbird");
    Path inside = Files.createDirectories(inTheWay.resolve("inside"));
    assertThatThrownBy(() -> filter.save(inTheWay)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> filter.save(folder.resolve("missing").resolve("filter.wbird")))
        .isInstanceOf(IOException.class);
    try (Stream<Path> files = Files.walk(folder)) {
      assertThat(files).containsExactlyInAnyOrder(folder, inTheWay, inside);
    }
  }

  @Test
  void writeTo_leavesTheStreamOpen() throws IOException {
    Filter<K> filter = filterOf(keys.range(0, 10), fpp, 11);
    boolean[] closed = {false};
    ByteArrayOutputStream out =
        new ByteArrayOutputStream() {
          @Override
          public void close() {
            closed[0] = true;
          }
        };
    filter.writeTo(out);
    filter.writeTo(out);
    assertThat(closed[0]).isFalse();
    assertThat(out.size()).isEqualTo(Math.toIntExact(2 * filter.sizeInBytes()));
  }

  @Test
  void theBytesDependOnTheKeysAndTheSeedAlone() {
    Trials.sized(
        "theBytesDependOnTheKeysAndTheSeedAlone",
        SIZES / 2,
        MANY,
        (random, size) -> {
          long seed = random.nextLong();
          List<K> present = new ArrayList<>(keys.range(0, size));
          byte[] bytes = bytesOf(filterOf(present, fpp, seed));
          if (bytesDependOnKeysAlone()) {
            Collections.shuffle(present, new Random(random.nextLong()));
          }
          assertSameBytes(bytesOf(filterOf(present, fpp, seed)), bytes, "once more");
          assertThat(Arrays.equals(bytesOf(filterOf(present, fpp, seed + 1)), bytes)).isFalse();
        });
  }

  @Test
  void questionsChangeNothing() throws IOException {
    Filter<K> filter = filterOf(keys.range(0, 100), fpp, 12);
    byte[] before = bytesOf(filter);
    SplittableRandom random = new SplittableRandom(12);
    for (K key : keys.range(50, 500)) {
      filter.ask(key);
      filter.mightContainHash(random.nextLong());
    }
    filter.candidates(keys.range(50, 500));
    assertThatCode(filter::toString).doesNotThrowAnyException();
    assertSameBytes(bytesOf(filter), before, "the same filter");
  }

  /** As good as a count of a Poisson process: within 5 square roots, and exact up to three keys. */
  final void assertEstimate(FilterStats stats, long truth) {
    assertThat((double) stats.estimatedKeys())
        .as("estimated keys of a filter with %,d: %s", truth, stats)
        .isBetween(truth - 5 * Math.sqrt(truth), truth + 5 * Math.sqrt(truth));
  }

  final void assertAllHere(Filter<K> filter, Collection<K> present) {
    long missing = present.stream().filter(key -> !filter.mightContain(key)).count();
    assertThat(missing).as("false negatives among %,d keys of %s", present.size(), filter).isZero();
  }

  /** For loops of thousands, in which AssertJ would take most of the time. */
  static void require(boolean holds, String what, long number) {
    if (!holds) {
      throw new AssertionError(what + " " + number + " is not as it should be");
    }
  }

  /** Compares by identity, as keys such as arrays have no equality. */
  final void assertSame(List<K> actual, List<K> expected) {
    assertThat(actual).usingElementComparator((a, b) -> a == b ? 0 : 1).isEqualTo(expected);
  }

  static void assertSameBytes(byte[] actual, byte[] expected, String what) {
    int difference = Arrays.mismatch(actual, expected);
    assertThat(difference)
        .as("%s: first difference of %,d and %,d bytes", what, actual.length, expected.length)
        .isEqualTo(-1);
  }

  static byte[] bytesOf(Filter<?> filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }

  /** A collection that is no list, so that nobody relies on its indexes. */
  private static final class Unlisted<T> extends AbstractCollection<T> {
    private final List<T> elements;

    Unlisted(List<T> elements) {
      this.elements = elements;
    }

    @Override
    public Iterator<T> iterator() {
      return elements.iterator();
    }

    @Override
    public int size() {
      return elements.size();
    }
  }
}
