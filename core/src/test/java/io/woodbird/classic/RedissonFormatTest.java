package io.woodbird.classic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.woodbird.CorruptFilterException;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RedissonFormatTest {
  @Test
  void write_setsBitsAsRedisCountsThem() throws CorruptFilterException {
    long seed = 0x38d1_a20c;
    SplittableRandom random = new SplittableRandom(seed);
    for (int bits = 1; bits < 300; bits++) {
      ClassicFilter filter = Scheme.of("redisson").filterOf(bits, 3);
      byte[] redis = new byte[(bits + 7) / 8];
      for (int i = 0; i < bits / 8; i++) {
        String key = "key " + random.nextLong();
        filter.put(key);
        for (long position : Scheme.of("redisson").positions(key, bits, 3)) {
          redis[(int) (position / 8)] |= (byte) (0x80 >> position % 8); // SETBIT.
        }
      }
      assertThat(ClassicFilter.toRedisson(filter))
          .as("%d bits, seed %#x", bits, seed)
          .isEqualTo(redis);
      assertThat(ClassicFilter.ofRedisson(redis, bits, 3).toLongArray())
          .as("%d bits, seed %#x", bits, seed)
          .isEqualTo(filter.toLongArray());
    }
  }

  @Test
  void read_takesAValueWithoutItsZeros() throws CorruptFilterException {
    for (int length = 1; length <= 20; length++) {
      byte[] value = new byte[length];
      value[length - 1] = 1;
      byte[] whole = ClassicFilter.toRedisson(ClassicFilter.ofRedisson(value, 160, 3));
      assertThat(whole).isEqualTo(Arrays.copyOf(value, 20));
    }
  }

  @Test
  void read_refusesAValueThatLostItsEnd() throws CorruptFilterException {
    ClassicFilter filter = Scheme.of("redisson").filterOf(10_000, 7);
    for (int i = 0; i < 1000; i++) {
      filter.put("key " + i);
    }
    byte[] whole = ClassicFilter.toRedisson(filter);
    // Half of the bits are set, so the bits of at least 230 keys are in the first third, and of 640
    // in
    // nine tenths. That none of them has a bit in the rest has a probability of 2^-97 at most.
    for (int length = whole.length / 3; length <= whole.length * 9 / 10; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatExceptionOfType(CorruptFilterException.class)
          .as("%d of %d bytes", length, whole.length)
          .isThrownBy(() -> ClassicFilter.ofRedisson(cut, 10_000, 7))
          .withMessageStartingWith("cut short: " + length + " of 1250 bytes");
    }
    ClassicFilter.ofRedisson(Arrays.copyOf(whole, whole.length - 1), 10_000, 7); // May be zeros.
    ClassicFilter few = Scheme.of("redisson").filterOf(10_000, 7);
    few.put("key");
    byte[] zeros = ClassicFilter.toRedisson(few);
    int length = zeros.length;
    while (zeros[length - 1] == 0) {
      length--;
    }
    assertThat(
            ClassicFilter.ofRedisson(Arrays.copyOf(zeros, length), 10_000, 7).mightContain("key"))
        .isTrue();
  }

  @Test
  void read_refusesAnEmptyValue() {
    // This is how an evicted key looks: nothing is known, so nothing may be answered.
    assertThatExceptionOfType(CorruptFilterException.class)
        .isThrownBy(() -> ClassicFilter.ofRedisson(new byte[0], 4_000_000_000L, 3))
        .withMessageContainingAll("4000000000 bits", "500000000 bytes", ": 0");
  }

  @Test
  void read_refusesAValueThatIsTooLong() {
    assertThatExceptionOfType(CorruptFilterException.class)
        .isThrownBy(() -> ClassicFilter.ofRedisson(new byte[3], 16, 3))
        .withMessageContainingAll("16 bits", "2 bytes", ": 3");
  }

  @Test
  void read_refusesBitsPastTheLast() {
    assertThatExceptionOfType(CorruptFilterException.class)
        .isThrownBy(() -> ClassicFilter.ofRedisson(new byte[] {0, 0b0000_1000}, 12, 3))
        .withMessageContaining("past bit 11");
  }

  @Test
  void read_refusesASizeThatRedissonCanNotHave() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClassicFilter.ofRedisson(new byte[8], 1L << 32, 3))
        .withMessageContaining(": 4294967296");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClassicFilter.ofRedisson(new byte[8], 64, 0))
        .withMessageContaining(": 0");
  }

  @Test
  void write_refusesAnotherScheme() {
    ClassicFilter filter = Scheme.of("guava-mitz-64").filterOf(64, 3);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClassicFilter.toRedisson(filter))
        .withMessageContaining(": guava-mitz-64");
  }
}
