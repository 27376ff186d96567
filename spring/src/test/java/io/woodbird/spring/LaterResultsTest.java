package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.guard.Admission;
import io.woodbird.guard.Guard;
import io.woodbird.key.Keys;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.core.task.TaskDecorator;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;

/** In which thread the caller of a method goes on whose decision takes time. */
final class LaterResultsTest {
  private static final int ROUNDS = 3000; // With the fault, 70 of them went on in the wrong thread.

  interface Products {
    CompletableFuture<String> find(long id);

    Mono<String> findReactive(long id);
  }

  private static LaterResults results(String method) throws NoSuchMethodException {
    return (LaterResults)
        Results.of(Products.class.getMethod(method, long.class), Products.class, "products");
  }

  private static Admission<Object>.Decision decided() {
    Filter<Object> none =
        Woodbird.bloom(Keys.by("text", Object::toString, Keys.strings()), 10).build();
    return Guard.over(none).admission().ask(1L);
  }

  /** Another thread would have another connection, and not the rows of the transaction. */
  @Test
  void inATransaction_aMethodIsCalledInTheThreadOfItsCaller() throws Throwable {
    for (String method : List.of("find", "findReactive")) {
      CompletableFuture<Admission<Object>.Decision> decision = new CompletableFuture<>();
      AtomicReference<Thread> called = new AtomicReference<>();
      Thread caller = Thread.currentThread();
      Thread store =
          new Thread(
              () -> {
                while (caller.getState() == Thread.State.RUNNABLE) {
                  Thread.onSpinWait(); // Until the caller waits.
                }
                decision.complete(decided());
              });
      TransactionSynchronizationManager.setActualTransactionActive(true);
      try {
        Object later =
            results(method)
                .later(
                    seesOtherRows -> {
                      store.start();
                      return decision;
                    },
                    known -> {
                      called.set(Thread.currentThread());
                      return results(method).empty();
                    },
                    task -> task);
        if (later instanceof Mono<?> mono) {
          assertThat(mono.block()).isNull();
        }
      } finally {
        TransactionSynchronizationManager.setActualTransactionActive(false);
        store.join();
      }
      assertThat(called).as(method).hasValue(Thread.currentThread());
    }
  }

  @Test
  void whatBelongsToTheCallersThread_goesWithTheMethod() throws Throwable {
    for (String method : List.of("find", "findReactive")) {
      CompletableFuture<Admission<Object>.Decision> decision = new CompletableFuture<>();
      ThreadLocal<String> user = new ThreadLocal<>();
      AtomicReference<String> seen = new AtomicReference<>();
      TaskDecorator decorator =
          task -> {
            String mine = user.get();
            return () -> {
              user.set(mine);
              task.run();
            };
          };
      user.set("ada");
      Object later =
          results(method)
              .later(
                  seesOtherRows -> decision,
                  known -> {
                    seen.set(user.get());
                    return results(method).empty();
                  },
                  decorator);
      CompletableFuture<?> end =
          later instanceof Mono<?> mono
              ? mono.toFuture()
              : ((CompletionStage<?>) later).toCompletableFuture();
      decision.complete(decided());
      assertThat(end.join()).isNull();
      assertThat(seen).as(method).hasValue("ada");
    }
  }

  @Test
  void noCallerGoesOnInAThreadOfTheStoresClient() throws Throwable {
    LaterResults results = results("find");
    Admission<Object>.Decision denied = decided();
    assertThat(denied.stopped()).isTrue();
    ExecutorService client = Executors.newSingleThreadExecutor(task -> new Thread(task, "client"));
    try {
      for (int round = 0; round < ROUNDS; round++) {
        CompletableFuture<Admission<Object>.Decision> decision = new CompletableFuture<>();
        Object later =
            results.later(seesOtherRows -> decision, known -> results.empty(), task -> task);
        CompletableFuture<String> goesOn =
            ((CompletionStage<?>) later)
                .thenApply(nothing -> Thread.currentThread().getName())
                .toCompletableFuture();
        client.execute(() -> decision.complete(denied));
        assertThat(goesOn.join()).isNotEqualTo("client");
      }
    } finally {
      client.shutdownNow();
    }
  }
}
