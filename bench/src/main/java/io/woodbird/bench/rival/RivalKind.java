package io.woodbird.bench.rival;

import static io.woodbird.bench.rival.WoodbirdRival.classic;
import static io.woodbird.bench.rival.WoodbirdRival.onDisk;
import static io.woodbird.bench.rival.WoodbirdRival.onHeap;
import static io.woodbird.bench.rival.WoodbirdRival.window;

import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.util.List;
import java.util.Locale;
import org.fastfilter.xor.Xor16;
import org.fastfilter.xor.Xor8;
import org.fastfilter.xor.XorFuse8;

/** Who is compared. Where nothing else is said, all are asked for an fpp of {@link #FPP}. */
public enum RivalKind {
  /** Our Bloom filter, one key at a time. */
  WOODBIRD,

  /** The same filter, asked for {@link Rival#CHUNK} keys at once. */
  WOODBIRD_BATCH,

  /** The same filter from its file; mapped if that is above 16 MiB, some 13 million keys. */
  WOODBIRD_MAPPED,

  /** Both. */
  WOODBIRD_MAPPED_BATCH,

  /** Our smallest Bloom filter. */
  WOODBIRD_CLASSIC,

  /** Our smallest frozen filter, built from all keys on one thread. */
  WOODBIRD_RIBBON,

  /** The same filter at the fpp of eight bits, to be compared with the next but one. */
  WOODBIRD_RIBBON_8,

  /** The same filter, asked in batches. */
  WOODBIRD_RIBBON_BATCH,

  /** Our frozen filter that is fast to ask; eight bits, 0.39 %, if nothing is said. */
  WOODBIRD_FUSE,

  /** The same filter, asked in batches. */
  WOODBIRD_FUSE_BATCH,

  /** Our map from longs to one bit, with a check of 2^-7: as many bits as the one of eight. */
  WOODBIRD_MAP_1,

  /** The same with values of four bits. */
  WOODBIRD_MAP_4,

  /** The same with values of sixteen bits. */
  WOODBIRD_MAP_16,

  /** Our smallest frozen filter at the fpp of eleven bits. */
  WOODBIRD_RIBBON_11,

  /** The same at the fpp of 23 bits. */
  WOODBIRD_RIBBON_23,

  /** Our quotient filter, whose keys can be removed. */
  WOODBIRD_QUOTIENT,

  /** Our counting Bloom filter, whose keys can be removed too. */
  WOODBIRD_COUNTING,

  /** Our filter that forgets. */
  WOODBIRD_WINDOW,

  /** Guava's BloomFilter with its long and UTF-8 funnels. */
  GUAVA,

  /** fastfilter's BlockedBloom at 11 bits per key, which gives 0.96 %. Not thread-safe. */
  FASTFILTER_BLOCKED,

  /** fastfilter's Bloom. Not thread-safe. */
  FASTFILTER_BLOOM,

  /** fastfilter's Xor8: built once from all keys, and 0.39 % whatever one asks for. */
  FASTFILTER_XOR8,

  /** fastfilter's Xor16: 0.0015 % whatever one asks for. */
  FASTFILTER_XOR16,

  /** fastfilter's XorFuse8: smaller than Xor8, and 0.39 % whatever one asks for. */
  FASTFILTER_XORFUSE8,

  /** Spark's sketch BloomFilter. Not thread-safe. */
  SPARK,

  /** DataSketches' BloomFilter. Not thread-safe; Strings on Java 17 only, with an option. */
  DATASKETCHES,

  /** Commons Collections' SimpleBloomFilter. Not thread-safe. */
  COMMONS,

  /** Baqend's (Orestes) BloomFilter, with its default hash. Synchronized. */
  BAQEND,

  /** Hutool's BitSetBloomFilter, with its own eight hash functions; no longs. Not thread-safe. */
  HUTOOL,

  /** java.util.HashSet: exact, and what a filter saves the memory of. Not thread-safe. */
  HASHSET;

  /** The false positive probability that everyone is asked for. */
  public static final double FPP = 0.01;

  /** What eight bits of a fingerprint give. */
  private static final double EIGHT_BITS = 1 / 256.0;

  /** The check of a map: seven bits. */
  private static final double MAP_CHECK = 1 / 128.0;

  private static final String FOREIGN = "jdk.incubator.foreign";

  /** Makes an empty set for {@code n} longs. */
  public Rival<long[]> longs(long n) {
    return longs(n, usualFpp());
  }

  /** Makes an empty set for {@code n} longs that is asked for an fpp, if it can be. */
  public Rival<long[]> longs(long n, double fpp) {
    return switch (this) {
      case WOODBIRD -> new WoodbirdRival.Longs(onHeap(Keys.longs(), n, fpp));
      case WOODBIRD_BATCH -> new WoodbirdRival.LongBatches(onHeap(Keys.longs(), n, fpp));
      case WOODBIRD_MAPPED -> new WoodbirdRival.Longs(onDisk(Keys.longs(), n, fpp));
      case WOODBIRD_MAPPED_BATCH -> new WoodbirdRival.LongBatches(onDisk(Keys.longs(), n, fpp));
      case WOODBIRD_CLASSIC -> new WoodbirdRival.Longs(classic(Keys.longs(), n, fpp));
      case WOODBIRD_RIBBON, WOODBIRD_RIBBON_8, WOODBIRD_RIBBON_11, WOODBIRD_RIBBON_23 ->
          new FrozenRival.Longs(n, fpp, false, false);
      case WOODBIRD_MAP_1 -> new MapRival(n, fpp, 1);
      case WOODBIRD_MAP_4 -> new MapRival(n, fpp, 4);
      case WOODBIRD_MAP_16 -> new MapRival(n, fpp, 16);
      case WOODBIRD_RIBBON_BATCH -> new FrozenRival.Longs(n, fpp, false, true);
      case WOODBIRD_FUSE -> new FrozenRival.Longs(n, fpp, true, false);
      case WOODBIRD_FUSE_BATCH -> new FrozenRival.Longs(n, fpp, true, true);
      case WOODBIRD_QUOTIENT ->
          new DeletableRival.Longs(Woodbird.deletable(Keys.longs(), n).fpp(fpp));
      case WOODBIRD_COUNTING ->
          new DeletableRival.Longs(Woodbird.deletable(Keys.longs(), n).fpp(fpp).counting());
      case WOODBIRD_WINDOW -> new WoodbirdRival.Longs(window(Keys.longs(), n, fpp));
      case GUAVA -> new GuavaRival.Longs(n, fpp);
      case FASTFILTER_BLOCKED -> FastfilterRival.blocked(n, fpp);
      case FASTFILTER_BLOOM -> FastfilterRival.bloom(n, fpp);
      case FASTFILTER_XOR8 -> new XorRival<>(n, Xor8::construct);
      case FASTFILTER_XOR16 -> new XorRival<>(n, Xor16::construct);
      case FASTFILTER_XORFUSE8 -> new XorRival<>(n, XorFuse8::construct);
      case SPARK -> new SparkRival.Longs(n, fpp);
      case DATASKETCHES -> new DatasketchesRival.Longs(n, fpp);
      case COMMONS -> new CommonsRival.Longs(n, fpp);
      case BAQEND -> new BaqendRival.Longs(n, fpp);
      case HUTOOL -> throw new IllegalStateException(label() + " takes Strings only");
      case HASHSET -> new HashSetRival.Longs();
    };
  }

  /** Makes an empty set for {@code n} Strings. */
  public Rival<String[]> strings(long n) {
    return strings(n, usualFpp());
  }

  /** Makes an empty set for {@code n} Strings that is asked for an fpp, if it can be. */
  public Rival<String[]> strings(long n, double fpp) {
    if (!takesStrings()) {
      throw new IllegalStateException(
          label() + " takes no Strings, or on Java 17 with --add-modules " + FOREIGN + " only");
    }
    return switch (this) {
      case WOODBIRD -> new WoodbirdRival.Strings(onHeap(Keys.strings(), n, fpp));
      case WOODBIRD_BATCH -> new WoodbirdRival.StringBatches(onHeap(Keys.strings(), n, fpp));
      case WOODBIRD_MAPPED -> new WoodbirdRival.Strings(onDisk(Keys.strings(), n, fpp));
      case WOODBIRD_MAPPED_BATCH -> new WoodbirdRival.StringBatches(onDisk(Keys.strings(), n, fpp));
      case WOODBIRD_CLASSIC -> new WoodbirdRival.Strings(classic(Keys.strings(), n, fpp));
      case WOODBIRD_RIBBON,
          WOODBIRD_RIBBON_8,
          WOODBIRD_RIBBON_11,
          WOODBIRD_RIBBON_23,
          WOODBIRD_RIBBON_BATCH ->
          new FrozenRival.Strings(n, fpp, false);
      case WOODBIRD_FUSE, WOODBIRD_FUSE_BATCH -> new FrozenRival.Strings(n, fpp, true);
      case WOODBIRD_QUOTIENT ->
          new DeletableRival.Strings(Woodbird.deletable(Keys.strings(), n).fpp(fpp));
      case WOODBIRD_COUNTING ->
          new DeletableRival.Strings(Woodbird.deletable(Keys.strings(), n).fpp(fpp).counting());
      case WOODBIRD_WINDOW -> new WoodbirdRival.Strings(window(Keys.strings(), n, fpp));
      case GUAVA -> new GuavaRival.Strings(n, fpp);
      case FASTFILTER_BLOCKED,
          FASTFILTER_BLOOM,
          FASTFILTER_XOR8,
          FASTFILTER_XOR16,
          FASTFILTER_XORFUSE8 ->
          new HashedStrings((LongRival) longs(n, fpp));
      case SPARK -> new SparkRival.Strings(n, fpp);
      case DATASKETCHES -> new DatasketchesRival.Strings(n, fpp);
      case COMMONS -> new CommonsRival.Strings(n, fpp);
      case BAQEND -> new BaqendRival.Strings(n, fpp);
      case WOODBIRD_MAP_1, WOODBIRD_MAP_4, WOODBIRD_MAP_16 ->
          throw new IllegalStateException(label() + " takes longs only");
      case HUTOOL -> new HutoolRival(n, fpp);
      case HASHSET -> new HashSetRival.Strings();
    };
  }

  private double usualFpp() {
    return switch (this) {
      case WOODBIRD_RIBBON_8, WOODBIRD_FUSE, WOODBIRD_FUSE_BATCH -> EIGHT_BITS;
      case WOODBIRD_MAP_1, WOODBIRD_MAP_4, WOODBIRD_MAP_16 -> MAP_CHECK;
      case WOODBIRD_RIBBON_11 -> 0x1p-11;
      case WOODBIRD_RIBBON_23 -> 0x1p-23;
      default -> FPP;
    };
  }

  /** Whether it can take Strings in a JVM that runs as this one does. */
  public boolean takesStrings() {
    return switch (this) {
      case DATASKETCHES -> ModuleLayer.boot().findModule(FOREIGN).isPresent();
      case WOODBIRD_MAP_1, WOODBIRD_MAP_4, WOODBIRD_MAP_16 -> false;
      default -> true;
    };
  }

  /** Whether it can take longs. */
  public boolean takesLongs() {
    return this != HUTOOL;
  }

  /** The options a JVM of this version needs, for Strings too where that is possible. */
  public List<String> jvmOptions() {
    boolean needed = this == DATASKETCHES && Runtime.version().feature() == 17;
    return needed ? List.of("--add-modules", FOREIGN) : List.of();
  }

  /** Whether it answers from a file. */
  public boolean mapped() {
    return this == WOODBIRD_MAPPED || this == WOODBIRD_MAPPED_BATCH;
  }

  /** Whether it is built once from all keys. */
  public boolean frozen() {
    return switch (this) {
      case WOODBIRD_RIBBON,
          WOODBIRD_RIBBON_8,
          WOODBIRD_RIBBON_11,
          WOODBIRD_RIBBON_23,
          WOODBIRD_RIBBON_BATCH,
          WOODBIRD_MAP_1,
          WOODBIRD_MAP_4,
          WOODBIRD_MAP_16,
          WOODBIRD_FUSE,
          WOODBIRD_FUSE_BATCH,
          FASTFILTER_XOR8,
          FASTFILTER_XOR16,
          FASTFILTER_XORFUSE8 ->
          true;
      default -> false;
    };
  }

  /** Whether its size follows from the fpp that one asks for. */
  public boolean takesFpp() {
    return switch (this) {
      case FASTFILTER_XOR8, FASTFILTER_XOR16, FASTFILTER_XORFUSE8, HASHSET -> false;
      default -> true;
    };
  }

  /** Whether keys are put one after another, and not all at once in {@link Rival#finish}. */
  public boolean takesKeysOneByOne() {
    return !frozen() && !mapped();
  }

  /** Whether a question takes so long that fewer must do to measure its fpp. */
  public boolean slowToAsk() {
    return this == HUTOOL || this == BAQEND;
  }

  /**
   * The most bits per key that it may take, if it is one of ours. A window takes 17.4 from a
   * million keys on, and a little more for fewer.
   */
  public double mostBitsPerKey() {
    return switch (this) {
      case WOODBIRD_COUNTING -> 4 * 10.4;
      case WOODBIRD_WINDOW -> 17.8;
      case WOODBIRD_MAP_4, WOODBIRD_RIBBON_11 -> 1.01 * 11;
      case WOODBIRD_MAP_16, WOODBIRD_RIBBON_23 -> 1.01 * 23;
      default -> 10.4;
    };
  }

  /** Whether it is one of ours. */
  public boolean ours() {
    return name().startsWith(WOODBIRD.name());
  }

  /** The name in reports, such as "woodbird-batch". */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Finds a rival by its label. */
  public static RivalKind of(String label) {
    return valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
