package io.woodbird.spring;

import io.woodbird.guard.Admission;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.task.TaskDecorator;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionContextManager;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

/** A Mono, a Flux, or another reactive type; the look-up lasts from subscription to the end. */
final class ReactorResults extends LaterResults {
  /** Where the context of a subscription has its decision. */
  private static final Object DECISION = new Object();

  private final ReactiveAdapter adapter;

  ReactorResults(ReactiveAdapter adapter) {
    this.adapter = adapter;
  }

  @Override
  Object empty() {
    return adapter.fromPublisher(Flux.empty());
  }

  /** Each subscription asks, as each sees the source as it is then. */
  @Override
  Object later(Question question, Call call, TaskDecorator decorator) {
    return adapter.fromPublisher(
        adapter.isMultiValue()
            ? Flux.defer(
                () -> seesOtherRows().flatMapMany(may -> asked(question.ask(may), call, decorator)))
            : Mono.defer(
                () ->
                    seesOtherRows()
                        .flatMap(may -> Mono.from(asked(question.ask(may), call, decorator)))));
  }

  /** A transaction belongs to the thread, or to what is subscribed to. */
  private static Mono<Boolean> seesOtherRows() {
    if (!Transactions.PRESENT || Transactions.seesOtherRows()) {
      return Mono.just(Transactions.seesOtherRows());
    }
    return TransactionContextManager.currentContext()
        .map(
            own ->
                Transactions.seesOtherRows(
                    own.isActualTransactionActive(),
                    own.isCurrentTransactionReadOnly(),
                    own.getCurrentTransactionIsolationLevel(),
                    own.getResources().values()))
        .onErrorReturn(NoTransactionException.class, false);
  }

  private Publisher<Object> asked(
      CompletableFuture<Admission<Object>.Decision> decision, Call call, TaskDecorator decorator) {
    return after(
        decision,
        decorator,
        known -> {
          try {
            Publisher<Object> called = adapter.toPublisher(call.proceed(known));
            return adapter.isMultiValue()
                ? Flux.from(called).contextWrite(context -> context.put(DECISION, known))
                : Mono.from(called).contextWrite(context -> context.put(DECISION, known));
          } catch (Throwable e) {
            return Mono.error(e);
          }
        });
  }

  /**
   * Calls a method after something else is done, once for each subscription, because each may make
   * a row.
   *
   * @param before begins it; if it fails, the method is not called
   * @param call a new call of the method, with all that comes after the guard
   */
  static Object beforeCall(
      ReactiveAdapter adapter,
      Supplier<CompletableFuture<Long>> before,
      Supplier<MethodInvocation> call) {
    Supplier<Publisher<Object>> both =
        () ->
            after(
                before.get(),
                task -> task,
                done -> {
                  try {
                    return adapter.toPublisher(call.get().proceed());
                  } catch (Throwable e) {
                    return Mono.error(e);
                  }
                });
    return adapter.fromPublisher(
        adapter.isMultiValue() ? Flux.defer(both) : Mono.defer(() -> Mono.from(both.get())));
  }

  /** One value at a time: a value that was fetched ahead and dropped would be a row without put. */
  static Object beforeEach(
      ReactiveAdapter adapter,
      Object result,
      Function<@Nullable Object, CompletableFuture<Long>> before) {
    Publisher<Object> values = adapter.toPublisher(result);
    Function<Object, Publisher<Object>> each =
        value -> after(before.apply(value), task -> task, done -> Mono.just(value));
    return adapter.fromPublisher(
        adapter.isMultiValue()
            ? Flux.from(values).concatMap(each, 0)
            : Mono.from(values).flatMap(value -> Mono.from(each.apply(value))));
  }

  /**
   * Goes on in this thread if a future is complete, and otherwise in one that may block. A
   * transaction belongs to its thread, so in a transaction the caller waits instead.
   */
  private static <T> Publisher<Object> after(
      CompletableFuture<T> ready, TaskDecorator decorator, Function<T, Publisher<Object>> then) {
    if (Transactions.isActive()) {
      Object unused = ready.handle((done, failed) -> 0).join();
    }
    if (ready.isDone() && !ready.isCompletedExceptionally()) {
      return then.apply(ready.join());
    }
    AtomicReference<Publisher<Object>> called = new AtomicReference<>(Mono.empty());
    Runnable task = decorator.decorate(() -> called.set(then.apply(ready.join())));
    return Mono.fromFuture(ready, true) // Who cancels must not cancel the future.
        .publishOn(Schedulers.boundedElastic())
        .flatMapMany(
            known -> {
              task.run();
              return called.get();
            });
  }

  @Override
  @Nullable Object load(Admission<Object>.Decision last, MethodInvocation invocation)
      throws Throwable {
    Publisher<Object> publisher = adapter.toPublisher(invocation.proceed());
    return adapter.fromPublisher(
        adapter.isMultiValue()
            ? Flux.deferContextual(context -> counted(Flux.from(publisher), decided(context, last)))
            : Mono.deferContextual(
                context -> counted(Mono.from(publisher), decided(context, last))));
  }

  private static Admission<Object>.Decision decided(
      ContextView context, Admission<Object>.Decision last) {
    return context.hasKey(DECISION) ? context.get(DECISION) : last;
  }

  // A second subscription on behalf of the same decision passes without a place in the bulkhead.
  // It is not counted again.

  private static Flux<Object> counted(Flux<Object> values, Admission<Object>.Decision decision) {
    AtomicBoolean any = new AtomicBoolean();
    return Flux.defer(() -> decision.admit() ? values : Flux.empty())
        .doOnNext(
            value -> {
              if (!any.getAndSet(true)) {
                decision.found(); // A stream may have no end, and needs its place no longer.
              }
            })
        .doOnComplete(() -> end(decision, any))
        .doFinally(signal -> endEarly(decision, any));
  }

  private static Mono<Object> counted(Mono<Object> value, Admission<Object>.Decision decision) {
    AtomicBoolean any = new AtomicBoolean();
    return Mono.defer(() -> decision.admit() ? value : Mono.empty())
        .doOnNext(found -> any.set(true))
        .doOnSuccess(found -> end(decision, any))
        .doFinally(signal -> endEarly(decision, any));
  }

  private static void end(Admission<Object>.Decision decision, AtomicBoolean any) {
    if (any.get()) {
      decision.found();
    } else {
      decision.missed();
    }
  }

  /** A subscriber may leave when it has seen enough; or there was an error. */
  private static void endEarly(Admission<Object>.Decision decision, AtomicBoolean any) {
    if (any.get()) {
      decision.found();
    }
    decision.failed();
  }
}
