package io.woodbird.spring;

import io.woodbird.guard.Admission;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What a method returns that may complete later, so that nobody waits for a decision. */
abstract class LaterResults extends Results {
  /** Goes on with a call. */
  @FunctionalInterface
  interface Call {
    @Nullable Object proceed(Admission<Object>.Decision decision) throws Throwable;
  }

  /** What to return when the decision is not there yet. */
  abstract Object later(CompletableFuture<Admission<Object>.Decision> decision, Call call);
}
