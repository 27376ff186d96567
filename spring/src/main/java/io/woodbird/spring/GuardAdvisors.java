package io.woodbird.spring;

import io.woodbird.guard.Admission;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;
import org.springframework.core.task.TaskDecorator;
import org.springframework.expression.EvaluationException;

/** What is done around guarded methods. */
final class GuardAdvisors {
  /*
   *   ask  ->  cache  ->  transaction  ->  load, put  ->  the method
   *
   * The guard is asked first, so that a key that does not exist takes no room in the cache. The
   * bulkhead and the counters come last, so that a hit in the cache needs no place in the bulkhead
   * and does not count as a look-up. A key is put inside the transaction, before it commits. Advisors
   * of the same order stay in the order of their registration, and these are registered after those
   * of caching and transactions.
   *
   * ask() gives its decision to load() in an attribute of the invocation. All subscriptions of a Mono
   * share the attributes, and each has a decision of its own, so there it is in the context of the
   * subscription too. An advisor between the two may lose the context; then the last decision must do.
   */
  private static final int FIRST = Ordered.HIGHEST_PRECEDENCE + 100;
  private static final int LAST = Ordered.LOWEST_PRECEDENCE;
  private static final String DECISION = GuardAdvisors.class.getName() + ".decision";

  private final GuardedMethods methods;
  private final Supplier<Guards> guards;
  private final Supplier<TaskDecorator> decorator;

  GuardAdvisors(
      GuardedMethods methods, Supplier<Guards> guards, Supplier<TaskDecorator> decorator) {
    this.methods = methods;
    this.guards = guards;
    this.decorator = decorator;
  }

  GuardedMethods methods() {
    return methods;
  }

  Advisor ask() {
    return new MatchingAdvisor(this::ask, FIRST, (m, t) -> methods.load(m, t) != null);
  }

  Advisor load() {
    return new MatchingAdvisor(this::load, LAST, (m, t) -> methods.load(m, t) != null);
  }

  Advisor put() {
    return new MatchingAdvisor(this::put, LAST, (m, t) -> methods.put(m, t) != null);
  }

  private static Class<?> targetOf(MethodInvocation invocation) {
    Object target = invocation.getThis();
    return target == null ? invocation.getMethod().getDeclaringClass() : target.getClass();
  }

  private @Nullable Object ask(MethodInvocation invocation) throws Throwable {
    GuardedMethods.Load load = methods.load(invocation.getMethod(), targetOf(invocation));
    if (load == null) {
      return invocation.proceed();
    }
    AtomicReference<Admission<Object>.@Nullable Decision> decided = new AtomicReference<>();
    ((ProxyMethodInvocation) invocation).setUserAttribute(DECISION, decided);
    if (load.results() instanceof LaterResults results) {
      ProxyMethodInvocation first = (ProxyMethodInvocation) invocation;
      return results.later(
          seesOtherRows ->
              decision(
                  load,
                  first,
                  (guard, key) -> guard.askAsync(key, seesOtherRows),
                  CompletableFuture::completedFuture),
          made -> proceed(load, first.invocableClone(), decided, made),
          decorator.get());
    }
    Admission<Object>.Decision made = decision(load, invocation, NamedGuard::ask, known -> known);
    return proceed(load, invocation, decided, made);
  }

  private static @Nullable Object proceed(
      GuardedMethods.Load load,
      MethodInvocation invocation,
      AtomicReference<Admission<Object>.@Nullable Decision> decided,
      Admission<Object>.Decision made)
      throws Throwable {
    if (made.stopped()) {
      return load.results().empty();
    }
    decided.set(made);
    return invocation.proceed();
  }

  private <D> D decision(
      GuardedMethods.Load load,
      MethodInvocation invocation,
      BiFunction<NamedGuard, @Nullable Object, D> question,
      Function<Admission<Object>.Decision, D> known) {
    NamedGuard guard = guards.get().get(load.guard());
    Object key;
    try {
      key = load.key().evaluate(invocation.getThis(), invocation.getArguments(), null);
    } catch (EvaluationException e) {
      return known.apply(guard.unknown("the key expression failed"));
    }
    return question.apply(guard, key);
  }

  @SuppressWarnings("unchecked") // Only ask() sets the attribute.
  private @Nullable Object load(MethodInvocation invocation) throws Throwable {
    GuardedMethods.Load load = methods.load(invocation.getMethod(), targetOf(invocation));
    AtomicReference<Admission<Object>.Decision> decided =
        (AtomicReference<Admission<Object>.Decision>)
            ((ProxyMethodInvocation) invocation).getUserAttribute(DECISION);
    Admission<Object>.Decision decision = decided == null ? null : decided.get();
    return load == null || decision == null
        ? invocation.proceed()
        : load.results().load(decision, invocation);
  }

  private @Nullable Object put(MethodInvocation invocation) throws Throwable {
    GuardedMethods.Put put = methods.put(invocation.getMethod(), targetOf(invocation));
    if (put == null) {
      return invocation.proceed();
    }
    NamedGuard guard = guards.get().get(put.guard());
    if (put.key().usesResult()) {
      Function<@Nullable Object, List<Object>> keys =
          result -> guard.keysOf(() -> key(put, invocation, result));
      return Results.beforeEach(
          invocation.proceed(),
          result -> guard.put(keys.apply(result)),
          result -> guard.putAsync(keys.apply(result)));
    }
    // Read when the method is called: until then its arguments may change.
    Supplier<List<Object>> keys = () -> guard.keysOf(() -> key(put, invocation, null));
    // A transaction of this thread may end when the method returns, so there the caller waits.
    if (put.reactive() == null || Transactions.isActive()) {
      guard.put(keys.get());
      return invocation.proceed();
    }
    ProxyMethodInvocation first = (ProxyMethodInvocation) invocation;
    return ReactorResults.beforeCall(
        put.reactive(), () -> guard.putAsync(keys.get()), first::invocableClone);
  }

  private static Object key(
      GuardedMethods.Put put, MethodInvocation invocation, @Nullable Object result) {
    Object key = put.key().evaluate(invocation.getThis(), invocation.getArguments(), result);
    if (key == null) {
      throw new IllegalStateException(
          "the key of a new row is null at "
              + invocation.getMethod()
              + "; if it is generated, use key = \"#result...\"");
    }
    return key;
  }

  /** An advisor for the methods that a predicate finds. */
  private static final class MatchingAdvisor extends StaticMethodMatcherPointcutAdvisor {
    private static final long serialVersionUID = 1;

    private final transient BiPredicate<Method, Class<?>> matcher;

    MatchingAdvisor(MethodInterceptor advice, int order, BiPredicate<Method, Class<?>> matcher) {
      super(advice);
      setOrder(order);
      this.matcher = matcher;
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
      return matcher.test(method, targetClass);
    }
  }
}
