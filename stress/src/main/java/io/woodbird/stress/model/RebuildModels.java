package io.woodbird.stress.model;

import io.woodbird.guard.BuildByHand;
import io.woodbird.guard.RebuildingFilter;
import io.woodbird.key.Keys;
import java.util.stream.Stream;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;

/** A key is put and asked for while a generation is built and takes the place of the last. */
public class RebuildModels {
  private static final long KEY = 7;

  private final BuildByHand byHand = new BuildByHand();
  private final RebuildingFilter<Long> filter =
      byHand.build(
          RebuildingFilter.of(Keys.longs(), () -> Stream.of(1L, 2L)).expectedKeys(8).seed(1));
  private volatile boolean put;

  /** Builds the first generation. */
  public RebuildModels() {
    byHand.rebuild(filter);
  }

  /** Builds the next one. */
  @Operation(nonParallelGroup = "build")
  public void build() {
    byHand.rebuild(filter);
  }

  /** Puts a key that the source does not have yet. */
  @Operation
  public void put() {
    filter.putLong(KEY);
    put = true;
  }

  /** Asks. */
  @Operation
  public boolean ask() {
    boolean before = put;
    return filter.mightContainLong(1) && (filter.mightContainLong(KEY) || !before);
  }

  /** Looks when all have ended. */
  @Validate
  public void look() {
    if (put && !filter.mightContainLong(KEY)) {
      throw new AssertionError("a key that was put is gone");
    }
    filter.close();
  }

  /** What is promised. */
  public static class Promise {
    /** Builds. */
    public void build() {}

    /** Puts. */
    public void put() {}

    /** Asks. */
    public boolean ask() {
      return true;
    }
  }
}
