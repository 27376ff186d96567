package io.woodbird.redis.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many small histories of processes, servers and faults: no acknowledged key is denied. */
class SimulationTest {
  private static final int HISTORIES = Integer.getInteger("woodbird.sim.histories", 130_000);
  private static final int MANY = Integer.getInteger("woodbird.sim.many", 10_000_000);
  private static final long SEED = Seeds.first();

  private final Turns.Pool pool = new Turns.Pool();
  private final Lua lua = new Lua();

  @AfterEach
  void end() {
    pool.close();
  }

  @Test
  void histories_denyNoAcknowledgedKey() {
    check(SEED, Seeds.count(HISTORIES), Plan.Menu.ALL, pool, lua);
  }

  /**
   * What was found when writers repeated their last puts after a loss: a put before the first look
   * at the new data raised the count that proved it; the list of writers came back older; an empty
   * shard in the place of a lost one was vouched for. Then: a record of a demoted master made a put
   * skip a generation (two seeds); a near copy did not see that a shard was made again, because
   * another copy had set its flag already. Then: a filter was made, used and flushed, and the call
   * that had made it made it again, empty. Then: the record was lost just after a build had its
   * lease, and the build overwrote the link from the current shards to the generation before them.
   * Then: a put met a filter that was just made again, and called a key new that was put before.
   *
   * <p>Of the others the history itself was wrong. A server had lost keys, somebody called trust(),
   * and they were denied before that call returned, or their put had begun in the earlier life of
   * the server and was acknowledged later, or a question had begun before that call. In the last an
   * older copy of a shard was renamed over the shard, which the higher levels do not guard against.
   */
  @ParameterizedTest
  @ValueSource(
      longs = {
        54501, 96363, 103603, 103914, 104167, 502165, 519327, 725930, 1366890,
        227480, 524087, 842835, 920320, 1126392, 1183659, 1324633, 1636543, 1287300
      })
  void whatWasOnceDenied_isNot(long seed) {
    assertThat(History.run(Plan.draw(seed, Plan.Menu.ALL), pool, lua).denial()).isNull();
  }

  @Tag("slow")
  @Test
  void manyHistories_denyNoAcknowledgedKey() {
    checkMany(MANY, Plan.Menu.ALL);
  }

  @Test
  void windows_denyNoKeyThatIsInThem() {
    Plan.Menu windows = Plan.Menu.ALL.only(Plan.Kind.WINDOW);
    check(SEED, Seeds.count(HISTORIES / 40), windows, pool, lua);
  }

  @Test
  void growingFilters_denyNoAcknowledgedKey() {
    Plan.Menu growing = Plan.Menu.ALL.only(Plan.Kind.GROWING);
    check(SEED, Seeds.count(HISTORIES / 200), growing, pool, lua);
  }

  @Tag("slow")
  @Test
  void manyGrowingFilters_denyNoAcknowledgedKey() {
    checkMany(MANY / 100, Plan.Menu.ALL.only(Plan.Kind.GROWING));
  }

  @Tag("slow")
  @Test
  void manyWindows_denyNoKeyThatIsInThem() {
    checkMany(MANY / 100, Plan.Menu.ALL.only(Plan.Kind.WINDOW));
  }

  /** Runs one part of the seeds on each processor: a history keeps one busy. */
  private void checkMany(int usual, Plan.Menu menu) {
    int histories = Seeds.count(usual);
    int parts = Math.min(histories, Runtime.getRuntime().availableProcessors());
    IntStream.range(0, parts)
        .mapToObj(
            part -> {
              int from = (int) ((long) histories * part / parts);
              int to = (int) ((long) histories * (part + 1) / parts);
              Turns.Pool own = new Turns.Pool();
              return CompletableFuture.runAsync(
                      () -> check(SEED + from, to - from, menu, own, new Lua()),
                      task -> new Thread(task).start())
                  .whenComplete((done, failed) -> own.close());
            })
        .toList()
        .forEach(CompletableFuture::join);
  }

  private static void check(long first, int histories, Plan.Menu menu, Turns.Pool pool, Lua lua) {
    pool.watch(() -> checkEach(first, histories, menu, pool, lua));
  }

  private static void checkEach(
      long first, int histories, Plan.Menu menu, Turns.Pool pool, Lua lua) {
    long denied = 0;
    long unknown = 0;
    for (long seed = first; seed < first + histories; seed++) {
      Plan plan = Plan.draw(seed, menu);
      History.Outcome outcome = History.run(plan, pool, lua);
      if (outcome.denial() != null) {
        fail(report(plan, outcome, pool, lua));
      }
      denied += outcome.denied();
      unknown += outcome.unknown();
    }
    // Else it would show nothing: a filter that is always in doubt denies nothing.
    if (histories > 1) {
      assertThat(denied).as("seed %d", first).isGreaterThan(unknown);
    }
  }

  private static String report(Plan plan, History.Outcome outcome, Turns.Pool pool, Lua lua) {
    Shrinker shrinker = new Shrinker(pool, lua);
    Plan small = shrinker.shrink(plan);
    return outcome.denial()
        + "\n-Dwoodbird.seed="
        + plan.seed()
        + "\n"
        + plan
        + "\nsmaller:\n"
        + small
        + "\n"
        + String.join("\n", shrinker.story(small));
  }

  @Test
  void aSeed_isOneHistory() {
    for (long seed = SEED; seed < SEED + 25; seed++) {
      Plan plan = Plan.draw(seed, Plan.Menu.ALL);
      List<String> first = new ArrayList<>();
      List<String> second = new ArrayList<>();
      History.Outcome once = History.run(plan, pool, lua, first);
      History.Outcome again = History.run(plan, pool, lua, second);
      assertThat(second).as("seed %d", seed).isEqualTo(first);
      assertThat(again).isEqualTo(once);
    }
  }
}
