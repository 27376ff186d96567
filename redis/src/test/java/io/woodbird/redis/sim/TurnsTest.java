package io.woodbird.redis.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How simulated tasks share a turn, and the slots that a simulated process looks through. */
class TurnsTest {
  private final Turns.Pool pool = new Turns.Pool();
  private final List<String> done = new ArrayList<>();

  @AfterEach
  void end() {
    pool.close();
  }

  /** Says what it does, and pauses as long as it is told. */
  private final class Saying implements Turns.Step {
    private final String name;
    private final long[] pauses;
    private int next;

    Saying(String name, long... pauses) {
      this.name = name;
      this.pauses = pauses;
    }

    @Override
    public long run() {
      done.add(name + next);
      return next < pauses.length ? pauses[next++] : -1;
    }

    @Override
    public void ended() {
      done.add(name + "ended");
    }
  }

  @Test
  void betweenItsSteps_aTaskHasNoThread() {
    Turns turns = new Turns(pool, 1, 0);
    AtomicReference<Thread> first = new AtomicReference<>();
    for (int i = 0; i < 3; i++) {
      AtomicLong left = new AtomicLong(4);
      turns.start(
          "p" + i,
          i,
          true,
          i,
          () -> {
            first.compareAndSet(null, Thread.currentThread());
            assertThat(Thread.currentThread()).isSameAs(first.get());
            return left.decrementAndGet() * 10 - 1;
          });
    }
    turns.runAll();
    assertThat(turns.nanos()).isEqualTo(59);
  }

  @Test
  void aStepThatWaits_goesOnWhereItWas() {
    Turns turns = new Turns(pool, 1, 0);
    turns.start(
        "p0",
        0,
        true,
        0,
        () -> {
          done.add("begins");
          turns.pause(15);
          done.add("ends");
          return -1;
        });
    turns.start("p1", 1, true, 5, new Saying("p1 ", 5, 10));
    turns.runAll();
    assertThat(done).containsExactly("begins", "p1 0", "p1 1", "ends", "p1 2");
  }

  @Test
  void aTaskWhoseProcessEnds_takesNoFurtherStep() {
    Turns turns = new Turns(pool, 1, 0);
    turns.start("p0", 0, true, 0, new Saying("p0 ", 10, 10));
    turns.start(
        "p1",
        1,
        true,
        5,
        () -> {
          turns.end(0);
          return -1;
        });
    turns.runAll();
    assertThat(done).containsExactly("p0 0", "p0 ended");
  }

  @Test
  void aStepMayWaitForWhatOthersDo() {
    Turns turns = new Turns(pool, 1, 0);
    AtomicLong begun = new AtomicLong();
    AtomicLong waited = new AtomicLong(-1);
    turns.start(
        "p0",
        0,
        true,
        0,
        () -> {
          if (begun.incrementAndGet() == 1) {
            return turns.until(() -> done.size() == 3, 10);
          }
          waited.set(turns.nanos());
          return -1;
        });
    turns.start("p1", 1, true, 5, new Saying("p1 ", 10, 10));
    turns.runAll();
    assertThat(waited).hasValue(30);
  }

  @Test
  void aRunOfSlots_endsWhereAnotherMasterMayBegin() {
    for (int groups = 1; groups < 5; groups++) {
      World world = world(groups);
      World.Line line = world.new Line(0, 1);
      List<Integer> begins = new ArrayList<>();
      for (int slot = 0; slot < 16384; slot = line.nextRun(slot)) {
        begins.add(slot);
      }
      assertThat(begins).hasSize(groups);
      for (int slot = 1; slot < 16384; slot++) {
        boolean other = world.groupOf(slot) != world.groupOf(slot - 1);
        assertThat(begins.contains(slot)).as("slot %d of %d groups", slot, groups).isEqualTo(other);
      }
      world.moveSlot(77, groups - 1);
      assertThat(line.nextRun(76)).isEqualTo(77);
      assertThat(line.nextRun(77)).isEqualTo(78);
    }
  }

  private World world(int groups) {
    Turns turns = new Turns(pool, 1, 0);
    return new World(new World.Shape(groups, 0, false), turns, 1, List.of(), new Lua(), null);
  }
}
