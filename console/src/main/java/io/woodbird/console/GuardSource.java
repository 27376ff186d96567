package io.woodbird.console;

import java.util.List;

/** Where the page gets the guards of this process from. */
@FunctionalInterface
public interface GuardSource {
  /** No guards at all. */
  GuardSource NONE = List::of;

  /**
   * Looks at every guard as it is now. Asked about once a second, so it should be cheap.
   *
   * @return one snapshot for each guard, always in the same order
   */
  List<GuardSnapshot> snapshots();
}
