package io.woodbird.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.woodbird.Answer;
import io.woodbird.DeletableFilter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * What every filter must do whose keys can be removed.
 *
 * @param <K> the type of the keys
 */
public abstract class DeletableFilterContract<K> extends MutableFilterContract<K> {
  /**
   * Makes the contract for one kind of keys and one fpp.
   *
   * @param keys the keys to try it with
   * @param fpp to promise
   */
  protected DeletableFilterContract(TestKeys<K> keys, double fpp) {
    super(keys, fpp);
  }

  @Override
  protected abstract DeletableFilter<K> make(long expectedKeys, double fpp, long seed);

  @Test
  void remove_undoesPut() {
    Trials.sized(
        "remove_undoesPut",
        SIZES,
        MANY,
        (random, size) -> {
          DeletableFilter<K> filter = make(Math.max(1, size), fpp(), random.nextLong());
          List<K> stay = keys().range(0, size / 2);
          List<K> go = keys().range(size / 2, size);
          filter.putAll(stay);
          List<Answer> before = answers(filter, go);
          filter.putAll(go);
          removeAll(filter, go);
          assertAllHere(filter, stay);
          assertThat(answers(filter, go)).isEqualTo(before);
          removeAll(filter, stay);
          assertThat(answers(filter, keys().range(0, size))).doesNotContain(Answer.MAYBE_HERE);
          assertThat(filter.stats().estimatedKeys()).isZero();
        });
  }

  private void removeAll(DeletableFilter<K> filter, List<K> present) {
    for (int i = 0; i < present.size(); i++) {
      require(filter.remove(present.get(i)), "what remove says of key", i);
    }
  }

  private void requireAll(DeletableFilter<K> filter, List<K> present) {
    for (int i = 0; i < present.size(); i++) {
      require(filter.mightContain(present.get(i)), "the answer about key", i);
    }
  }

  private List<Answer> answers(DeletableFilter<K> filter, List<K> asked) {
    return asked.stream().map(filter::ask).toList();
  }

  @Test
  void aKeyPutTwiceIsHereUntilItWasRemovedTwice() {
    DeletableFilter<K> filter = make(100, fpp(), 41);
    for (K key : keys().range(0, 5)) {
      for (int times = 0; times < 3; times++) {
        filter.put(key);
      }
      for (int times = 0; times < 3; times++) {
        assertThat(filter.mightContain(key)).isTrue();
        assertThat(filter.remove(key)).isTrue();
      }
      assertThat(filter.mightContain(key)).isFalse();
      assertThat(filter.remove(key)).isFalse();
    }
  }

  @Test
  void removeHash_isRemoveOfTheKeyWithTheHash() throws IOException {
    DeletableFilter<K> byKey = make(500, fpp(), 42);
    DeletableFilter<K> byHash = make(500, fpp(), 42);
    List<K> all = keys().range(0, 500);
    byKey.putAll(all);
    byHash.putAll(all);
    for (K key : keys().range(250, 750)) {
      if (byKey.ask(key) == Answer.NOT_HERE) {
        assertThat(byHash.removeHash(byHash.hashOf(key))).isFalse();
      } else {
        assertThat(byHash.removeHash(byHash.hashOf(key))).isEqualTo(byKey.remove(key));
      }
    }
    assertSameBytes(bytesOf(byHash), bytesOf(byKey), "by hash and by key");
  }

  @Test
  void remove_ofAKeyThatIsNotHereIsFalseAndChangesNothing() throws IOException {
    DeletableFilter<K> filter = make(MANY, fpp(), 43);
    filter.putAll(keys().range(0, MANY));
    byte[] before = bytesOf(filter);
    long probes = 20_000;
    FppMeter.Measurement wrong =
        FppMeter.measure(
            "removed though never put, seed 43",
            number -> {
              K key = keys().key().apply(number);
              // Where the filter is wrong about the key, remove would take another's trace.
              return filter.mightContain(key) || filter.remove(key);
            },
            MANY,
            probes);
    wrong.assertAtMost(fpp());
    assertSameBytes(bytesOf(filter), before, "the same filter");
  }

  @Test
  @SuppressWarnings({"DataFlowIssue", "NullAway"})
  void remove_ofNullIsRefusedAndChangesNothing() throws IOException {
    DeletableFilter<K> filter = make(100, fpp(), 44);
    filter.putAll(keys().range(0, 100));
    byte[] before = bytesOf(filter);
    assertThatNullPointerException().isThrownBy(() -> filter.remove(null));
    assertSameBytes(bytesOf(filter), before, "the same filter");
  }

  @Test
  void everyHistoryAgreesWithACountingMap() {
    Trials.sized(
        "everyHistoryAgreesWithACountingMap",
        SIZES,
        MANY,
        (random, size) -> {
          DeletableFilter<K> filter = make(Math.max(1, size), fpp(), random.nextLong());
          Map<Integer, Integer> model = new HashMap<>();
          List<Integer> held = new ArrayList<>();
          for (int step = 0; step < 3 * size; step++) {
            // Never more than size keys at once, counting each as often as it was put.
            boolean full = held.size() >= size;
            if (held.isEmpty() || (!full && random.nextInt(5) < 3)) {
              putOne(filter, model, held, random, size);
            } else {
              removeOne(filter, model, held, random);
            }
          }
          assertAllHere(filter, model.keySet().stream().map(this::key).toList());
          FppMeter.measure("after the history", filter, keys().key(), 2L * MANY, 20_000)
              .assertAtMost(fpp());
        });
  }

  private void putOne(
      DeletableFilter<K> filter,
      Map<Integer, Integer> model,
      List<Integer> held,
      SplittableRandom random,
      int size) {
    // Few enough numbers that many keys are put twice, but none of them a dozen times.
    int number = random.nextInt(size);
    boolean absent = !filter.mightContain(key(number));
    require(!(absent && model.containsKey(number)), "the answer about key", number);
    require(filter.put(key(number)) == absent, "what put says of key", number);
    model.merge(number, 1, Integer::sum);
    held.add(number);
  }

  private void removeOne(
      DeletableFilter<K> filter,
      Map<Integer, Integer> model,
      List<Integer> held,
      SplittableRandom random) {
    int at = random.nextInt(held.size());
    int number = held.get(at);
    held.set(at, held.get(held.size() - 1));
    held.remove(held.size() - 1);
    require(filter.remove(key(number)), "what remove says of key", number);
    model.computeIfPresent(number, (key, times) -> times == 1 ? null : times - 1);
    if (model.containsKey(number)) {
      require(filter.mightContain(key(number)), "the answer about key, put more often,", number);
    }
  }

  private K key(int number) {
    return keys().key().apply(number);
  }

  @Test
  void remove_inManyThreadsTakesNoOtherKeyAway() {
    threads().forEach(this::removeIn);
  }

  private void removeIn(int threads) {
    int perThread = MANY / threads;
    DeletableFilter<K> filter = make(MANY, fpp(), 45);
    Together.run(
        threads,
        thread -> {
          List<K> own = keys().range((long) thread * perThread, (long) (thread + 1) * perThread);
          for (int times = 0; times < 3; times++) {
            own.forEach(filter::put);
            requireAll(filter, own);
            removeAll(filter, own.subList(perThread / 2, perThread));
            requireAll(filter, own.subList(0, perThread / 2));
            if (times < 2) {
              own.subList(0, perThread / 2).forEach(filter::remove);
            }
          }
        });
    for (int thread = 0; thread < threads; thread++) {
      long from = (long) thread * perThread;
      assertAllHere(filter, keys().range(from, from + perThread / 2));
    }
  }
}
