package io.woodbird.spring;

import io.woodbird.guard.Admission;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a method returns that may complete later, so that nobody waits for a decision. */
abstract class LaterResults extends Results {
  /** Goes on with a call. */
  @FunctionalInterface
  interface Call {
    @Nullable Object proceed(Admission<Object>.Decision decision) throws Throwable;
  }

  /**
   * What to return.
   *
   * @param question asks the guard
   * @param call goes on with the method, each time with all that comes after the guard
   */
  abstract @Nullable Object later(
      Supplier<CompletableFuture<Admission<Object>.Decision>> question, Call call) throws Throwable;
}
