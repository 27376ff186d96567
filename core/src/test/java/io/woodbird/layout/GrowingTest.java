package io.woodbird.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A key that has given bits of its fingerprint to its place is still recognised. */
final class GrowingTest {
  private static final long SEED = 63;

  /** Doubles the places as often as there are bits to give, and asks after each doubling. */
  @Test
  void aKeyIsRecognised_afterEachDoubling() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 20_000; round++) {
      Growing layout = new Growing(1 + random.nextInt(Growing.MAX_FINGERPRINT_BITS));
      int placeBits = 6 + random.nextInt(6);
      long hash = random.nextLong();
      long place = hash >>> (64 - placeBits);
      long payload = layout.payload(hash, placeBits);
      assertThat(layout.bitsLeft(payload)).isEqualTo(layout.fingerprintBits());
      while (!layout.isEmpty(payload) && placeBits < 40) {
        place = place << 1 | layout.givenBit(payload);
        payload = layout.rest(payload);
        placeBits++;
        String where = "round " + round + ", " + placeBits + " bits of place";
        assertThat(place).as(where).isEqualTo(hash >>> (64 - placeBits));
        long asNew = layout.payload(hash, placeBits);
        assertThat(Growing.matches(payload, asNew)).as(where).isTrue();
        assertThat(layout.shortened(asNew, layout.bitsLeft(payload))).as(where).isEqualTo(payload);
      }
    }
  }

  /** Of random keys at its quotient, a payload lets the share pass that it says. */
  @ParameterizedTest
  @CsvSource({"8, 0", "8, 3", "8, 8", "4, 1"})
  void foreignKeys_passAsOftenAsIsSaid(int fingerprintBits, int given) {
    Growing layout = new Growing(fingerprintBits);
    SplittableRandom random = new SplittableRandom(SEED);
    long payload = layout.payload(random.nextLong(), 10);
    for (int i = 0; i < given; i++) {
      payload = layout.rest(payload);
    }
    int asked = 1_000_000;
    int passed = 0;
    for (int i = 0; i < asked; i++) {
      passed += Growing.matches(payload, layout.payload(random.nextLong(), 10)) ? 1 : 0;
    }
    double expected = layout.passes(payload);
    double sigma = Math.sqrt(asked * expected * (1 - expected));
    assertThat((double) passed)
        .isBetween(asked * expected - 5 * sigma - 1, asked * expected + 5 * sigma + 1);
  }

  @Test
  void theHash_isThatOfThePlaceAndTheBitsThatAreLeft() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 100_000; round++) {
      Growing layout = new Growing(1 + random.nextInt(40));
      int placeBits = 6 + random.nextInt(12);
      long hash = random.nextLong();
      long back =
          layout.hash(hash >>> (64 - placeBits), placeBits, layout.payload(hash, placeBits));
      int known = Math.min(64, placeBits + layout.fingerprintBits());
      assertThat(back >>> (64 - known)).as("round %d", round).isEqualTo(hash >>> (64 - known));
      assertThat(layout.payload(back, placeBits)).isEqualTo(layout.payload(hash, placeBits));
    }
  }

  @ParameterizedTest
  @CsvSource({"1000, 0.01", "1000000, 0.01", "1000000000, 0.001", "1099511627776, 0.0001"})
  void thePromise_holdsUpToTheLastKey(long keys, double fpp) {
    Growing layout = Growing.forFpp(keys, fpp);
    for (long now = 1; now < keys; now = now * 5 / 4 + 1) {
      assertThat(layout.fpp(now)).as("%d keys", now).isLessThanOrEqualTo(fpp);
    }
    assertThat(layout.fpp(keys)).isLessThanOrEqualTo(fpp);
    assertThat(new Growing(layout.fingerprintBits() - 1).fpp(keys)).isGreaterThan(fpp / 2);
  }
}
