package io.woodbird.words;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("jdk")
final class HeapWordsTest {
  @Test
  void newWordsAreZeroAndThereAreAsManyAsAsked() {
    for (long count : new long[] {0, 1, 8, 1000}) {
      HeapWords words = new HeapWords(count);
      assertThat(words.count()).isEqualTo(count);
      for (long word = 0; word < count; word++) {
        assertThat(words.get(word)).isZero();
      }
    }
  }

  @Test
  void wordZeroLies64BytesAfterTheStartOfTheArrayObject() {
    // 16 bytes of object header and length, then 8 bytes a word.
    assertThat(16 + 8 * HeapWords.index(0)).isEqualTo(64);
    assertThat(HeapWords.index((1L << 31) - 17)).isPositive();
    HeapWords words = new HeapWords(3);
    words.set(2, 5);
    assertThat(words.array()[HeapWords.index(2)]).isEqualTo(5);
    assertThat(words.array().length).isGreaterThan(HeapWords.index(2));
  }

  @Test
  void ofCopiesTheWordsOfAnArray() {
    long[] array = {1, -2, 3};
    HeapWords words = HeapWords.of(array);
    array[1] = 0;
    assertThat(words.count()).isEqualTo(3);
    assertThat(new long[] {words.get(0), words.get(1), words.get(2)}).containsExactly(1, -2, 3);
  }

  @Test
  void moreWordsThanAnArrayHoldsAreRefused() {
    assertThatThrownBy(() -> new HeapWords(1L << 31)).isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> new HeapWords(1L << 40)).isInstanceOf(ArithmeticException.class);
  }

  @Test
  void setBits_setsTheMaskAndTellsWhetherItCompletedIt() {
    SplittableRandom random = new SplittableRandom(0x30ad);
    HeapWords words = new HeapWords(16);
    long[] model = new long[16];
    for (int round = 0; round < 10_000; round++) {
      int word = random.nextInt(16);
      long mask = 1L << random.nextInt(64) | 1L << random.nextInt(64);
      boolean missing = (model[word] & mask) != mask;
      if (round % 100 == 0) {
        words.set(word, 0);
        model[word] = 0;
        missing = true;
      }
      assertThat(words.setBits(HeapWords.index(word), mask)).isEqualTo(missing);
      model[word] |= mask;
      assertThat(words.get(word)).isEqualTo(model[word]);
      assertThat(words.getAcquire(HeapWords.index(word))).isEqualTo(model[word]);
    }
    assertThat(words.setBits(HeapWords.index(0), 0)).isFalse();
  }

  @Test
  void setBits_losesNoBitAndTellsOneThreadOfEach() throws InterruptedException {
    int threads = 3;
    int rounds = 300;
    HeapWords words = new HeapWords(rounds);
    AtomicIntegerArray completed = new AtomicIntegerArray(rounds * 64);
    AtomicInteger failures = new AtomicInteger();
    CyclicBarrier barrier = new CyclicBarrier(threads);
    Thread[] running = new Thread[threads];
    for (int t = 0; t < threads; t++) {
      running[t] =
          new Thread(
              () -> {
                try {
                  for (int round = 0; round < rounds; round++) {
                    barrier.await();
                    for (int bit = 0; bit < 64; bit++) {
                      if (words.setBits(HeapWords.index(round), 1L << bit)) {
                        completed.incrementAndGet(64 * round + bit);
                      }
                    }
                  }
                } catch (Exception e) {
                  failures.incrementAndGet();
                }
              });
      running[t].start();
    }
    for (Thread thread : running) {
      thread.join();
    }
    assertThat(failures).hasValue(0);
    for (int round = 0; round < rounds; round++) {
      assertThat(words.get(round)).isEqualTo(-1);
    }
    for (int i = 0; i < 64 * rounds; i++) {
      assertThat(completed.get(i)).isEqualTo(1);
    }
  }

  /**
   * Two threads go through the same few words again and again, and each sets every other bit: when
   * both run, they meet all the time, also on a machine that seldom lets both run.
   */
  @Test
  void setBits_inTheSameWordsLosesNoBit() throws Exception {
    int words = 1 << 8;
    for (int round = 0; round < 300; round++) {
      HeapWords shared = new HeapWords(words);
      CyclicBarrier barrier = new CyclicBarrier(2);
      FutureTask<Integer> other = new FutureTask<>(() -> setAll(shared, 2, barrier));
      new Thread(other).start();
      assertThat(setAll(shared, 1, barrier)).isEqualTo(32 * words);
      assertThat(other.get()).isEqualTo(32 * words);
      for (int word = 0; word < words; word++) {
        if (shared.get(word) != -1) {
          throw new AssertionError("word " + word + " is " + Long.toHexString(shared.get(word)));
        }
      }
    }
  }

  private static int setAll(HeapWords words, long first, CyclicBarrier barrier) throws Exception {
    barrier.await();
    int set = 0;
    for (long bit = first; bit != 0; bit <<= 2) {
      for (int word = 0; word < words.count(); word++) {
        set += words.setBits(HeapWords.index(word), bit) ? 1 : 0;
      }
    }
    return set;
  }
}
