package io.woodbird.stress.model;

import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;

/** Windows whose generations change while a key that is in them is asked for. */
public final class WindowModels {
  private static final long KEY = 0;

  private WindowModels() {}

  /** What is promised: the key is always here. */
  public static class Promise {
    /** Puts. */
    public void turn(int rounds) {}

    /** Asks. */
    public boolean ask() {
      return true;
    }

    /** Asks for several. */
    public boolean askMany() {
      return true;
    }

    /** Asks a copy. */
    public boolean save() {
      return true;
    }
  }

  /**
   * A window of the last seven keys, two in a generation. A round is {@link #KEY} and six others,
   * so it is always one of the last seven. In two rounds it moves to another generation, and the
   * one where it was is cleared.
   */
  public abstract static class Turning {
    final MutableFilter<Long> window = Woodbird.window(Keys.longs(), 7).fpp(0.01).seed(1).build();
    private long next;

    Turning() {
      turn(1);
    }

    /** Puts the keys of some rounds. */
    @Operation(nonParallelGroup = "put")
    public final void turn(@Param(gen = IntGen.class, conf = "1:3") int rounds) {
      for (int i = 0; i < rounds; i++) {
        window.putLong(KEY);
        for (int other = 0; other < 6; other++) {
          window.putLong(++next);
        }
      }
    }
  }

  /** Asks for one key. */
  public static class AskWhileItTurns extends Turning {
    /** Asks. */
    @Operation
    public boolean ask() {
      return window.mightContainLong(KEY);
    }
  }

  /** Asks for several keys at once. */
  public static class AskManyWhileItTurns extends Turning {
    /** Asks. */
    @Operation
    public boolean askMany() {
      long hash = window.hashOf(KEY);
      return window.candidates(new long[] {hash, hash}, 2, new int[2]) == 2;
    }
  }

  /** Saves. */
  public static class SaveWhileItTurns extends Turning {
    /** Saves and asks the copy. */
    @Operation
    public boolean save() {
      try {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        window.writeTo(out);
        return Woodbird.readFrom(new ByteArrayInputStream(out.toByteArray()), Keys.longs())
            .mightContainLong(KEY);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** A generation of a window ends while time passes and a key is put. */
  public static class PutWhileAGenerationEnds {
    private static final long MILLI = 1_000_000;
    private static final long SPAN_MILLIS = 70;
    private static final long PUT_MILLIS = 41;

    private final AtomicLong clock = new AtomicLong();
    private final MutableFilter<Long> window =
        Woodbird.window(Keys.longs(), 100, Duration.ofMillis(SPAN_MILLIS))
            .clock(clock::get)
            .seed(1)
            .build();

    /** The first generation is due to end. */
    public PutWhileAGenerationEnds() {
      window.putLong(1);
      clock.set(11 * MILLI);
    }

    /** Ends it. */
    @Operation(runOnce = true)
    public void end() {
      window.putLong(2);
    }

    /** Puts the key some time later. */
    @Operation(runOnce = true)
    public void put() {
      clock.set(PUT_MILLIS * MILLI);
      window.putLong(KEY);
    }

    /** Asks when the span is nearly over. */
    @Validate
    public void look() {
      if (clock.get() < PUT_MILLIS * MILLI) {
        return; // It was not put.
      }
      for (long time = PUT_MILLIS; time < PUT_MILLIS + SPAN_MILLIS; time++) {
        clock.set(time * MILLI);
        window.putLong(time);
      }
      if (!window.mightContainLong(KEY)) {
        throw new AssertionError("denied before its time");
      }
    }
  }
}
