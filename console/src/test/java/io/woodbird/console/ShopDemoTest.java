package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ShopDemoTest {
  @Test
  void database_countsItsOwnQueries() throws SQLException {
    try (ShopDatabase database = new ShopDatabase()) {
      for (int id = 1; id <= 70; id++) {
        assertThat(database.find(id) != null).isEqualTo(id % ShopDatabase.STEP == 0);
      }
      assertThat(database.queries()).isEqualTo(70);
      assertThat(database.ids()).hasSize(ShopDatabase.PRODUCTS).contains(7L, 700_000L);
    }
  }

  @Test
  void guard_takesTheLoadFromTheDatabase() throws BadRequestException, InterruptedException {
    try (ShopDemo demo = new ShopDemo()) {
      demo.command("start");
      await(demo, 2000);
      ShopDemo.Load off = demo.load();
      assertThat(off.queries()).isBetween(off.requests() - 100, off.requests() + 100);

      demo.command("guard-on");
      Thread.sleep(50); // A request in flight may still see the guard off.
      ShopDemo.Load before = demo.load();
      await(demo, before.requests() + 3000);
      demo.command("stop");
      demo.awaitEnd();
      GuardSnapshot guard = demo.snapshot();
      assertThat(guard.asked()).isGreaterThan(2500);
      assertThat(guard.stopped() + guard.loaded()).isEqualTo(guard.asked());
      assertThat(guard.found() + guard.falsePositives()).isEqualTo(guard.loaded());
      // One of twenty is real, and one of a thousand of the others passes: 5 sigma above that.
      assertThat((double) guard.loaded() / guard.asked()).isBetween(0.02, 0.08);
      assertThat(demo.describe()).containsEntry("lost", 0L).containsEntry("running", false);
    }
  }

  private static void await(ShopDemo demo, long requests) throws InterruptedException {
    while (demo.load().requests() < requests) {
      Thread.sleep(20);
    }
  }

  @Test
  void command_refusesWhatItDoesNotKnow() {
    try (ShopDemo demo = new ShopDemo()) {
      assertThatThrownBy(() -> demo.command("drop table")).isInstanceOf(BadRequestException.class);
    }
  }

  @Test
  void look_givesOnlyWhatIsNew() throws BadRequestException, InterruptedException {
    try (GuardsApi guards = new GuardsApi(GuardSource.NONE, true)) {
      Map<String, Object> first = guards.look(Map.of());
      assertThat((Iterable<?>) first.get("samples")).hasSize(1);
      assertThat((Iterable<?>) guards.look(Map.of("since", "1000")).get("samples")).isEmpty();
    }
  }
}
