package io.woodbird.spring;

import io.woodbird.guard.GenerationStore;

/**
 * A place for filters besides memory and file. A bean of this type makes its name usable as {@code
 * woodbird.guards.<name>.store}.
 */
public interface GuardStoreFactory {
  /**
   * The name, such as {@code redis}.
   *
   * @return the name
   */
  String name();

  /**
   * Makes the store of one guard.
   *
   * @param guard the name of the guard
   * @return the store
   */
  GenerationStore<Object> create(String guard);
}
