package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How fast the attack is, how long it lasts, and that there is only one of it. */
final class AttackPaceTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /** How many steps there are in a stretch of time, each of which takes some. */
  private static int steps(Pace pace, long from, long nanos, long each) {
    int steps = 0;
    for (long now = from; now < from + nanos; steps++) {
      now += each;
      now += pace.nanosToNext(now);
    }
    return steps;
  }

  @Test
  void pace_isKeptWhateverAStepTakes() {
    for (long each : new long[] {0, SECOND / 1000, SECOND / 51}) {
      assertThat(steps(new Pace(SECOND / 50, 5), 5, 10 * SECOND, each)).isBetween(499, 501);
    }
    assertThat(steps(new Pace(SECOND / 50, 0), 0, 10 * SECOND, SECOND / 10)).isEqualTo(100);
  }

  /** Without this, ten minutes of sleep would be followed by 30,000 steps at once. */
  @Test
  void pace_goesOnFromNowAfterAStop() {
    Pace pace = new Pace(SECOND / 50, 0);
    assertThat(steps(pace, 0, SECOND, 0)).isEqualTo(50);
    assertThat(steps(pace, 600 * SECOND, SECOND, 0)).isBetween(50, 51);
  }

  private static void await(ShopDemo demo, String fact, Object value) throws InterruptedException {
    while (!value.equals(demo.describe().get(fact))) {
      Thread.sleep(5);
    }
  }

  private static void awaitMoreRequests(ShopDemo demo) throws InterruptedException {
    long before = demo.load().requests();
    while (demo.load().requests() < before + 500) {
      Thread.sleep(5);
    }
  }

  @Test
  void attack_endsAMinuteAfterTheLastLook() throws BadRequestException, InterruptedException {
    AtomicLong clock = new AtomicLong(-3 * SECOND);
    try (ShopDemo demo = new ShopDemo(clock::get)) {
      demo.command("start");
      for (int i = 0; i < 5; i++) {
        awaitMoreRequests(demo);
        clock.addAndGet(59 * SECOND);
        demo.watch();
      }
      awaitMoreRequests(demo);
      assertThat(demo.describe()).containsEntry("running", true).containsEntry("leftAlone", false);
      clock.addAndGet(61 * SECOND);
      await(demo, "running", false);
      assertThat(demo.describe()).containsEntry("leftAlone", true);
      demo.command("start");
      awaitMoreRequests(demo);
      assertThat(demo.describe()).containsEntry("running", true).containsEntry("leftAlone", false);
    }
  }

  /** Who looks at the page watches. */
  @Test
  void look_isWatching() throws BadRequestException, InterruptedException {
    AtomicLong clock = new AtomicLong();
    ShopDemo demo = new ShopDemo(clock::get);
    try (GuardsApi guards = new GuardsApi(GuardSource.NONE, demo, new Instances(List.of()))) {
      guards.attack(java.util.Map.of("action", "start"));
      awaitMoreRequests(demo);
      clock.addAndGet(50 * SECOND);
      guards.look(java.util.Map.of());
      clock.addAndGet(50 * SECOND);
      awaitMoreRequests(demo);
      assertThat(demo.describe()).containsEntry("running", true);
    }
  }

  @Test
  void start_isShownUntilThereIsAShop() throws BadRequestException, InterruptedException {
    try (ShopDemo demo = new ShopDemo()) {
      assertThat(demo.describe()).containsEntry("starting", false);
      demo.command("start");
      assertThat(demo.describe()).containsEntry("starting", true).containsEntry("running", true);
      await(demo, "starting", false);
      awaitMoreRequests(demo);
      assertThat(demo.describe()).containsEntry("running", true);
    }
  }

  @Test
  void stopAndStart_makeOneAttack() throws BadRequestException, InterruptedException {
    try (ShopDemo demo = new ShopDemo()) {
      demo.command("start");
      awaitMoreRequests(demo);
      for (int i = 0; i < 20; i++) {
        demo.command("stop");
        demo.command("start");
      }
      awaitMoreRequests(demo);
      while (attackers() > 1) { // Those before it are at their last request.
        Thread.sleep(5);
      }
      assertThat(demo.describe()).containsEntry("running", true);
      demo.command("stop");
      demo.awaitEnd();
      assertThat(attackers()).isZero();
    }
  }

  private static long attackers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("woodbird-console-attack"))
        .count();
  }
}
