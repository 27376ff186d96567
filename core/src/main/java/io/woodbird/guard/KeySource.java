package io.woodbird.guard;

import java.util.stream.Stream;

/**
 * Where all keys can be read from, again and again: a table, a file, another service.
 *
 * @param <K> the type of the keys
 */
@FunctionalInterface
public interface KeySource<K> {
  /**
   * Begins to read all keys. The stream is read once, by one thread, and closed. It must end by an
   * exception if it could not give all keys; one that merely ends is believed, unless it gave far
   * fewer than the last time.
   *
   * @return every key, in any order; some may come twice
   * @throws Exception if it can't be read
   */
  Stream<? extends K> open() throws Exception;
}
