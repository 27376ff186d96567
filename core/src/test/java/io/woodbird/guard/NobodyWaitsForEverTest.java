package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Neither a failure nor the code of one caller holds up the answers to others. */
final class NobodyWaitsForEverTest extends FollowingTests {
  /** There is no memory for a timer, and a moment later there is. */
  private static FollowThread withoutMemory(AtomicBoolean isFull) {
    FollowThread real = FollowThread.system("test");
    return (FollowThread)
        Proxy.newProxyInstance(
            FollowThread.class.getClassLoader(),
            new Class<?>[] {FollowThread.class},
            (self, method, arguments) -> {
              if (method.getName().equals("completeLater") && isFull.getAndSet(false)) {
                throw new OutOfMemoryError("as in a test");
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void anErrorOfTheFirstMemberOfAGroup_leavesTheOthersWithAnAnswer() throws Exception {
    AtomicBoolean isFull = new AtomicBoolean();
    FollowingFilter<Long> following = start(builder().thread(withoutMemory(isFull)));
    until(following, Answer.NOT_HERE, -1);
    for (long key = -2; key > -10; key -= 2) {
      long failing = key;
      isFull.set(true);
      assertThatThrownBy(() -> following.ask(failing)).isInstanceOf(OutOfMemoryError.class);
      assertThat(following.askAsync(key - 1).get(4, TimeUnit.MINUTES)).isEqualTo(Answer.NOT_HERE);
    }
  }

  @Test
  void whatFollowsAnAnswer_mayWaitForAnother() throws Exception {
    FollowingFilter<Long> following = start(builder());
    until(following, Answer.NOT_HERE, -1);
    int more = 4 + 4 * Runtime.getRuntime().availableProcessors(); // Than there are threads.
    List<CompletableFuture<Answer>> second = new ArrayList<>();
    for (long key = 1; key <= more; key++) {
      long next = -1000 - key;
      second.add(following.askAsync(-key).thenApply(first -> following.askAsync(next).join()));
    }
    for (CompletableFuture<Answer> answer : second) {
      assertThat(answer.get(4, TimeUnit.MINUTES)).isEqualTo(Answer.NOT_HERE);
    }
  }

  /** The put only saves a look-up. */
  @Test
  void anAnswer_doesNotWaitForAPut() throws Exception {
    FakeShared shared = new FakeShared(FakeShared.SEED);
    try (RebuildingFilter<Long> rebuilding =
        RebuildingFilter.of(Keys.longs(), TestSource.of(0, 100))
            .expectedKeys(100)
            .store(shared)
            .build()) {
      rebuilding.rebuildNow().get(5, TimeUnit.MINUTES);
      Rows rows = new Rows();
      FollowingFilter<Long> following =
          start(FollowingFilter.over(rebuilding, rows).patience(LONG));
      until(following, Answer.NOT_HERE, -1);
      rows.rows.add(5000L);
      CompletableFuture<Integer> held = new CompletableFuture<>();
      shared.heldPuts = held;
      try {
        assertThat(following.askAsync(5000L).get(4, TimeUnit.MINUTES)).isEqualTo(Answer.MAYBE_HERE);
      } finally {
        shared.heldPuts = null;
        held.complete(0);
      }
    }
  }

  /** A pool of Java 17 loses count when its threads end, and runs nothing after 32,768 times. */
  @Test
  void answersCome_howeverOftenTheirThreadsHaveEnded() throws Exception {
    int threads = Math.max(2, Runtime.getRuntime().availableProcessors());
    Executor answers = new FollowThread.SystemFollowThread("test", 50).answers();
    for (int round = 0; round < 8; round++) {
      CountDownLatch all = new CountDownLatch(threads);
      List<CompletableFuture<Thread>> used = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        used.add(CompletableFuture.supplyAsync(() -> arrive(all), answers));
      }
      for (CompletableFuture<Thread> one : used) {
        one.get(4, TimeUnit.MINUTES).join(TimeUnit.MINUTES.toMillis(4));
      }
    }
    // The thread itself is active, so a smaller number is wrong.
    int active =
        CompletableFuture.supplyAsync(() -> ForkJoinTask.getPool().getActiveThreadCount(), answers)
            .get(4, TimeUnit.MINUTES);
    assertThat(active).isPositive();
  }

  private static Thread arrive(CountDownLatch all) {
    all.countDown();
    try {
      all.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return Thread.currentThread();
  }
}
