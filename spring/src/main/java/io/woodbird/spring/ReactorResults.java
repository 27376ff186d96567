package io.woodbird.spring;

import io.woodbird.guard.Gate;
import java.util.concurrent.atomic.AtomicBoolean;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A Mono, a Flux, or another reactive type; the look-up lasts from subscription to the end. */
final class ReactorResults extends Results {
  private final ReactiveAdapter adapter;

  ReactorResults(ReactiveAdapter adapter) {
    this.adapter = adapter;
  }

  @Override
  Object empty() {
    return adapter.fromPublisher(Flux.empty());
  }

  @Override
  @Nullable Object load(Gate<Object>.Pass pass, MethodInvocation invocation) throws Throwable {
    Publisher<Object> publisher = adapter.toPublisher(invocation.proceed());
    // A second subscription passes without a place in the bulkhead, and is not counted again.
    AtomicBoolean any = new AtomicBoolean();
    if (adapter.isMultiValue()) {
      return adapter.fromPublisher(
          Flux.defer(() -> pass.admit() ? Flux.from(publisher) : Flux.empty())
              .doOnNext(value -> any.set(true))
              .doOnComplete(() -> end(pass, any))
              .doFinally(signal -> endEarly(pass, any)));
    }
    return adapter.fromPublisher(
        Mono.defer(() -> pass.admit() ? Mono.from(publisher) : Mono.empty())
            .doOnNext(value -> any.set(true))
            .doOnSuccess(value -> end(pass, any))
            .doFinally(signal -> endEarly(pass, any)));
  }

  private static void end(Gate<Object>.Pass pass, AtomicBoolean any) {
    if (any.get()) {
      pass.found();
    } else {
      pass.missed();
    }
  }

  /** A subscriber may leave when it has seen enough; or there was an error. */
  private static void endEarly(Gate<Object>.Pass pass, AtomicBoolean any) {
    if (any.get()) {
      pass.found();
    }
    pass.failed();
  }
}
