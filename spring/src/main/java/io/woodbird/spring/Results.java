package io.woodbird.spring;

import io.woodbird.guard.Admission;
import io.woodbird.guard.GuardOverloadedException;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.BaseStream;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.task.TaskDecorator;
import org.springframework.util.ClassUtils;

/** How a method says "nothing" by what it returns, and how to see that it did. */
abstract class Results {
  static final String FLUX = "reactor.core.publisher.Flux";

  private static final boolean REACTOR = ClassUtils.isPresent(FLUX, Results.class.getClassLoader());

  /** What to return for a key that is not here. */
  abstract @Nullable Object empty();

  /** Calls the method on behalf of a decision. */
  abstract @Nullable Object load(Admission<Object>.Decision decision, MethodInvocation invocation)
      throws Throwable;

  /** How a method returns. Refuses a method that can't say "nothing". */
  static Results of(Method method, Class<?> targetClass, String guard) {
    ResolvableType declared = ResolvableType.forMethodReturnType(method, targetClass);
    Class<?> type = declared.resolve(Object.class);
    ReactiveAdapter adapter = adapterOf(type, null);
    if (type == CompletableFuture.class || type == CompletionStage.class) {
      return new InFuture(emptyOf(declared.getGeneric(0).resolve(Object.class)));
    }
    if (adapter != null && !adapter.isNoValue() && adapter.supportsEmpty()) {
      return new ReactorResults(adapter);
    }
    if (type.isPrimitive()
        || adapter != null
        || Future.class.isAssignableFrom(type)
        || BaseStream.class.isAssignableFrom(type)
        || type == java.util.OptionalInt.class
        || type == java.util.OptionalLong.class
        || type == java.util.OptionalDouble.class
        || type == Void.class
        || takesContinuation(method)) {
      throw new GuardConfigurationException(
          KeyExpression.where(method, guard)
              + " it returns "
              + declared
              + ", which can't say that there is nothing, or not in a way that can be counted.",
          "Return an object (null is nothing), an Optional, a collection, a map, an array, a"
              + " CompletableFuture, a Mono or a Flux; or take the guard off this method.");
    }
    return new Direct(emptyOf(type));
  }

  /** A suspending function of Kotlin. */
  private static boolean takesContinuation(Method method) {
    Class<?>[] parameters = method.getParameterTypes();
    return parameters.length > 0
        && parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation");
  }

  private static @Nullable Object emptyOf(Class<?> type) {
    if (type == Optional.class) {
      return Optional.empty();
    }
    if (type == Set.class) {
      return Set.of();
    }
    if (type == List.class || type == Collection.class || type == Iterable.class) {
      return List.of();
    }
    if (type == Map.class) {
      return Map.of();
    }
    return type.isArray() ? Array.newInstance(type.getComponentType(), 0) : null;
  }

  /** How to read and make a reactive type; null if the type, or that of the value, is none. */
  static @Nullable ReactiveAdapter adapterOf(@Nullable Class<?> type, @Nullable Object value) {
    return REACTOR ? ReactiveAdapterRegistry.getSharedInstance().getAdapter(type, value) : null;
  }

  /**
   * Does something with each value that a method gives, before its caller gets it.
   *
   * @param now with a value that is there
   * @param later with a value that comes later, without blocking the thread that it comes in; if it
   *     fails, the caller gets the failure instead of the value
   * @return what the method shall return instead
   */
  static @Nullable Object beforeEach(
      @Nullable Object result,
      Consumer<@Nullable Object> now,
      Function<@Nullable Object, CompletableFuture<Long>> later) {
    if (result instanceof CompletionStage<?> stage) {
      return stage.thenCompose(
          value -> {
            CompletableFuture<Long> done = later.apply(value);
            // What the caller does next may block, and must not block a thread of the store.
            return done.isDone()
                ? done.thenApply(count -> value)
                : done.thenApplyAsync(count -> value);
          });
    }
    ReactiveAdapter adapter = result == null ? null : adapterOf(null, result);
    if (adapter != null && result != null && !adapter.isNoValue()) {
      return ReactorResults.beforeEach(adapter, result, later);
    }
    now.accept(result);
    return result;
  }

  static void end(Admission<Object>.Decision decision, @Nullable Object value) {
    if (isNothing(value)) {
      decision.missed();
    } else {
      decision.found();
    }
  }

  private static boolean isNothing(@Nullable Object value) {
    if (value instanceof Optional<?> optional) {
      return optional.isEmpty();
    }
    if (value instanceof Collection<?> collection) {
      return collection.isEmpty();
    }
    if (value instanceof Map<?, ?> map) {
      return map.isEmpty();
    }
    return value == null || (value.getClass().isArray() && Array.getLength(value) == 0);
  }

  /** A value. */
  private static final class Direct extends Results {
    private final @Nullable Object empty;

    Direct(@Nullable Object empty) {
      this.empty = empty;
    }

    @Override
    @Nullable Object empty() {
      return empty;
    }

    @Override
    @Nullable Object load(Admission<Object>.Decision decision, MethodInvocation invocation)
        throws Throwable {
      if (!decision.admit()) {
        return empty;
      }
      try {
        Object value = invocation.proceed();
        end(decision, value);
        return value;
      } finally {
        decision.failed(); // Has no effect on a decision that has ended.
      }
    }
  }

  /** A future; the look-up ends when it does. */
  @SuppressWarnings("FutureReturnValueIgnored") // It is returned to the caller of the method.
  private static final class InFuture extends LaterResults {
    private final @Nullable Object empty;

    InFuture(@Nullable Object empty) {
      this.empty = empty;
    }

    @Override
    Object empty() {
      return CompletableFuture.completedFuture(empty);
    }

    /**
     * If the decision takes time, the method runs in another thread than the caller's, and not in
     * one that gives answers, because it may block. So may what the caller does next, and a thread
     * of the store's client must not wait for it; one of a pool that starts another may. A
     * transaction belongs to its thread, so in a transaction the caller waits instead.
     */
    @Override
    @Nullable Object later(Question question, Call call, TaskDecorator decorator) throws Throwable {
      CompletableFuture<Admission<Object>.Decision> decision =
          question.ask(Transactions.seesOtherRows());
      if (decision.isDone() || Transactions.isActive()) {
        return call.proceed(decision.join());
      }
      AtomicReference<CompletionStage<@Nullable Object>> begun = new AtomicReference<>();
      Runnable task = decorator.decorate(() -> begun.set(proceed(call, decision.join())));
      // The thread is chosen before the step, and not within it: a step that hands its work to
      // another thread may find it done, and completes what the caller waits for in its own.
      return decision.thenComposeAsync(
          known -> {
            task.run();
            return begun.get();
          },
          step -> {
            if (ForkJoinTask.inForkJoinPool() && decision.join().stopped()) {
              step.run();
            } else {
              decision.defaultExecutor().execute(step);
            }
          });
    }

    @SuppressWarnings("unchecked") // Of whatever the method returns.
    private static CompletionStage<@Nullable Object> proceed(
        Call call, Admission<Object>.Decision decision) {
      try {
        Object stage = call.proceed(decision);
        return stage instanceof CompletionStage<?>
            ? (CompletionStage<@Nullable Object>) stage
            : CompletableFuture.completedFuture(null);
      } catch (Throwable e) {
        return CompletableFuture.failedFuture(e);
      }
    }

    @Override
    @Nullable Object load(Admission<Object>.Decision decision, MethodInvocation invocation)
        throws Throwable {
      try {
        if (!decision.admit()) {
          return empty();
        }
      } catch (GuardOverloadedException e) {
        return CompletableFuture.failedFuture(e);
      }
      Object future = null;
      try {
        future = invocation.proceed();
      } finally {
        if (!(future instanceof CompletionStage<?>)) {
          decision.failed();
        }
      }
      if (future instanceof CompletionStage<?> stage) {
        CompletionStage<?> unused =
            stage.whenComplete(
                (value, failure) -> {
                  if (failure != null) {
                    decision.failed();
                  } else {
                    end(decision, value);
                  }
                });
      }
      return future;
    }
  }
}
