package io.woodbird.guard;

import org.jspecify.annotations.Nullable;

/** Gives events to the Java Flight Recorder, if the runtime has the module jdk.jfr. */
final class FlightRecord {
  /*
   * The events are classes of that module, so they are loaded only if it is there. A recorder that
   * does not run costs an object per build, and these events are rare.
   */
  private static final boolean HAS_RECORDER = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  private static final BuildRecord UNRECORDED = (built, failure) -> {};

  private FlightRecord() {}

  /** A build that has begun. */
  interface BuildRecord {
    /** Records the end of the build, in the thread that began it; one of the two is null. */
    void end(@Nullable Generation built, @Nullable Throwable failure);
  }

  static BuildRecord beginBuild(String filter, long number) {
    return HAS_RECORDER ? FlightEvents.beginBuild(filter, number) : UNRECORDED;
  }

  /** Another generation answers from now on. */
  static void swap(String filter, long generation, boolean isRollBack) {
    if (HAS_RECORDER) {
      FlightEvents.swap(filter, generation, isRollBack);
    }
  }

  /** From now on nothing can be denied, or, if the reason is null, all is well again. */
  static void doubt(String filter, @Nullable String reason) {
    if (HAS_RECORDER) {
      FlightEvents.doubt(filter, reason);
    }
  }
}
