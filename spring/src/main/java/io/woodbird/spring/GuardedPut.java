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
 * <p>For a guard that follows its source this only saves the first question about a new row a
 * look-up, and a put that fails is logged. For one that does not, the key must be in the filter
 * before the row is visible to others: otherwise it is "not here" for a moment, though it is. So
 * the key is put before the method is called; or, if the expression uses {@code #result}, when it
 * returns, inside its transaction and before that commits. If the transaction then rolls back, the
 * filter holds a key too many until the next build, which does no harm. If the method is not
 * transactional, or commits by itself, use a key that is known before.
 *
 * <p>If the method returns a {@code Mono}, a {@code Flux} or another reactive type, the key is put
 * when somebody subscribes: before the method is called, or before the subscriber gets the value
 * whose key it is. No thread waits for Redis meanwhile, and a put that fails is an error of the
 * subscription. In a transaction of the calling thread, and for a method that returns a {@code
 * CompletableFuture} and whose key is known before, the caller waits for the put.
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
