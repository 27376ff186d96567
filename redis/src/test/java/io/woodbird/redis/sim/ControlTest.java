package io.woodbird.redis.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** With a defect put in, the simulation finds a denial by itself. */
class ControlTest {
  private static final int MOST = Integer.getInteger("woodbird.sim.controls", 20_000);

  /** Makes a shard that is whole at once, in the life of its server. */
  private static final String TAKEN_FOR_WHOLE =
      """
      redis.call('setrange', KEYS[1], 0, ARGV[1])
      local id = string.match(redis.call('info', 'replication'), 'master_replid:(%x+)')
      local life = string.gsub(string.sub(id, 1, 16), '%x%x', function(hex)
        return string.char(tonumber(hex, 16))
      end)
      redis.call('setrange', KEYS[1], 24, life)
      redis.call('setbit', KEYS[1], 321, 1)
      """;

  private static final Plan.Menu LOSSES =
      Plan.Menu.ALL
          .only(Plan.Kind.BLOOM)
          .with(
              Fault.Kind.SWITCH,
              Fault.Kind.KILL,
              Fault.Kind.SAVE,
              Fault.Kind.CRASH,
              Fault.Kind.SYNC);

  private final Turns.Pool pool = new Turns.Pool();
  private final Lua lua = new Lua();

  @AfterEach
  void end() {
    pool.close();
  }

  /**
   * A defect, and histories in which it can show.
   *
   * @param near where to begin: not far before one that showed it, as that saves time. If the seeds
   *     draw other histories one day, the search goes on from there.
   */
  record Control(Mutant mutant, Plan.Menu menu, long near) {
    Control(Mutant mutant, Plan.Menu menu) {
      this(mutant, menu, 1);
    }

    @Override
    public String toString() {
      return mutant.name();
    }
  }

  static Stream<Control> controls() {
    Plan.Menu bloom = Plan.Menu.ALL.only(Plan.Kind.BLOOM);
    return Stream.of(
        new Control(Mutant.lie(Mutant.Lie.FORGETS_BITS), bloom.with()),
        new Control(Mutant.lie(Mutant.Lie.SAME_ID), LOSSES),
        new Control(Mutant.lie(Mutant.Lie.ALWAYS_MASTER), LOSSES, 120),
        new Control(Mutant.lie(Mutant.Lie.CONFIRMS_ALL), LOSSES),
        new Control(
            Mutant.script(
                "a load is acknowledged without its bits",
                "Adds the bits of a second string",
                "redis.call('bitop', 'or', KEYS[1], KEYS[1], KEYS[2])",
                ""),
            bloom.with()),
        new Control(
            Mutant.script(
                "a load does not see that its bits are gone",
                "Adds the bits of a second string",
                "if redis.call('strlen', KEYS[1]) ~= redis.call('strlen', KEYS[2]) then",
                "if false then"),
            bloom.with(Fault.Kind.EVICT),
            860),
        new Control(
            Mutant.script(
                "a shard that stands in for a lost one is taken for whole",
                "Makes a shard of zeros",
                "redis.call('setrange', KEYS[1], 0, ARGV[1])",
                TAKEN_FOR_WHOLE),
            bloom.with(Fault.Kind.EVICT, Fault.Kind.LOSE_REPLY)),
        new Control(
            Mutant.lie(Mutant.Lie.FEEDS_BY_FIRST), Plan.Menu.ALL.only(Plan.Kind.NEAR_LAG).with()),
        new Control(
            Mutant.script(
                    "R7: a filter is made anew over its shards",
                    "Makes a shard of zeros",
                    "if not (ARGV[3] == 'any'",
                    "if false and not (ARGV[3] == 'any'")
                .and(Mutant.Lie.LISTS_NOTHING),
            bloom.with(Fault.Kind.EVICT)),
        new Control(
            Mutant.script(
                    "R9: an old generation ends without its mark",
                    "Says in a shard which other generation",
                    "local now =",
                    "if ARGV[2] % 2 == 1 then return 1 end\nlocal now =")
                .and(Mutant.Lie.KEEPS_ALL),
            bloom.with()),
        new Control(
            Mutant.script(
                "a window forgets a part when the next one begins",
                "Puts keys into the newest part",
                "if last[part] > 0 and now - last[part] > span then",
                "if last[part] > 0 then"),
            Plan.Menu.ALL.only(Plan.Kind.WINDOW).with()),
        new Control(
            Mutant.script(
                "a shard grows, and its header does not say so",
                "Puts keys into the newest level",
                "'set', 'u16', 448, newest,",
                "'set', 'u16', 448, 0,"),
            Plan.Menu.ALL.only(Plan.Kind.GROWING).with()),
        new Control(
            Mutant.lie(Mutant.Lie.HIDES_LEVELS), Plan.Menu.ALL.only(Plan.Kind.GROWING).with()));
  }

  @ParameterizedTest
  @MethodSource("controls")
  void aDefect_isFound(Control control) {
    pool.watch(() -> find(control));
  }

  private void find(Control control) {
    long seed = Seeds.firstOr(control.near);
    for (int i = 0; i < MOST; i++) {
      Plan plan = Plan.draw(seed + i, control.menu);
      if (History.run(plan, pool, lua, control.mutant).denial() != null) {
        assertThat(control.mutant.wasApplied()).isTrue();
        return;
      }
    }
    assertThat(List.of())
        .as(
            "%s was not found, from seed %d on, applied: %s",
            control, seed, control.mutant.wasApplied())
        .isNotEmpty();
  }
}
