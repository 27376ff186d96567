package io.woodbird.stress.model;

import io.woodbird.DeletableFilter;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/**
 * Filters of each family that two threads use at once. What the threads are told must be what a set
 * tells that one thread uses, in some order of the calls. The seed is one with which no key of the
 * scenario is a false positive.
 */
public final class FamilyModels {
  /** The keys of a scenario are 1 to 3. */
  private static final String KEYS = "1:3";

  private FamilyModels() {}

  private static boolean isInACopyOf(MutableFilter<Long> filter, long key) {
    try {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      filter.writeTo(out);
      return Woodbird.readFrom(new ByteArrayInputStream(out.toByteArray()), Keys.longs())
          .mightContainLong(key);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What one thread may expect: a number for each key. */
  public static class Counted {
    private final Map<Integer, Integer> counts = new HashMap<>();

    /** Puts. */
    public boolean put(int key) {
      return counts.merge(key, 1, Integer::sum) == 1;
    }

    /** Removes. */
    public boolean remove(int key) {
      boolean here = ask(key);
      if (here) {
        counts.merge(key, -1, Integer::sum);
      }
      return here;
    }

    /** Asks. */
    public boolean ask(int key) {
      return counts.getOrDefault(key, 0) > 0;
    }

    /** Asks a copy. */
    public boolean save(int key) {
      return ask(key);
    }

    /** Puts many other keys. */
    public void grow() {}
  }

  /** A filter that only takes keys. */
  public abstract static class Mutable {
    private final MutableFilter<Long> filter;

    Mutable(MutableFilter<Long> filter) {
      this.filter = filter;
    }

    /** Puts; true if the key was new. */
    @Operation
    public boolean put(@Param(gen = IntGen.class, conf = KEYS) int key) {
      return filter.putLong(key);
    }

    /** Asks. */
    @Operation
    public boolean ask(@Param(gen = IntGen.class, conf = KEYS) int key) {
      return filter.mightContainLong(key);
    }

    /** Saves and asks what was saved. */
    @Operation
    public boolean save(@Param(gen = IntGen.class, conf = KEYS) int key) {
      return isInACopyOf(filter, key);
    }
  }

  /** A filter whose keys can also be removed. */
  public abstract static class Deletable extends Mutable {
    private final DeletableFilter<Long> filter;

    Deletable(DeletableFilter<Long> filter) {
      super(filter);
      this.filter = filter;
    }

    /** Removes; true if the key was here. */
    @Operation
    public boolean remove(@Param(gen = IntGen.class, conf = KEYS) int key) {
      return filter.removeLong(key);
    }
  }

  /** A blocked Bloom filter of one block for each key. */
  public static class Bloom extends Mutable {
    /** Makes it. */
    public Bloom() {
      super(Woodbird.bloom(Keys.longs(), 8).fpp(0.01).seed(1).build());
    }
  }

  /** One of two blocks for each key. */
  public static class BloomOfPairs extends Mutable {
    /** Makes it. */
    public BloomOfPairs() {
      super(Woodbird.bloom(Keys.longs(), 8).fpp(1e-5).seed(1).build());
    }
  }

  /** A counting Bloom filter. */
  public static class Counting extends Deletable {
    /** Makes it. */
    public Counting() {
      super(Woodbird.deletable(Keys.longs(), 8).counting().fpp(0.001).seed(1).build());
    }
  }

  /** A quotient filter. */
  public static class Quotient extends Deletable {
    /** Makes it. */
    public Quotient() {
      super(Woodbird.deletable(Keys.longs(), 8).fpp(0.001).seed(1).build());
    }
  }

  /** A quotient filter that grows. */
  public static class Growing extends Deletable {
    private final MutableFilter<Long> filter;

    /** Makes it, full to the brim. */
    public Growing() {
      this(Woodbird.growing(Keys.longs()).fpp(0.001).seed(1).build());
    }

    private Growing(DeletableFilter<Long> filter) {
      super(filter);
      this.filter = filter;
      fill(1_000, 50);
    }

    private void fill(long from, int count) {
      for (long key = from; key < from + count; key++) {
        filter.putLong(key);
      }
    }

    /** Lets it grow. */
    @Operation(runOnce = true)
    public void grow() {
      fill(2_000, 20);
    }
  }
}
