package io.woodbird.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import io.woodbird.MergeableFilter;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A key that is in all the time, while the filter moves it. Only "here" is allowed. */
public final class HandOverStress {
  private static final long KEY = 1_000_000;
  private static final int LAST_KEYS = 8;
  private static final int ASKED = 50;

  private HandOverStress() {}

  /** A window of the last eight keys in which {@link #KEY} is one of the older ones. */
  abstract static class Window {
    final MutableFilter<Long> window =
        Woodbird.window(Keys.longs(), LAST_KEYS).fpp(0.001).seed(1).build();

    Window() {
      for (long key = 0; key < 12; key++) {
        window.putLong(key);
      }
      window.putLong(KEY);
      for (long key = 20; key < 27; key++) {
        window.putLong(key);
      }
    }

    /** Puts the key again, and then enough others to clear the slot where it was. */
    final void turn() {
      window.putLong(KEY);
      for (long key = 30; key < 37; key++) {
        window.putLong(key);
      }
    }
  }

  /** The key moves to a younger generation while it is asked for. */
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "here")
  @State
  public static class AskWhileAWindowTurns extends Window {
    /** Puts. */
    @Actor
    public void put() {
      turn();
    }

    /** Asks as long as the window turns. */
    @Actor
    public void ask(Z_Result result) {
      boolean here = true;
      for (int i = 0; i < ASKED; i++) {
        here &= window.mightContainLong(KEY);
      }
      result.r1 = here;
    }
  }

  /** The same among several keys. */
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "here")
  @State
  public static class AskManyWhileAWindowTurns extends Window {
    /** Puts. */
    @Actor
    public void put() {
      turn();
    }

    /** Asks. */
    @Actor
    public void ask(Z_Result result) {
      long[] hashes = new long[ASKED];
      Arrays.fill(hashes, window.hashOf(KEY));
      result.r1 = window.candidates(hashes, ASKED, new int[ASKED]) == ASKED;
    }
  }

  /** A window is saved while it turns. */
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "here")
  @State
  public static class SaveWhileAWindowTurns extends Window {
    /** Puts. */
    @Actor
    public void put() {
      turn();
    }

    /** Saves and asks the copy. */
    @Actor
    public void save(Z_Result result) {
      try {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        window.writeTo(out);
        result.r1 =
            Woodbird.readFrom(new ByteArrayInputStream(out.toByteArray()), Keys.longs())
                .mightContainLong(KEY);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** A shard of a growing filter splits while one of its keys is asked for. */
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "here")
  @State
  public static class AskWhileAFilterGrows {
    private final MergeableFilter<Long> filter =
        Woodbird.growing(Keys.longs()).fpp(0.01).seed(1).build();

    /** Fills it to the brim. */
    public AskWhileAFilterGrows() {
      filter.putLong(KEY);
      for (long key = 0; key < 50; key++) {
        filter.putLong(key);
      }
    }

    /** Lets it grow twice. */
    @Actor
    public void put() {
      for (long key = 100; key < 200; key++) {
        filter.putLong(key);
      }
    }

    /** Asks. */
    @Actor
    public void ask(Z_Result result) {
      result.r1 = filter.mightContainLong(KEY);
    }
  }

  /** Two threads put other keys while the shards of a growing filter split. */
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "all are here")
  @State
  public static class PutWhileAFilterGrows {
    private final MergeableFilter<Long> filter =
        Woodbird.growing(Keys.longs()).fpp(0.01).seed(1).build();

    /** Fills it to the brim. */
    public PutWhileAFilterGrows() {
      put(0);
    }

    private void put(long first) {
      for (long key = first; key < first + 50; key++) {
        filter.putLong(key);
      }
    }

    /** One thread. */
    @Actor
    public void first() {
      put(100);
    }

    /** The other. */
    @Actor
    public void second() {
      put(200);
    }

    /** Looks when both have ended. */
    @Arbiter
    public void look(Z_Result result) {
      boolean all = true;
      for (long first = 0; first <= 200; first += 100) {
        for (long key = first; key < first + 50; key++) {
          all &= filter.mightContainLong(key);
        }
      }
      result.r1 = all;
    }
  }

  /** A generation of a window ends while time passes and a key is put. */
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "here for the whole span")
  @State
  public static class PutWhileAGenerationEnds {
    private static final long MILLI = 1_000_000;
    private static final long SPAN_MILLIS = 70;
    private static final long PUT_MILLIS = 41;

    private final AtomicLong clock = new AtomicLong();
    private final MutableFilter<Long> window =
        Woodbird.window(Keys.longs(), 1_000, Duration.ofMillis(SPAN_MILLIS))
            .clock(clock::get)
            .seed(1)
            .build();

    /** The first generation is due to end. */
    public PutWhileAGenerationEnds() {
      window.putLong(1);
      clock.set(11 * MILLI);
    }

    /** Ends it. */
    @Actor
    public void turn() {
      window.putLong(2);
    }

    /** Puts the key some time later. */
    @Actor
    public void put() {
      clock.set(PUT_MILLIS * MILLI);
      window.putLong(KEY);
    }

    /** Asks when the span is nearly over. */
    @Arbiter
    public void look(Z_Result result) {
      for (long time = PUT_MILLIS; time < PUT_MILLIS + SPAN_MILLIS; time++) {
        clock.set(time * MILLI);
        window.putLong(time);
      }
      result.r1 = window.mightContainLong(KEY);
    }
  }
}
