package io.woodbird;

import io.woodbird.file.FileWriter;
import io.woodbird.layout.FamilySize;
import io.woodbird.layout.FamilySize.Size;
import io.woodbird.layout.FrozenSize;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares the families of filters for a number of keys: how large each is for an fpp, or which fpp
 * each reaches in a budget of bytes.
 *
 * <pre>{@code
 * Woodbird.plan(2_000_000_000L).maxBytes(500_000_000).plans().forEach(System.out::println);
 * }</pre>
 */
public final class Planner {
  /** What a filter must be able to do. */
  public enum Need {
    /** Take keys one by one. */
    PUT,
    /** Remove keys. */
    DELETE,
    /** Take more keys than planned. */
    GROW,
    /** Let keys expire. */
    WINDOW
  }

  /** 2^50: up to here no size of any family overflows a long. */
  private static final long MAX_KEYS = 1L << 50;

  private final long keys;
  private double fpp = 0.01;
  private long maxBytes;
  private int valueBits;
  private long others = -1;
  private final EnumSet<Need> needs = EnumSet.noneOf(Need.class);

  Planner(long keys) {
    this.keys = Parameters.atMost("keys", MAX_KEYS, Parameters.positive("keys", keys));
  }

  /**
   * Plans for an fpp; 1 % by default.
   *
   * @param value above 0 and below 1
   * @return this
   */
  public Planner fpp(double value) {
    fpp = Parameters.reachable(keys, Parameters.probability("fpp", value));
    maxBytes = 0;
    return this;
  }

  /**
   * Plans for a budget instead: the lowest fpp that fits.
   *
   * @param value the bytes of the file, all in all
   * @return this
   */
  public Planner maxBytes(long value) {
    maxBytes = Parameters.positive("maxBytes", value);
    return this;
  }

  /**
   * Plans a {@linkplain Woodbird#frozenMap map} instead, for the {@link #fpp} of its strangers.
   *
   * @param bits of a value, from 1 to 64
   * @return this
   */
  public Planner values(int bits) {
    if (bits < 1 || bits > 64) {
      throw new IllegalArgumentException("bits must be from 1 to 64: " + bits);
    }
    valueBits = bits;
    return this;
  }

  /**
   * Plans a frozen filter that is {@linkplain FrozenBuilder#exactAgainst exact} instead, as small
   * as it can be.
   *
   * @param known how many others it knows
   * @return this
   */
  public Planner exactAgainst(long known) {
    others = Parameters.atMost("others", MAX_KEYS, Parameters.positive("others", known));
    return this;
  }

  /**
   * Leaves out the families that can't do this; without needs, all keys are known beforehand.
   *
   * @param more what the filter must be able to do
   * @return this
   */
  public Planner needs(Need... more) {
    needs.addAll(List.of(more));
    return this;
  }

  /**
   * Sizes each family that serves the needs.
   *
   * @return the plans, smallest first for an fpp, lowest fpp first for a budget; families that
   *     can't be so small are left out
   */
  public List<FilterPlan> plans() {
    if (others >= 0 || valueBits > 0) {
      String family = others >= 0 ? "exact" : "map";
      Size size =
          others >= 0
              ? FrozenSize.exact(keys, others, 1)
              : FrozenSize.map(keys, Math.max(fpp, 0x1p-32), valueBits);
      return size == null ? List.of() : List.of(plan(family, size));
    }
    List<FilterPlan> plans = new ArrayList<>();
    for (FamilySize family : FamilySize.values()) {
      if (abilities(family).containsAll(needs)) {
        Size size = size(family);
        if (size != null) {
          plans.add(plan(family.family(), size));
        }
      }
    }
    Comparator<FilterPlan> order = Comparator.comparingLong(FilterPlan::bytes);
    plans.sort(maxBytes == 0 ? order : Comparator.comparingDouble(FilterPlan::fpp));
    return plans;
  }

  private FilterPlan plan(String family, Size size) {
    return new FilterPlan(family, keys, size.fpp(), size.bits(), fileBytes(size.bits()));
  }

  private @Nullable Size size(FamilySize family) {
    return maxBytes == 0
        ? family.forFpp(keys, fpp)
        : family.forBits(keys, 64 * FileWriter.dataWords(maxBytes));
  }

  /**
   * {@return the bits per key that no structure can do without} They are those for the fpp asked
   * for, or all that the budget gives; with {@link #values} their bits too, with {@link
   * #exactAgainst} those that tell the keys from the others.
   */
  public double limitBitsPerKey() {
    if (others >= 0) {
      double all = (double) keys + others;
      return (all * log2(all) - keys * log2(keys) - others * log2(others)) / keys;
    }
    if (valueBits > 0) {
      return valueBits - log2(fpp);
    }
    return maxBytes == 0 ? -Math.log(fpp) / Math.log(2) : 8.0 * maxBytes / keys;
  }

  private static double log2(double x) {
    return Math.log(x) / Math.log(2);
  }

  /**
   * {@return the fpp that no structure can go below: the one asked for, or what the budget allows}
   * It is 2 to the power of minus {@link #limitBitsPerKey}.
   */
  public double limitFpp() {
    return Math.pow(2, -limitBitsPerKey());
  }

  /** {@return what is possible, in a few lines for people} */
  public String explain() {
    StringBuilder text = new StringBuilder();
    if (maxBytes > 0) {
      text.append(
          String.format(
              Locale.ROOT,
              "%,d bytes for %,d keys are %.2f bits a key: no structure can go below an fpp of %s.%n",
              maxBytes,
              keys,
              limitBitsPerKey(),
              percent(limitFpp())));
    } else {
      text.append(
          String.format(
              Locale.ROOT,
              "%,d keys at an fpp of %s: no structure can take less than %.2f bits a key, %,d"
                  + " bytes.%n",
              keys,
              percent(fpp),
              limitBitsPerKey(),
              (long) Math.ceil(limitBitsPerKey() * keys / 8)));
    }
    List<FilterPlan> plans = plans();
    plans.forEach(plan -> text.append("  ").append(plan).append(System.lineSeparator()));
    if (plans.isEmpty()) {
      text.append("  None of the families can be so small.").append(System.lineSeparator());
    }
    if (maxBytes > 0 && !plans.isEmpty() && plans.get(0).fpp() > 0.01) {
      for (double wanted : new double[] {0.01, 0.001}) {
        FilterPlan least =
            new Planner(keys).needs(needs.toArray(Need[]::new)).fpp(wanted).plans().get(0);
        text.append(
            String.format(
                Locale.ROOT,
                "For %s: %,d bytes (%s).%n",
                percent(wanted),
                least.bytes(),
                least.family()));
      }
    }
    return text.toString();
  }

  private static String percent(double fpp) {
    return String.format(Locale.ROOT, "%.3g %%", 100 * fpp);
  }

  static long fileBytes(long bits) {
    return FileWriter.sizeInBytes((bits + 63) / 64 * 8);
  }

  private static Set<Need> abilities(FamilySize family) {
    return switch (family) {
      case BLOOM, BLOOM_CLASSIC -> EnumSet.of(Need.PUT);
      case RIBBON, FUSE -> EnumSet.noneOf(Need.class);
      case DELETABLE, COUNTING -> EnumSet.of(Need.PUT, Need.DELETE);
      case GROWING -> EnumSet.of(Need.PUT, Need.DELETE, Need.GROW);
      case WINDOW -> EnumSet.of(Need.PUT, Need.WINDOW);
    };
  }
}
