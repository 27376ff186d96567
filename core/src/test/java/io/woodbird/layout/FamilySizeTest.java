package io.woodbird.layout;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The size of each family: it keeps the fpp, and the fpp of a budget fits the budget. */
@Tag("jdk")
final class FamilySizeTest {
  @ParameterizedTest
  @EnumSource(FamilySize.class)
  void aSizeForAnFpp_keepsIt_andIsNotBelowTheInformationLimit(FamilySize family) {
    for (long keys : new long[] {1, 100, 10_000, 1_000_000, 1_000_000_000}) {
      for (double fpp : new double[] {0.1, 0.01, 1e-3, 1e-6}) {
        FamilySize.Size size = family.forFpp(keys, fpp);
        assertThat(size).as("%,d keys at %s", keys, fpp).isNotNull();
        assertThat(size.fpp()).as("%,d keys at %s", keys, fpp).isLessThanOrEqualTo(fpp * 1.000001);
        double limit = -keys * Math.log(size.fpp()) / Math.log(2);
        assertThat((double) size.bits()).as("%,d keys at %s", keys, fpp).isGreaterThan(limit);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(FamilySize.class)
  void aBudget_isKept_andMoreOfItNeverGivesAHigherFpp(FamilySize family) {
    for (long keys : new long[] {1000, 1_000_000}) {
      double before = 1;
      for (int bits = 4; bits < 60; bits += 4) {
        FamilySize.Size size = family.forBits(keys, bits * keys);
        if (size != null) {
          assertThat(size.bits()).as("%d bits a key", bits).isLessThanOrEqualTo(bits * keys);
          assertThat(size.fpp()).as("%d bits a key", bits).isLessThanOrEqualTo(before * 1.0001);
          before = size.fpp();
        }
      }
      assertThat(before).as("%,d keys", keys).isLessThan(0.05);
    }
  }

  @Test
  void aCounterTakesFourBits_whereABloomFilterHasOne() {
    FamilySize.Size bloom = FamilySize.BLOOM.forFpp(1_000_000, 0.01);
    FamilySize.Size counting = FamilySize.COUNTING.forFpp(1_000_000, 0.01);
    assertThat(counting).isEqualTo(new FamilySize.Size(4 * bloom.bits(), bloom.fpp()));
    assertThat(FamilySize.COUNTING.forBits(1_000_000, counting.bits()).bits())
        .isEqualTo(counting.bits());
  }
}
