package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.guard.Admission;
import io.woodbird.guard.Guard;
import io.woodbird.key.Keys;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** In which thread the caller of a method goes on whose decision takes time. */
final class LaterResultsTest {
  private static final int ROUNDS = 3000; // With the fault, 70 of them went on in the wrong thread.

  interface Products {
    CompletableFuture<String> find(long id);
  }

  @Test
  void noCallerGoesOnInAThreadOfTheStoresClient() throws Throwable {
    LaterResults results =
        (LaterResults)
            Results.of(Products.class.getMethod("find", long.class), Products.class, "products");
    Filter<Object> none =
        Woodbird.bloom(Keys.by("text", Object::toString, Keys.strings()), 10).build();
    Admission<Object>.Decision denied = Guard.over(none).admission().ask(1L);
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
