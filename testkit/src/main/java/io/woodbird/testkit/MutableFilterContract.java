package io.woodbird.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.FilterStats;
import io.woodbird.MutableFilter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

/**
 * What every filter must do that takes keys.
 *
 * @param <K> the type of the keys
 */
public abstract class MutableFilterContract<K> extends FilterContract<K> {
  /**
   * Shared by the threads: fewer rounds for more. Puts of which two were told that a key was new,
   * as in the museum, were found in all of 12 tries on a busy machine, each of 30 rounds at first.
   */
  private static final int ROUNDS = 60;

  private static final int KEYS_PER_ROUND = 24;

  /**
   * Makes the contract for one kind of keys and one fpp.
   *
   * @param keys the keys to try it with
   * @param fpp to promise
   */
  protected MutableFilterContract(TestKeys<K> keys, double fpp) {
    super(keys, fpp);
  }

  /**
   * Makes an empty filter.
   *
   * @param expectedKeys how many keys the promise must hold for
   * @param fpp the promise
   * @param seed of the hash function
   * @return the filter
   */
  protected abstract MutableFilter<K> make(long expectedKeys, double fpp, long seed);

  /**
   * Says how many keys the filter counts if each of some keys was put several times.
   *
   * @param distinct how many keys
   * @param times how often each was put
   * @return {@code distinct}, unless the filter counts every put
   */
  protected long counted(long distinct, int times) {
    return distinct;
  }

  /**
   * Says with how many threads at once to try it.
   *
   * @return 2, 4 and 8, unless another contract tries them on the same words
   */
  protected List<Integer> threads() {
    return List.of(2, 4, 8);
  }

  @Override
  protected final MutableFilter<K> filterOf(List<K> present, double fpp, long seed) {
    MutableFilter<K> filter = make(Math.max(1, present.size()), fpp, seed);
    present.forEach(filter::put);
    return filter;
  }

  @Test
  void aNewFilterIsEmpty() {
    MutableFilter<K> filter = make(MANY, fpp(), 21);
    for (K key : keys().range(0, 1000)) {
      assertThat(filter.ask(key)).isEqualTo(Answer.NOT_HERE);
    }
    keys().corners().forEach(key -> assertThat(filter.mightContain(key)).isFalse());
    assertThat(filter.candidates(keys().range(0, 1000))).isEmpty();
    FilterStats stats = filter.stats();
    assertThat(stats.estimatedKeys()).isZero();
    assertThat(stats.fill()).isZero();
    assertThat(stats.currentFpp()).isZero();
  }

  @Test
  void put_isNeverForgotten() {
    Trials.sized(
        "put_isNeverForgotten",
        SIZES,
        MANY,
        (random, size) -> {
          MutableFilter<K> filter = make(Math.max(1, size), fpp(), random.nextLong());
          List<K> present = keys().range(0, size);
          for (int i = 0; i < size; i++) {
            filter.put(present.get(i));
            require(filter.ask(present.get(i)) == Answer.MAYBE_HERE, "the answer about key", i);
          }
          assertAllHere(filter, present);
        });
  }

  @Test
  void put_isTrueExactlyWhenTheKeyWasNotHere() {
    // What could go wrong are false positives. At 1 % these trials meet about ten of them, and the
    // keys at the end as many: that there is none happens once in 10^8 runs (e^-20).
    Trials.sized(
        "put_isTrueExactlyWhenTheKeyWasNotHere",
        100,
        100,
        (random, size) -> {
          MutableFilter<K> filter = make(Math.max(1, size), fpp(), random.nextLong());
          putsAreTrueForAbsentKeys(filter, keys().range(0, size));
          putsAreTrueForAbsentKeys(filter, keys().range(0, size));
        });
    putsAreTrueForAbsentKeys(make(MANY, fpp(), 22), keys().range(0, MANY));
  }

  private void putsAreTrueForAbsentKeys(MutableFilter<K> filter, List<K> all) {
    for (int i = 0; i < all.size(); i++) {
      K key = all.get(i);
      boolean absent = !filter.mightContain(key);
      require(filter.put(key) == absent, "what put says of key", i);
    }
  }

  @Test
  void put_ofTheSameKeyAgainIsFalse() {
    MutableFilter<K> filter = make(2 * MANY, fpp(), 23);
    filter.putAll(keys().range(0, MANY));
    for (K key : keys().range(0, MANY)) {
      assertThat(filter.put(key)).isFalse();
    }
  }

  @Test
  void putHash_isPutOfTheKeyWithTheHash() throws IOException {
    MutableFilter<K> byKey = make(500, fpp(), 24);
    MutableFilter<K> byHash = make(500, fpp(), 24);
    for (K key : keys().range(0, 500)) {
      assertThat(byHash.putHash(byHash.hashOf(key))).isEqualTo(byKey.put(key));
    }
    assertSameBytes(bytesOf(byHash), bytesOf(byKey), "by hash and by key");
  }

  @Test
  void putAll_returnsHowManyWereCertainlyNew() {
    Trials.sized(
        "putAll_returnsHowManyWereCertainlyNew",
        SIZES,
        MANY,
        (random, size) -> {
          long seed = random.nextLong();
          MutableFilter<K> together = make(Math.max(1, 3 * size), fpp(), seed);
          MutableFilter<K> oneByOne = make(Math.max(1, 3 * size), fpp(), seed);
          List<K> batch = new ArrayList<>(keys().range(0, size));
          batch.addAll(keys().range(0, size / 3));
          long fresh = batch.stream().filter(oneByOne::put).count();
          assertThat(together.putAll(batch)).isEqualTo(fresh);
          assertThat(together.putAll(batch)).isZero();
          batch.forEach(oneByOne::put);
          assertSameBytes(bytesOf(together), bytesOf(oneByOne), "together and one by one");
          assertAllHere(together, batch);
        });
    assertThat(make(1, fpp(), 25).putAll(List.of())).isZero();
  }

  @Test
  void putHashes_isPutOfEachOfThem() {
    Trials.sized(
        "putHashes_isPutOfEachOfThem",
        SIZES,
        MANY,
        (random, size) -> {
          long seed = random.nextLong();
          MutableFilter<K> together = make(Math.max(1, size), fpp(), seed);
          MutableFilter<K> oneByOne = make(Math.max(1, size), fpp(), seed);
          long[] hashes = random.longs(size).toArray();
          int count = size - size / 4; // The rest is not put.
          long fresh = Arrays.stream(hashes, 0, count).filter(oneByOne::putHash).count();
          assertThat(together.putHashes(hashes, count)).isEqualTo((int) fresh);
          assertSameBytes(bytesOf(together), bytesOf(oneByOne), "together and one by one");
        });
  }

  @Test
  void putHashes_refuseACountOutOfRangeAndChangeNothing() throws IOException {
    MutableFilter<K> filter = make(10, fpp(), 31);
    byte[] before = bytesOf(filter);
    for (int count : new int[] {-1, 4, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      assertThatThrownBy(() -> filter.putHashes(new long[3], count))
          .isInstanceOfAny(IllegalArgumentException.class, IndexOutOfBoundsException.class)
          .hasMessageContaining(Integer.toString(count));
    }
    assertThat(filter.putHashes(new long[3], 0)).isZero();
    assertSameBytes(bytesOf(filter), before, "the same filter");
  }

  @Test
  void aLongIsPutAndAskedWithoutBoxingOrRefused() {
    MutableFilter<K> filter = make(100, fpp(), 32);
    K sample = keys().key().apply(7);
    if (!(sample instanceof Long) && !(sample instanceof Integer)) {
      assertThatThrownBy(() -> filter.putLong(7L)).isInstanceOf(ClassCastException.class);
      assertThatThrownBy(() -> filter.hashOfLong(7L)).isInstanceOf(ClassCastException.class);
      assertThatThrownBy(() -> filter.mightContainLong(7L)).isInstanceOf(ClassCastException.class);
      assertThat(filter.stats().fill()).isZero();
      return;
    }
    for (long key = 0; key < 100; key++) {
      K boxed = keys().key().apply(key);
      assertThat(filter.hashOfLong(key)).isEqualTo(filter.hashOf(boxed));
      boolean absent = !filter.mightContain(boxed);
      assertThat(filter.mightContainLong(key)).isEqualTo(!absent);
      assertThat(filter.putLong(key)).isEqualTo(absent);
      assertThat(filter.mightContain(boxed)).isTrue();
      assertThat(filter.mightContainLong(key)).isTrue();
    }
  }

  @Test
  @SuppressWarnings({"DataFlowIssue", "NullAway"})
  void put_ofNullIsRefusedAndChangesNothing() throws IOException {
    MutableFilter<K> filter = make(MANY, fpp(), 26);
    filter.putAll(keys().range(0, 10));
    byte[] before = bytesOf(filter);
    assertThatNullPointerException().isThrownBy(() -> filter.put(null));
    assertThatNullPointerException().isThrownBy(() -> filter.putAll((Collection<K>) null));
    for (int at : new int[] {0, 1, 127, 128, 300, 999}) {
      List<K> batch = new ArrayList<>(keys().range(0, 1000));
      batch.set(at, null);
      assertThatNullPointerException().isThrownBy(() -> filter.putAll(batch));
      assertSameBytes(bytesOf(filter), before, "null at " + at + " of 1000");
    }
  }

  @Test
  void estimatedKeys_followsTheNumberOfKeys() {
    Trials.sized(
        "estimatedKeys_followsTheNumberOfKeys",
        SIZES,
        MANY,
        (random, size) -> {
          MutableFilter<K> filter = make(2 * MANY, fpp(), random.nextLong());
          filter.putAll(keys().range(0, size));
          filter.putAll(keys().range(0, size));
          assertEstimate(filter.stats(), counted(size, 2));
        });
  }

  @Test
  void put_fromManyThreadsLosesNoKey() throws IOException {
    for (int threads : threads()) {
      putFrom(threads);
    }
  }

  private void putFrom(int threads) throws IOException {
    int count = 8 * MANY;
    MutableFilter<K> filter = make(2L * count, fpp(), 27);
    MutableFilter<K> alone = make(2L * count, fpp(), 27);
    List<K> all = keys().range(0, count);
    Together.run(
        threads,
        thread -> {
          // Every key comes from two threads.
          for (int i = thread; i < count; i += threads) {
            filter.put(all.get(i));
            filter.put(all.get((i + 1) % count));
          }
        });
    assertAllHere(filter, all);
    alone.putAll(all);
    alone.putAll(all);
    if (bytesDependOnKeysAlone()) {
      assertSameBytes(bytesOf(filter), bytesOf(alone), "one and " + threads + " threads");
    }
  }

  @Test
  void put_fromManyThreadsIntoTheSameWordsLosesNoKey() {
    for (int threads : threads()) {
      putIntoTheSameWordsFrom(threads);
    }
  }

  private void putIntoTheSameWordsFrom(int threads) {
    // A filter for a few keys has a few words, which all threads write at once: rounds of it would
    // show a lost update with near certainty.
    Race race = new Race(threads * KEYS_PER_ROUND, 28);
    Together.rounds(
        threads,
        ROUNDS / threads,
        (thread, round) -> {
          MutableFilter<K> filter = race.filter;
          for (int i = thread; i < race.all.size(); i += threads) {
            filter.put(race.all.get(i));
          }
        },
        round -> {
          assertAllHere(race.filter, race.all);
          race.next();
        });
  }

  @Test
  void put_tellsAtMostOneOfManyThreadsThatAKeyWasNew() {
    for (int threads : threads()) {
      putTheSameKeysFrom(threads);
    }
  }

  private void putTheSameKeysFrom(int threads) {
    Race race = new Race(KEYS_PER_ROUND, 29);
    AtomicIntegerArray told = new AtomicIntegerArray(KEYS_PER_ROUND);
    Together.rounds(
        threads,
        ROUNDS / threads,
        (thread, round) -> {
          MutableFilter<K> filter = race.filter;
          for (int i = 0; i < KEYS_PER_ROUND; i++) {
            if (filter.put(race.all.get(i))) {
              told.incrementAndGet(i);
            }
          }
        },
        round -> {
          for (int i = 0; i < KEYS_PER_ROUND; i++) {
            require(told.getAndSet(i, 0) <= 1, "the number of threads that were first with key", i);
          }
          assertAllHere(race.filter, race.all);
          race.next();
        });
  }

  /** A small filter and a few keys, new in each round. */
  private final class Race {
    private final int count;
    private long next;
    MutableFilter<K> filter;
    List<K> all;

    Race(int count, long seed) {
      this.count = count;
      this.next = seed;
      this.filter = make(count, fpp(), seed);
      this.all = keys().range(0, count);
    }

    void next() {
      next++;
      filter = make(count, fpp(), next);
    }
  }

  @Test
  void aKeyWhosePutIsKnownToHaveReturnedIsHereInEveryThread() {
    int count = 8 * MANY;
    MutableFilter<K> filter = make(count, fpp(), 30);
    List<K> all = keys().range(0, count);
    AtomicInteger done = new AtomicInteger();
    AtomicBoolean ended = new AtomicBoolean();
    Together.run(
        2,
        thread -> {
          if (thread == 0) {
            try {
              for (K key : all) {
                filter.put(key);
                done.incrementAndGet();
              }
            } finally {
              ended.set(true);
            }
            return;
          }
          while (!ended.get()) {
            int seen = done.get();
            for (int i = Math.max(0, seen - 20); i < seen; i++) {
              require(filter.mightContain(all.get(i)), "the answer about key", i);
            }
          }
        });
    assertAllHere(filter, all);
  }
}
