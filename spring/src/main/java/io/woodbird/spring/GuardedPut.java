package io.woodbird.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method that makes a new row, whose key is put into the filter of a guard.
 *
 * <pre>{@code
 * @Transactional
 * @GuardedPut(value = "products", key = "#result.id")
 * public Product create(String name) { ... }
 * }</pre>
 *
 * <p>A guard that follows its source does not need the put: it only saves a look-up for the first
 * question about the new row, and a put that fails is logged. So is a key that is null or of
 * another type. For a guard that does not follow, the key must be in the filter before others can
 * see the row; otherwise the row is denied for a moment. So the key is put before the method is
 * called. If the expression uses {@code #result}, the key is put when the method returns, inside
 * its transaction and before that commits. If the transaction then rolls back, the filter has one
 * key too many until the next build, which does no harm. If the method is not transactional, or
 * commits by itself, use a key that is known before.
 *
 * <p>If the method returns a {@code Mono}, a {@code Flux} or another reactive type, the key is put
 * when somebody subscribes: before the method is called, or before the subscriber gets the value
 * whose key it is. No thread waits for Redis meanwhile, and a put that fails is an error of the
 * subscription. The caller waits for the put in two cases: in a transaction of the calling thread,
 * and if the method returns a {@code CompletableFuture} and its key is known before.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface GuardedPut {
  /**
   * The name of the guard, as in {@code woodbird.guards.<name>}.
   *
   * @return the name
   */
  String value();

  /**
   * An expression for the key, or for a collection of keys, such as {@code "#product.id"} or {@code
   * "#result.id"}. A method with one parameter needs none.
   *
   * @return the expression
   */
  String key() default "";
}
