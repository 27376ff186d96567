package io.woodbird.filter.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.filter.FilterSpec;
import io.woodbird.key.Keys;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.Generational;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** A thread stops for minutes in the middle of a put or of a look at the clock; others go on. */
final class WindowPauseTest {
  private static final long MINUTE = 60_000_000_000L;
  private static final long SPAN = 70 * MINUTE;
  private static final int KEPT = 3;

  private final AtomicLong clock = new AtomicLong();
  private int stepsLeft = -1; // Until the thread stops; negative: it does not.
  private Runnable meanwhile = () -> {};

  private void step() {
    if (stepsLeft >= 0 && stepsLeft-- == 0) {
      meanwhile.run();
    }
  }

  private long time() {
    step();
    long now = clock.get();
    step();
    return now;
  }

  /** A window that may stop the thread that puts. */
  private final class Stopping extends WindowFilter<Long> {
    Stopping(long keys, long span) {
      super(
          new FilterSpec<>(Keys.longs(), 3, keys, 0.01),
          new Generational(new BlockedBloom(64, BlockShape.TWO_3)),
          span,
          WindowPauseTest.this::time);
    }

    @Override
    void step() {
      WindowPauseTest.this.step();
    }
  }

  /** Lets another thread work until it has ended, or waits for a lock of the one that stopped. */
  private static Thread letWork(Runnable work) {
    Thread thread = new Thread(work);
    thread.start();
    Thread.State state = thread.getState();
    while (state != Thread.State.TERMINATED
        && state != Thread.State.BLOCKED
        && state != Thread.State.WAITING) {
      Thread.yield();
      state = thread.getState();
    }
    return thread;
  }

  @Test
  void aKeyStaysForTheWholeSpanWhereverAnotherPutStopped() throws InterruptedException {
    for (int stop = 0; stop < 12; stop++) {
      for (int minutes = 1; minutes < 40; minutes++) {
        long pause = minutes * MINUTE;
        Stopping filter = new Stopping(100, SPAN);
        filter.put((Long) 1L);
        clock.addAndGet(11 * MINUTE); // The generation is due to end.
        AtomicLong called = new AtomicLong(-1);
        Thread[] other = new Thread[1];
        meanwhile =
            () -> {
              clock.addAndGet(pause);
              called.set(clock.get());
              other[0] = letWork(() -> filter.put((Long) (long) KEPT));
              clock.addAndGet(pause);
            };
        stepsLeft = stop;
        filter.put((Long) 2L);
        stepsLeft = -1;
        if (called.get() < 0) {
          break; // The put has fewer steps.
        }
        other[0].join();
        assertThat(filter.mightContain((Long) (long) KEPT)).isTrue();
        while (clock.get() + MINUTE < called.get() + SPAN) {
          clock.addAndGet(MINUTE);
          filter.put((Long) clock.get());
          assertThat(filter.mightContain((Long) (long) KEPT))
              .as("stopped at %d for %d minutes", stop, minutes)
              .isTrue();
        }
        clock.set(called.get() + SPAN - 1);
        assertThat(filter.mightContain((Long) (long) KEPT)).isTrue();
      }
    }
  }

  @Test
  void theLastKeysStayWhereverAPutStopped() throws InterruptedException {
    for (int stop = 0; stop < 6; stop++) {
      for (int before = 0; before < 24; before++) {
        for (int others = 0; others < 4; others++) {
          keysStay(stop, before, others);
        }
      }
    }
  }

  private void keysStay(int stop, int before, int others) throws InterruptedException {
    int keys = 8; // Two in a generation.
    int first = Math.max(0, before - keys);
    Stopping filter = new Stopping(keys, 0);
    WindowModel model = new WindowModel(0, keys);
    put(filter, model, 0, before);
    Thread[] other = {new Thread()};
    Runnable work =
        () -> {
          put(filter, model, 100, 100 + others);
          put(filter, model, first, before); // Again.
          put(filter, model, 200, 202);
        };
    meanwhile = () -> other[0] = letWork(work);
    stepsLeft = stop;
    put(filter, model, before, before + 1);
    stepsLeft = -1;
    other[0].join();
    for (int key = 300; key < 324; key++) {
      put(filter, model, before, before + 1); // The one that stopped comes again and again.
      put(filter, model, key, key + 1);
      int now = model.moment();
      for (long asked = first; asked <= before; asked++) {
        assertThat(filter.mightContain((Long) asked) || !model.mustKnow(asked, now, now))
            .as("%d, stopped at %d after %d for %d: %d", asked, stop, before, others, key)
            .isTrue();
      }
    }
  }

  private static void put(Stopping filter, WindowModel model, int from, int to) {
    for (long key = from; key < to; key++) {
      Object put = model.called(key);
      filter.put((Long) key);
      model.returned(put);
    }
  }

  /** A reading stops a thread while a latch is set for it. */
  private static final class StoppedClock implements LongSupplier {
    private final AtomicLong value = new AtomicLong();
    private final ThreadLocal<CountDownLatch> stop = new ThreadLocal<>();
    private volatile CountDownLatch arrived = new CountDownLatch(0);

    @Override
    public long getAsLong() {
      long read = value.get();
      CountDownLatch latch = stop.get();
      if (latch != null) {
        stop.remove();
        arrived.countDown();
        try {
          latch.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      return read;
    }

    /** Starts a thread and waits until it has read the clock and stopped. */
    Thread stopping(CountDownLatch until, Runnable look) throws InterruptedException {
      CountDownLatch there = new CountDownLatch(1);
      arrived = there;
      Thread thread =
          new Thread(
              () -> {
                stop.set(until);
                look.run();
              });
      thread.start();
      there.await();
      return thread;
    }
  }

  @Test
  void aReadingFromBeforeAJumpBackIsNotCountedOnTopOfIt() throws InterruptedException {
    StoppedClock nanos = new StoppedClock();
    WindowClock time = new WindowClock(nanos);
    nanos.value.set(2 * SPAN);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicLong told = new AtomicLong();
    assertThat(time.now()).isEqualTo(2 * SPAN);
    nanos.value.addAndGet(MINUTE);
    Thread early = nanos.stopping(goOn, () -> told.set(time.now()));
    nanos.value.addAndGet(-SPAN);
    assertThat(time.now()).isEqualTo(2 * SPAN);
    CountDownLatch release = new CountDownLatch(1);
    Thread marking = nanos.stopping(release, time::mark); // Has the lock.
    goOn.countDown();
    early.join();
    assertThat(told).hasValue(2 * SPAN + MINUTE);
    release.countDown();
    marking.join();
    assertThat(time.mark()).isEqualTo(2 * SPAN);
  }

  @Test
  void timeStandsStillRatherThanOverflow() {
    AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // As nanoTime may begin anywhere.
    WindowClock time = new WindowClock(nanos::get);
    nanos.addAndGet(10);
    assertThat(time.now()).isEqualTo(10);
    long last = 0;
    for (int i = 0; i < 10; i++) {
      nanos.addAndGet(1L << 61);
      assertThat(time.now()).isGreaterThanOrEqualTo(last);
      last = time.now();
    }
    assertThat(last).isEqualTo((1L << 62) - 1);
  }
}
