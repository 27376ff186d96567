package io.woodbird.spring;

import io.woodbird.guard.Admission;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.TaskDecorator;

/** What a method returns that completes later, so that no thread waits for a decision. */
abstract class LaterResults extends Results {
  /** Asks the guard. */
  @FunctionalInterface
  interface Question {
    CompletableFuture<Admission<Object>.Decision> ask(boolean seesOtherRows);
  }

  /** Goes on with a call. */
  @FunctionalInterface
  interface Call {
    @Nullable Object proceed(Admission<Object>.Decision decision) throws Throwable;
  }

  /**
   * What to return.
   *
   * @param call calls the method, with all advisors that come after the guard; it may be used more
   *     than once
   * @param decorator takes what belongs to this thread to the one in which the method runs
   */
  abstract @Nullable Object later(Question question, Call call, TaskDecorator decorator)
      throws Throwable;
}
