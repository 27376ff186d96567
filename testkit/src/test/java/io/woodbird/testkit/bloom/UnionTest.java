package io.woodbird.testkit.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.woodbird.BloomFilter;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import io.woodbird.testkit.BloomLayout;
import io.woodbird.testkit.Together;
import io.woodbird.testkit.Trials;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two filters become one, if they fit. */
final class UnionTest {
  private static BloomFilter<Long> filter(long keys, double fpp, long seed) {
    return Woodbird.bloom(Keys.longs(), keys).fpp(fpp).seed(seed).build();
  }

  private static byte[] bytesOf(BloomFilter<?> filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }

  @ParameterizedTest
  @EnumSource(BloomLayout.class)
  void theUnionIsTheFilterOfAllKeys(BloomLayout layout) {
    Trials.sized(
        "theUnionIsTheFilterOfAllKeys",
        60,
        20_000,
        (random, size) -> {
          double fpp = new double[] {0.3, 0.03, 0.01, 1e-3, 1e-6}[random.nextInt(5)];
          long seed = random.nextLong();
          List<BloomFilter<Long>> filters = new ArrayList<>();
          for (int i = 0; i < 3; i++) {
            filters.add(
                layout
                    .of(Woodbird.bloom(Keys.longs(), Math.max(1, size)).fpp(fpp))
                    .seed(seed)
                    .build());
          }
          for (int i = 0; i < size; i++) {
            long key = random.nextLong();
            int where = random.nextInt(3); // In one, in the other, in both.
            if (where != 1) {
              filters.get(0).putLong(key);
            }
            if (where != 0) {
              filters.get(1).putLong(key);
            }
            filters.get(2).putLong(key);
          }
          byte[] other = bytesOf(filters.get(1));
          filters.get(0).union(filters.get(1));
          assertThat(Arrays.equals(bytesOf(filters.get(0)), bytesOf(filters.get(2)))).isTrue();
          assertThat(Arrays.equals(bytesOf(filters.get(1)), other)).isTrue();
        });
  }

  @Test
  void theUnionWithItselfOrWithNothingChangesNothing() throws IOException {
    BloomFilter<Long> filter = filter(1000, 0.01, 1);
    filter.putAll(List.of(1L, 2L, 3L));
    byte[] before = bytesOf(filter);
    filter.union(filter);
    filter.union(filter(1000, 0.01, 1));
    assertThat(bytesOf(filter)).isEqualTo(before);
  }

  @Test
  void putsDuringAUnionAreNotLost() {
    Trials.run(
        "putsDuringAUnionAreNotLost",
        20,
        random -> {
          long seed = random.nextLong();
          BloomFilter<Long> filter = filter(2000, 0.01, seed);
          BloomFilter<Long> other = filter(2000, 0.01, seed);
          for (long key = 0; key < 1000; key++) {
            other.putLong(key);
          }
          Together.run(
              2,
              thread -> {
                if (thread == 0) {
                  filter.union(other);
                } else {
                  for (long key = 1000; key < 2000; key++) {
                    filter.putLong(key);
                  }
                }
              });
          for (long key = 0; key < 2000; key++) {
            assertThat(filter.mightContainLong(key)).isTrue();
          }
        });
  }

  private static <K> void assertRefused(BloomFilter<K> one, BloomFilter<K> other, String... shown)
      throws IOException {
    byte[] oneBefore = bytesOf(one);
    byte[] otherBefore = bytesOf(other);
    assertThatExceptionOfType(IncompatibleFilterException.class)
        .isThrownBy(() -> one.union(other))
        .withMessageContainingAll(shown);
    assertThatExceptionOfType(IncompatibleFilterException.class)
        .isThrownBy(() -> other.union(one))
        .withMessageContainingAll(shown);
    assertThat(bytesOf(one)).isEqualTo(oneBefore);
    assertThat(bytesOf(other)).isEqualTo(otherBefore);
  }

  @Test
  void anotherSizeIsRefused() throws IOException {
    BloomFilter<Long> one = filter(10_000, 0.01, 1);
    BloomFilter<Long> other = filter(20_000, 0.01, 1);
    one.putLong(1L);
    other.putLong(2L);
    assertRefused(
        one,
        other,
        String.format(Locale.ROOT, "%,d bits", one.stats().bits()),
        String.format(Locale.ROOT, "%,d bits", other.stats().bits()));
  }

  @Test
  void anotherShapeIsRefused() throws IOException {
    BloomFilter<Long> one = filter(10, 0.01, 1);
    BloomFilter<Long> other = filter(10, 0.1, 1);
    one.putLong(1L);
    other.putLong(2L);
    assertRefused(one, other, "2 words x 3 bits", "2 words x 2 bits");
  }

  @Test
  void anotherLayoutIsRefused() throws IOException {
    BloomFilter<Long> classic = Woodbird.bloom(Keys.longs(), 10).seed(1).classic().build();
    classic.putLong(2L);
    assertRefused(filter(10, 0.01, 1), classic, "blocked Bloom", "classic Bloom");
  }

  @Test
  void anotherSeedIsRefused() throws IOException {
    BloomFilter<Long> other = filter(10, 0.01, -77);
    other.putLong(2L);
    assertRefused(filter(10, 0.01, 41), other, "seed 41", "seed -77");
    assertRefused(
        Woodbird.bloom(Keys.longs(), 10).build(), Woodbird.bloom(Keys.longs(), 10).build(), "seed");
  }

  @Test
  void anotherKeyEncodingIsRefused() throws IOException {
    KeyHasher<String> keyed = Keys.keyed(new byte[16]).strings();
    BloomFilter<String> plain = Woodbird.bloom(Keys.strings(), 10).seed(1).build();
    BloomFilter<String> secret = Woodbird.bloom(keyed, 10).seed(1).build();
    secret.put("b");
    assertRefused(plain, secret, Keys.strings().id(), keyed.id());
    KeyHasher<String> byLength = Keys.by("length", String::length, Keys.ints());
    assertRefused(plain, Woodbird.bloom(byLength, 10).seed(1).build(), byLength.id());
  }

  @Test
  void anotherPropertyIsRefused() throws IOException {
    KeyHasher<String> lowerKeys =
        Keys.by("lower", (String key) -> key.toLowerCase(Locale.ROOT), Keys.strings());
    BloomFilter<String> plain = Woodbird.bloom(Keys.strings(), 10).seed(1).build();
    BloomFilter<String> lower = Woodbird.bloom(lowerKeys, 10).seed(1).build();
    lower.put("CROW");
    assertRefused(plain, lower, Keys.strings().id(), "bytes:rapidhash3#lower");
  }
}
