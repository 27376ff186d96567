package io.woodbird.spring;

import io.woodbird.guard.Admission;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.task.TaskDecorator;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A Mono, a Flux, or another reactive type; the look-up lasts from subscription to the end. */
final class ReactorResults extends LaterResults {
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
                () ->
                    mayHaveWritten().flatMapMany(may -> Flux.from(later(question.ask(may), call))))
            : Mono.defer(
                () -> mayHaveWritten().flatMap(may -> Mono.from(later(question.ask(may), call)))));
  }

  /** A transaction belongs to the thread, or to what is subscribed to. */
  private static Mono<Boolean> mayHaveWritten() {
    if (!Transactions.PRESENT || Transactions.mayHaveWritten()) {
      return Mono.just(Transactions.mayHaveWritten());
    }
    return TransactionSynchronizationManager.forCurrentTransaction()
        .map(own -> own.isActualTransactionActive() && !own.isCurrentTransactionReadOnly())
        .onErrorReturn(NoTransactionException.class, false);
  }

  static Object beforeEach(
      ReactiveAdapter adapter, Object result, Consumer<@Nullable Object> before) {
    Publisher<Object> publisher = adapter.toPublisher(result);
    return adapter.fromPublisher(
        adapter.isMultiValue()
            ? Flux.from(publisher).doOnNext(before)
            : Mono.from(publisher).doOnNext(before));
  }

  private Publisher<Object> later(
      CompletableFuture<Admission<Object>.Decision> decision, Call call) {
    if (decision.isDone()) {
      return publisher(call, decision.join()); // In the thread of the subscriber.
    }
    return Mono.fromFuture(decision, true) // A subscriber that leaves must not spoil it.
        .publishOn(Schedulers.boundedElastic()) // The method may block.
        .flatMapMany(known -> publisher(call, known));
  }

  private Publisher<Object> publisher(Call call, Admission<Object>.Decision decision) {
    try {
      return adapter.toPublisher(call.proceed(decision));
    } catch (Throwable e) {
      return Mono.error(e);
    }
  }

  @Override
  @Nullable Object load(Admission<Object>.Decision decision, MethodInvocation invocation)
      throws Throwable {
    Publisher<Object> publisher = adapter.toPublisher(invocation.proceed());
    // A second subscription passes without a place in the bulkhead, and is not counted again.
    AtomicBoolean any = new AtomicBoolean();
    if (adapter.isMultiValue()) {
      return adapter.fromPublisher(
          Flux.defer(() -> decision.admit() ? Flux.from(publisher) : Flux.empty())
              .doOnNext(value -> any.set(true))
              .doOnComplete(() -> end(decision, any))
              .doFinally(signal -> endEarly(decision, any)));
    }
    return adapter.fromPublisher(
        Mono.defer(() -> decision.admit() ? Mono.from(publisher) : Mono.empty())
            .doOnNext(value -> any.set(true))
            .doOnSuccess(value -> end(decision, any))
            .doFinally(signal -> endEarly(decision, any)));
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
