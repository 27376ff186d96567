package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.console.ShopAttack.Round;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class ShopAttackTest {
  @Test
  void guard_stopsWhatDoesNotExistAndNothingElse() throws SQLException {
    try (ShopAttack shop = ShopAttack.open(10_000, 60_000, 1)) {
      AtomicLong progress = new AtomicLong();
      Round off = shop.attack(false, progress::set);
      assertThat(progress).hasValue(60_000);
      assertThat(off.queries()).isEqualTo(off.requests()).isEqualTo(60_000);
      assertThat(off.found()).isZero();

      Round on = shop.attack(true, done -> {});
      // 60 are due at 0.1 %; 5 sigma is 39.
      assertThat(on.queries()).isLessThanOrEqualTo(99);
      assertThat(on.found()).isZero();
      assertThat(on.p50Nanos()).isPositive().isLessThanOrEqualTo(on.p99Nanos());

      Round visit = shop.visit(done -> {});
      assertThat(visit.requests()).isEqualTo(10_000);
      assertThat(visit.found()).isEqualTo(10_000);
      assertThat(visit.queries()).isEqualTo(10_000);
      assertThat(shop.generation().keys()).isEqualTo(10_000);
    }
  }

  @Test
  void everyRequest_isForAnotherIdBetweenTwoProducts() {
    assertThat(ShopAttack.mostRequests(1000)).isEqualTo(6000);
    for (long seed = 0; seed < 50; seed++) {
      assertThat(Arrays.stream(ShopAttack.missing(1000, 6000, seed)).boxed())
          .doesNotHaveDuplicates()
          .allMatch(id -> id > 7 && id < 7007 && id % ShopDatabase.STEP != 0);
    }
    assertThatThrownBy(() -> ShopAttack.missing(10, 61, 1)).hasMessageContaining("60: 61");
  }
}
