package io.woodbird.guard;

import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a {@link RebuildingFilter} tells its listener, in words, and the Flight Recorder. */
final class BuildEvents {
  private final String filter;
  private final Consumer<? super RebuildEvent> listener;

  BuildEvents(String filter, Consumer<? super RebuildEvent> listener) {
    this.filter = filter;
    this.listener = listener;
  }

  void started(long number, long capacity) {
    send(RebuildEvent.Kind.STARTED, number, room(capacity), null);
  }

  /** A build has begun, and waits because more was put lately than is remembered. */
  void waits(long number, long capacity, Duration wait) {
    String message =
        room(capacity)
            + "; more keys were put lately than are remembered, so the source is read in "
            + wait;
    send(RebuildEvent.Kind.STARTED, number, message, null);
  }

  private static String room(long capacity) {
    return String.format(Locale.ROOT, "room for %,d keys", capacity);
  }

  void built(Generation generation) {
    FlightRecord.swap(filter, generation.number(), false);
    send(RebuildEvent.Kind.BUILT, generation.number(), generation.toString(), null);
  }

  void failed(long number, Throwable failure, @Nullable Generation current) {
    boolean refused = failure instanceof Build.RefusedException;
    String kept =
        current == null
            ? "; nothing is built yet, every answer stays \"maybe\""
            : "; generation " + current.number() + " still answers";
    RebuildEvent.Kind kind = refused ? RebuildEvent.Kind.REFUSED : RebuildEvent.Kind.FAILED;
    send(kind, number, reason(failure) + kept, failure);
  }

  static String reason(Throwable failure) {
    return failure instanceof Build.RefusedException refused
        ? refused.reason()
        : Uncaught.textOf(failure);
  }

  void unreadable(Exception e) {
    send(RebuildEvent.Kind.FAILED, 0, "what was stored earlier can't be read: " + e, e);
  }

  void stalled(long number, String reason) {
    send(RebuildEvent.Kind.STALLED, number, reason, null);
  }

  void overfull(Generations.Passed live) {
    String message =
        String.format(
            Locale.ROOT,
            "more than the %,d keys that the promised fpp holds for; a larger filter will be built",
            live.capacity());
    send(RebuildEvent.Kind.OVERFULL, live.number(), message, null);
  }

  void rolledBack(long back, long dropped) {
    FlightRecord.swap(filter, back, true);
    String message = "generation " + back + " answers again, " + dropped + " does not";
    send(RebuildEvent.Kind.ROLLED_BACK, back, message, null);
  }

  private void send(
      RebuildEvent.Kind kind, long generation, String message, @Nullable Throwable cause) {
    try {
      listener.accept(new RebuildEvent(kind, generation, message, cause));
    } catch (RuntimeException | Error e) {
      Uncaught.report(e);
    }
  }
}
