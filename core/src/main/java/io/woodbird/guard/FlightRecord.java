package io.woodbird.guard;

import org.jspecify.annotations.Nullable;

/** What the Java Flight Recorder is told; nothing if the runtime lacks the module jdk.jfr. */
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
    /** Takes note of its end, in the same thread: it is built, or there is a failure. */
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
