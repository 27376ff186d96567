package io.woodbird.spring;

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
   * Makes the filter of one guard, and begins nothing yet.
   *
   * @param plan what is configured
   * @return the filter
   */
  GuardFilter create(GuardPlan plan);
}
