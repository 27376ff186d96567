package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The real clocks, timers and threads; other tests have their own. */
final class SchedulerTest {
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  @Test
  void aTask_runsInADaemonThread_afterItsTime() throws Exception {
    try (Scheduler scheduler = Scheduler.system()) {
      CompletableFuture<Thread> ran = new CompletableFuture<>();
      long begun = scheduler.nanoTime();
      Scheduler.Ticket unused =
          scheduler.after(20 * MILLI, () -> ran.complete(Thread.currentThread()));
      assertThat(ran.get(1, TimeUnit.MINUTES).isDaemon()).isTrue();
      assertThat(scheduler.nanoTime() - begun).isGreaterThanOrEqualTo(20 * MILLI);
    }
  }

  @Test
  void sleeping_takesItsTime() throws Exception {
    try (Scheduler scheduler = Scheduler.system()) {
      long begun = scheduler.nanoTime();
      scheduler.sleep(20 * MILLI);
      assertThat(scheduler.nanoTime() - begun).isGreaterThanOrEqualTo(20 * MILLI);
    }
  }

  @Test
  void aTaskThatWasCalledOff_doesNotRun() throws Exception {
    try (Scheduler scheduler = Scheduler.system()) {
      AtomicBoolean isRun = new AtomicBoolean();
      CompletableFuture<Boolean> next = new CompletableFuture<>();
      Scheduler.Ticket ticket = scheduler.after(20 * MILLI, () -> isRun.set(true));
      Scheduler.Ticket unused = scheduler.after(40 * MILLI, () -> next.complete(true));
      ticket.cancel();
      assertThat(next.get(1, TimeUnit.MINUTES)).isTrue();
      assertThat(isRun).isFalse();
    }
  }

  /** Else a follower with nothing to do would keep a core busy. */
  @Test
  void betweenTwoSteps_theThreadThatFollowsWaits() throws Exception {
    FollowThread thread = FollowThread.system("test");
    AtomicLong steps = new AtomicLong();
    AtomicBoolean isOver = new AtomicBoolean();
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    thread.start(
        () -> {
          steps.incrementAndGet();
          if (isOver.get()) {
            ended.complete(true);
            return -1;
          }
          return TimeUnit.HOURS.toNanos(1);
        });
    Thread.sleep(100);
    assertThat(steps.get()).isLessThan(100); // A wait may end by itself now and then.
    isOver.set(true);
    thread.wake();
    assertThat(ended.get(1, TimeUnit.MINUTES)).isTrue();
  }
}
