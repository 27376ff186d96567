package io.woodbird.classic;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ClassicFilterTest {
  static List<String> names() {
    return Scheme.names();
  }

  @ParameterizedTest
  @MethodSource("names")
  void mightContain_isTrueForEveryKeyThatWasPut(String name) {
    ClassicFilter filter = Scheme.of(name).filterOf(1 << 15, 6);
    List<String> keys = new ArrayList<>(List.of("", "\0", "a", "\ud834\udd1e", "\udd1e alone"));
    for (int i = 0; i < 2000; i++) {
      keys.add("key " + i);
    }
    keys.forEach(filter::put);
    assertThat(keys).allMatch(filter::mightContain);
    assertThat(filter.mightContain("not put")).isFalse();
  }

  @ParameterizedTest
  @MethodSource("names")
  void bits_areThePositionsOfTheScheme(String name) {
    ClassicFilter filter = Scheme.of(name).filterOf(1 << 12, 5);
    BitSet expected = new BitSet();
    for (int i = 0; i < 50; i++) {
      for (long position : Scheme.of(name).positions("key " + i, 1 << 12, 5)) {
        expected.set((int) position);
      }
      filter.put("key " + i);
    }
    boolean halved = name.equals("hashcode-shift16-int");
    assertThat(filter.fill()).isEqualTo(expected.cardinality() / (halved ? 2048.0 : 4096.0));
    for (int word = 0; halved && word < 64; word++) {
      // As in the original: the upper half is full of copies of bit 31.
      expected.set(64 * word + 32, 64 * word + 64, expected.get(64 * word + 31));
    }
    assertThat(BitSet.valueOf(filter.toLongArray())).isEqualTo(expected);
  }

  @ParameterizedTest
  @MethodSource("names")
  void put_isTrueForANewKeyOnly(String name) {
    ClassicFilter filter = Scheme.of(name).filterOf(1 << 20, 7);
    // The hash codes of short texts are small, so that all their positions coincide: still new.
    assertThat(filter.put("a")).isTrue();
    assertThat(filter.put("a")).isFalse();
    assertThat(filter.put("crow".getBytes(UTF_8))).isTrue();
    assertThat(filter.put("crow")).isFalse();
    assertThat(filter.mightContain("crow".getBytes(UTF_8))).isTrue();
  }

  @ParameterizedTest
  @MethodSource("names")
  void put_isTrueForEveryKeyThatWasNotThereYet(String name) {
    // Small, so that positions of one key coincide often.
    ClassicFilter filter = Scheme.of(name).filterOf(64, 7);
    for (int i = 0; i < 30; i++) {
      boolean there = filter.mightContain("key " + i);
      assertThat(filter.put("key " + i)).as("key %d", i).isEqualTo(!there);
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void put_losesNoBitAndPraisesOneThreadOnly(String name) throws InterruptedException {
    int keys = 3000;
    ClassicFilter filter = Scheme.of(name).filterOf(1 << 16, 6);
    ClassicFilter alone = Scheme.of(name).filterOf(1 << 16, 6);
    AtomicIntegerArray praised = new AtomicIntegerArray(keys);
    CountDownLatch start = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  start.await();
                } catch (InterruptedException e) {
                  return; // The keys are missing then, and the test fails.
                }
                for (int i = 0; i < keys; i++) {
                  if (filter.put("key " + i)) {
                    praised.incrementAndGet(i);
                  }
                }
              });
      thread.start();
      threads.add(thread);
    }
    start.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    for (int i = 0; i < keys; i++) {
      alone.put("key " + i);
      assertThat(praised.get(i)).as("key %d", i).isLessThanOrEqualTo(1);
    }
    assertThat(filter.toLongArray()).isEqualTo(alone.toLongArray());
  }

  @Test
  void methods_refuseNull() {
    ClassicFilter filter = Scheme.of("redisson").filterOf(64, 1);
    assertThatNullPointerException().isThrownBy(() -> filter.put((String) null));
    assertThatNullPointerException().isThrownBy(() -> filter.put((byte[]) null));
    assertThatNullPointerException().isThrownBy(() -> filter.mightContain((String) null));
    assertThatNullPointerException().isThrownBy(() -> filter.mightContain((byte[]) null));
  }

  @ParameterizedTest
  @MethodSource("names")
  void ofLongArray_makesAnIndependentCopy(String name) {
    ClassicFilter filter = Scheme.of(name).filterOf(128, 3);
    filter.put("crow");
    long[] words = filter.toLongArray();
    ClassicFilter copy = ClassicFilter.ofLongArray(Scheme.of(name), 128, 3, words);
    assertThat(copy.mightContain("crow")).isTrue();
    assertThat(copy.toLongArray()).isEqualTo(words);
    words[0] = words[1] = 0;
    copy.put("owl");
    assertThat(filter.mightContain("crow")).isTrue();
    assertThat(copy.mightContain("crow")).isTrue();
  }

  @Test
  void ofLongArray_refusesOtherSizesAndBitsPastTheLast() {
    Scheme scheme = Scheme.of("redisson");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClassicFilter.ofLongArray(scheme, 100, 3, new long[1]))
        .withMessageContainingAll("100 bits", "2 words", ": 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClassicFilter.ofLongArray(scheme, 100, 3, new long[] {0, 1L << 36}))
        .withMessageContainingAll("past bit 99", "0x1000000000");
    assertThat(ClassicFilter.ofLongArray(scheme, 100, 3, new long[] {0, 1L << 35}).fill())
        .isEqualTo(0.01);
  }

  @Test
  void toString_saysSchemeBitsKeysAndFpp() {
    ClassicFilter filter = Scheme.of("guava-mitz-64").filter(10_000, 0.01);
    for (int i = 0; i < 10_000; i++) {
      filter.put("key " + i);
    }
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.GERMANY); // The words are English, so are the numbers.
      assertThat(filter.toString())
          .matches(
              "classic Bloom, guava-mitz-64, 95,872 bits, 7 hashes, about (9,9|10,0)\\d\\d keys,"
                  + " fpp 0\\.0(09|10)\\d+ by its fill");
    } finally {
      Locale.setDefault(before);
    }
    assertThat(filter.fill()).isCloseTo(0.518, within(0.01));
    assertThat(Scheme.of("redisson").filterOf(1, 1))
        .hasToString(
            "classic Bloom, redisson, 1 bits, 1 hashes, about 0 keys, fpp 0.00 by its fill");
  }
}
