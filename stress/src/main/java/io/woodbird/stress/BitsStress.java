package io.woodbird.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import io.woodbird.BloomBuilder;
import io.woodbird.BloomFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.words.HeapWords;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;
import org.openjdk.jcstress.infra.results.ZZZ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Bits that two threads set at once. Whatever is not listed is forbidden. */
public final class BitsStress {
  private BitsStress() {}

  /** Two bits of one word: none is lost. */
  @JCStressTest
  @Outcome(id = "3", expect = ACCEPTABLE, desc = "both are set")
  @State
  public static class TwoBitsOfOneWord {
    private final HeapWords words = new HeapWords(8);

    /** One thread. */
    @Actor
    public void first() {
      words.setBits(HeapWords.index(0), 1);
    }

    /** The other. */
    @Actor
    public void second() {
      words.setBits(HeapWords.index(0), 2);
    }

    /** Looks when both have ended. */
    @Arbiter
    public void look(J_Result result) {
      result.r1 = words.get(0);
    }
  }

  /** What may come out when two threads put one key, and a third asks for it later. */
  @Outcome(
      id = {"true, false, true", "false, true, true", "false, false, true"},
      expect = ACCEPTABLE,
      desc = "at most one is told that it was new")
  public static class OneKeyOutcomes {}

  private static BloomBuilder<Long> builder(double fpp) {
    return Woodbird.bloom(Keys.longs(), 1).fpp(fpp).seed(1);
  }

  /** Two words of a block: at most one thread is told that the key was new. */
  @JCStressTest
  @JCStressMeta(OneKeyOutcomes.class)
  @State
  public static class OneKeyInTwoWords {
    private final BloomFilter<Long> filter = builder(0.03).build();

    /** One thread. */
    @Actor
    public void first(ZZZ_Result result) {
      result.r1 = filter.putLong(7);
    }

    /** The other. */
    @Actor
    public void second(ZZZ_Result result) {
      result.r2 = filter.putLong(7);
    }

    /** Looks when both have ended. */
    @Arbiter
    public void look(ZZZ_Result result) {
      result.r3 = filter.mightContainLong(7);
    }
  }

  /** Two blocks. (jcstress finds actors in the class of a test only, so that they are repeated.) */
  @JCStressTest
  @JCStressMeta(OneKeyOutcomes.class)
  @State
  public static class OneKeyInTwoBlocks {
    private final BloomFilter<Long> filter = builder(1e-5).build();

    /** One thread. */
    @Actor
    public void first(ZZZ_Result result) {
      result.r1 = filter.putLong(7);
    }

    /** The other. */
    @Actor
    public void second(ZZZ_Result result) {
      result.r2 = filter.putLong(7);
    }

    /** Looks when both have ended. */
    @Arbiter
    public void look(ZZZ_Result result) {
      result.r3 = filter.mightContainLong(7);
    }
  }

  /** Single bits, anywhere. */
  @JCStressTest
  @JCStressMeta(OneKeyOutcomes.class)
  @State
  public static class OneKeyInTheClassicLayout {
    private final BloomFilter<Long> filter = builder(0.01).classic().build();

    /** One thread. */
    @Actor
    public void first(ZZZ_Result result) {
      result.r1 = filter.putLong(7);
    }

    /** The other. */
    @Actor
    public void second(ZZZ_Result result) {
      result.r2 = filter.putLong(7);
    }

    /** Looks when both have ended. */
    @Arbiter
    public void look(ZZZ_Result result) {
      result.r3 = filter.mightContainLong(7);
    }
  }

  /** Who is told that a key is new can tell another through the filter itself. */
  @JCStressTest
  @Outcome(
      id = {"false, false", "false, true", "true, true"},
      expect = ACCEPTABLE,
      desc = "a key that was seen once stays")
  @State
  public static class SeenOnceIsSeenAgain {
    private final BloomFilter<Long> filter = Woodbird.bloom(Keys.longs(), 1).seed(1).build();

    /** Puts. */
    @Actor
    public void put() {
      filter.putLong(7);
    }

    /** Asks twice. */
    @Actor
    public void ask(ZZ_Result result) {
      result.r1 = filter.mightContainLong(7);
      result.r2 = filter.mightContainLong(7);
    }
  }
}
