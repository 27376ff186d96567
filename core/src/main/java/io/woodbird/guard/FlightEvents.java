package io.woodbird.guard;

import java.util.Objects;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** The events that {@link FlightRecord} gives to the Java Flight Recorder. */
@SuppressWarnings("UnusedVariable") // The recorder reads the fields.
final class FlightEvents {
  private FlightEvents() {}

  static FlightRecord.BuildRecord beginBuild(String filter, long number) {
    Build build = new Build();
    build.filter = filter;
    build.generation = number;
    build.begin();
    return (built, failure) -> end(build, built, failure);
  }

  private static void end(Build build, @Nullable Generation built, @Nullable Throwable failure) {
    build.end();
    if (!build.shouldCommit()) {
      return;
    }
    if (built == null) {
      build.failure = BuildEvents.reason(Objects.requireNonNull(failure));
    } else {
      build.generation = built.number();
      build.keys = built.keys();
    }
    build.commit();
  }

  static void swap(String filter, long generation, boolean isRollBack) {
    Swap swap = new Swap();
    swap.filter = filter;
    swap.generation = generation;
    swap.isRollBack = isRollBack;
    swap.commit();
  }

  static void doubt(String filter, @Nullable String reason) {
    Doubt doubt = new Doubt();
    doubt.filter = filter;
    doubt.isOver = reason == null;
    doubt.reason = reason;
    doubt.commit();
  }

  @Name("woodbird.Build")
  @Label("Build of a Filter")
  @Description("Reading all keys of the source into a new generation")
  @Category("Woodbird")
  @StackTrace(false)
  private static final class Build extends Event {
    @Label("Filter")
    @Nullable String filter;

    @Label("Generation")
    long generation;

    @Label("Keys")
    @Description("How many the source gave; 0 if the build failed")
    long keys;

    @Label("Failure")
    @Description("Why it failed; null if the generation answers now")
    @Nullable String failure;
  }

  @Name("woodbird.Swap")
  @Label("Swap of Generations")
  @Description("Another generation answers from now on")
  @Category("Woodbird")
  @StackTrace(false)
  private static final class Swap extends Event {
    @Label("Filter")
    @Nullable String filter;

    @Label("Generation")
    @Description("The one that answers now")
    long generation;

    @Label("Roll Back")
    @Description("Whether it is the generation before, which answers again")
    boolean isRollBack;
  }

  @Name("woodbird.Doubt")
  @Label("Doubt of a Filter")
  @Description("The filter denies nothing from now on, or denies again")
  @Category("Woodbird")
  @StackTrace(false)
  private static final class Doubt extends Event {
    @Label("Filter")
    @Nullable String filter;

    @Label("Reason")
    @Nullable String reason;

    @Label("Over")
    @Description("Whether it denies again")
    boolean isOver;
  }
}
