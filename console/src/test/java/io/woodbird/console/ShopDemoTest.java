package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.console.GuardSnapshot.State;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ShopDemoTest {
  @Test
  void database_countsItsOwnQueries() throws SQLException {
    try (ShopDatabase database = new ShopDatabase(1000)) {
      for (int id = 1; id <= 70; id++) {
        assertThat(database.find(id) != null).isEqualTo(id % ShopDatabase.STEP == 0);
      }
      assertThat(database.queries()).isEqualTo(70);
      assertThat(database.ids()).hasSize(1000).contains(7L, 7_000L);
      assertThat(database.name()).matches("H2 [0-9.]+");
    }
  }

  @Test
  void guard_takesTheLoadFromTheDatabase() throws BadRequestException, InterruptedException {
    try (ShopDemo demo = new ShopDemo()) {
      demo.command("start");
      awaitRequests(demo, 2000);
      demo.command("stop");
      demo.awaitEnd();
      ShopDemo.Load off = demo.load();
      assertThat(off.queries()).isEqualTo(off.requests());
      awaitServing(demo, 0);

      demo.command("guard-on");
      demo.command("start");
      awaitRequests(demo, off.requests() + 4000);
      demo.command("rebuild");
      awaitRequests(demo, off.requests() + 6000);
      awaitServing(demo, 1);
      demo.command("stop");
      demo.awaitEnd();
      GuardSnapshot guard = demo.snapshot();
      ShopDemo.Load on = demo.load();
      assertThat(guard.asked()).isEqualTo(on.requests() - off.requests());
      assertThat(guard.loaded()).isEqualTo(on.queries() - off.queries());
      assertThat(guard.stopped() + guard.loaded()).isEqualTo(guard.asked());
      assertThat(guard.found() + guard.falsePositives()).isEqualTo(guard.loaded());
      // One of twenty is real, one of a thousand of the others passes, give or take 5 sigma.
      double share = 0.05 + 0.95 * 0.001;
      double sigma = Math.sqrt(share * (1 - share) / guard.asked());
      assertThat((double) guard.loaded() / guard.asked())
          .isBetween(share - 0.001 - 5 * sigma, share + 5 * sigma);
      assertThat(demo.describe()).containsEntry("lost", 0L).containsEntry("running", false);
      assertThat(guard.generations()).hasSize(2);
      assertThat(guard.generations().get(0).state()).isEqualTo(State.RETIRED);
      assertThat(guard.generations().get(1).state()).isEqualTo(State.SERVING);
      assertThat(guard.generations().get(1).keys()).isEqualTo(ShopDemo.PRODUCTS);
    }
  }

  /** Read one after the other, the queries were more than the requests while an attack begins. */
  @Test
  void load_countsRequestsAndQueriesAtOneMoment() throws BadRequestException, InterruptedException {
    try (ShopDemo demo = new ShopDemo()) {
      demo.command("start");
      ShopDemo.Load load = demo.load();
      while (load.requests() < 2000) {
        Thread.sleep(1);
        load = demo.load();
        assertThat(load.queries()).isEqualTo(load.requests());
      }
    }
  }

  private static void awaitServing(ShopDemo demo, int generation) throws InterruptedException {
    while (demo.snapshot().generations().size() <= generation
        || demo.snapshot().generations().get(generation).state() != State.SERVING) {
      Thread.sleep(10);
    }
  }

  private static void awaitRequests(ShopDemo demo, long requests) throws InterruptedException {
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
  void look_saysThatASourceFails() throws BadRequestException {
    GuardSource broken =
        () -> {
          throw new IllegalStateException("gone");
        };
    try (GuardsApi guards = new GuardsApi(broken, false, new Instances(List.of()))) {
      assertThat(guards.look(Map.of()).get("problem").toString()).contains("gone");
    }
  }

  @Test
  void look_givesOnlyWhatIsNew() throws BadRequestException {
    try (GuardsApi guards = new GuardsApi(GuardSource.NONE, true, new Instances(List.of()))) {
      Map<String, Object> first = guards.look(Map.of());
      assertThat((Iterable<?>) first.get("samples")).hasSize(1);
      assertThat((Iterable<?>) guards.look(Map.of("since", "1000")).get("samples")).isEmpty();
    }
  }
}
