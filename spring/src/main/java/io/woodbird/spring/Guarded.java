package io.woodbird.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method that looks a key up, and is not called for a key that is not here.
 *
 * <pre>{@code
 * @Guarded("products")
 * @Cacheable("products")
 * public Optional<Product> find(long id) { ... }
 * }</pre>
 *
 * <p>The guard is asked before the cache, so that keys that do not exist take no room in it. For
 * such a key the caller gets {@code null}, or an empty {@code Optional}, collection, map, array,
 * future, {@code Mono} or {@code Flux}, depending on the return type. A method that can't say
 * "nothing" is refused when the application starts.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Guarded {
  /**
   * The name of the guard, as in {@code woodbird.guards.<name>}.
   *
   * @return the name
   */
  String value();

  /**
   * An expression for the key, such as {@code "#id"} or {@code "#request.id"}, written as for
   * {@code @Cacheable}. A method with one parameter needs none.
   *
   * @return the expression
   */
  String key() default "";
}
