package io.woodbird.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.woodbird.bench.rival.Rival;
import io.woodbird.bench.rival.RivalKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A comparison with a rival that is called wrongly would be worth nothing. */
class RivalKindTest {
  private static final int N = 1_000;

  @ParameterizedTest
  @EnumSource(names = "HUTOOL", mode = EnumSource.Mode.EXCLUDE)
  void longs_areFoundAndOthersHardlyEver(RivalKind kind) {
    check(KeyKind.LONGS, kind);
  }

  @ParameterizedTest
  @EnumSource
  void strings_areFoundAndOthersHardlyEver(RivalKind kind) {
    assumeTrue(
        kind.takesStrings(), "a map is measured with longs, DataSketches takes Strings on Java 17");
    check(KeyKind.STRINGS, kind);
  }

  private static <A> void check(KeyKind<A> keys, RivalKind kind) {
    try (Rival<A> rival = keys.rival().apply(kind, (long) N)) {
      Filling.fill(rival, keys, N);
      Filling.requireAllKeys(rival, keys, N);
      // Filters of 1,000 keys differ among themselves by a tenth or two of their fpp.
      assertThat(Filling.fpp(rival, keys, N, 1 << 17)).isLessThan(2 * RivalKind.FPP);
      assertThat((double) rival.bits() / N).isBetween(6.6, most(kind));
    }
  }

  private static double most(RivalKind kind) {
    return switch (kind) {
      case HASHSET -> 2000;
      case WOODBIRD_COUNTING -> 60;
      case FASTFILTER_XOR16 -> 22;
      case WOODBIRD_WINDOW -> 25;
      case WOODBIRD_MAP_16, WOODBIRD_RIBBON_23 -> 30;
      case FASTFILTER_XORFUSE8 -> 30; // It has a random seed, and grows by a sixth when one fails.
      default -> 15;
    };
  }

  @ParameterizedTest
  @EnumSource
  void of_findsTheLabel(RivalKind kind) {
    assertThat(RivalKind.of(kind.label())).isEqualTo(kind);
  }
}
