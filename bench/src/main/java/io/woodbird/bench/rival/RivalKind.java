package io.woodbird.bench.rival;

import static io.woodbird.BloomLayout.BLOCKED;
import static io.woodbird.BloomLayout.CLASSIC;
import static io.woodbird.DeletableLayout.COUNTING;
import static io.woodbird.DeletableLayout.QUOTIENT;
import static io.woodbird.bench.rival.WoodbirdRival.onDisk;
import static io.woodbird.bench.rival.WoodbirdRival.onHeap;

import io.woodbird.key.Keys;
import java.util.List;
import java.util.Locale;

/** Who is compared. All are asked for a false positive probability of {@link #FPP}. */
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

  /** Our quotient filter, which gives keys back. */
  WOODBIRD_QUOTIENT,

  /** Our counting Bloom filter, which gives keys back too. */
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

  /** Spark's sketch BloomFilter. Not thread-safe. */
  SPARK,

  /** DataSketches' BloomFilter. Not thread-safe; Strings on Java 17 only, with an option. */
  DATASKETCHES,

  /** Commons Collections' SimpleBloomFilter. Not thread-safe. */
  COMMONS,

  /** java.util.HashSet: exact, and what a filter saves the memory of. Not thread-safe. */
  HASHSET;

  /** The false positive probability that everyone is asked for. */
  public static final double FPP = 0.01;

  private static final String FOREIGN = "jdk.incubator.foreign";

  /** Makes an empty set for {@code n} longs. */
  public Rival<long[]> longs(long n) {
    return switch (this) {
      case WOODBIRD -> new WoodbirdRival.Longs(onHeap(Keys.longs(), n, BLOCKED));
      case WOODBIRD_BATCH -> new WoodbirdRival.LongBatches(onHeap(Keys.longs(), n, BLOCKED));
      case WOODBIRD_MAPPED -> new WoodbirdRival.Longs(onDisk(Keys.longs(), n));
      case WOODBIRD_MAPPED_BATCH -> new WoodbirdRival.LongBatches(onDisk(Keys.longs(), n));
      case WOODBIRD_CLASSIC -> new WoodbirdRival.Longs(onHeap(Keys.longs(), n, CLASSIC));
      case WOODBIRD_QUOTIENT -> new DeletableRival.Longs(n, QUOTIENT);
      case WOODBIRD_COUNTING -> new DeletableRival.Longs(n, COUNTING);
      case WOODBIRD_WINDOW -> new WindowRival.Longs(n);
      case GUAVA -> new GuavaRival.Longs(n);
      case FASTFILTER_BLOCKED -> FastfilterRival.blocked(n);
      case FASTFILTER_BLOOM -> FastfilterRival.bloom(n);
      case FASTFILTER_XOR8 -> new XorRival(n);
      case SPARK -> new SparkRival.Longs(n);
      case DATASKETCHES -> new DatasketchesRival.Longs(n);
      case COMMONS -> new CommonsRival.Longs(n);
      case HASHSET -> new HashSetRival.Longs();
    };
  }

  /** Makes an empty set for {@code n} Strings. */
  public Rival<String[]> strings(long n) {
    if (!takesStrings()) {
      throw new IllegalStateException(
          label() + " takes Strings on Java 17 with --add-modules " + FOREIGN + " only");
    }
    return switch (this) {
      case WOODBIRD -> new WoodbirdRival.Strings(onHeap(Keys.strings(), n, BLOCKED));
      case WOODBIRD_BATCH -> new WoodbirdRival.StringBatches(onHeap(Keys.strings(), n, BLOCKED));
      case WOODBIRD_MAPPED -> new WoodbirdRival.Strings(onDisk(Keys.strings(), n));
      case WOODBIRD_MAPPED_BATCH -> new WoodbirdRival.StringBatches(onDisk(Keys.strings(), n));
      case WOODBIRD_CLASSIC -> new WoodbirdRival.Strings(onHeap(Keys.strings(), n, CLASSIC));
      case WOODBIRD_QUOTIENT -> new DeletableRival.Strings(n, QUOTIENT);
      case WOODBIRD_COUNTING -> new DeletableRival.Strings(n, COUNTING);
      case WOODBIRD_WINDOW -> new WindowRival.Strings(n);
      case GUAVA -> new GuavaRival.Strings(n);
      case FASTFILTER_BLOCKED -> new HashedStrings(FastfilterRival.blocked(n));
      case FASTFILTER_BLOOM -> new HashedStrings(FastfilterRival.bloom(n));
      case FASTFILTER_XOR8 -> new HashedStrings(new XorRival(n));
      case SPARK -> new SparkRival.Strings(n);
      case DATASKETCHES -> new DatasketchesRival.Strings(n);
      case COMMONS -> new CommonsRival.Strings(n);
      case HASHSET -> new HashSetRival.Strings();
    };
  }

  /** Whether it can take Strings in a JVM that runs as this one does. */
  public boolean takesStrings() {
    return this != DATASKETCHES || ModuleLayer.boot().findModule(FOREIGN).isPresent();
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

  /** Whether keys are put one after another, and not all at once in {@link Rival#finish}. */
  public boolean takesKeysOneByOne() {
    return this != FASTFILTER_XOR8 && !mapped();
  }

  /**
   * The most bits per key that it may take, if it is one of ours. A window takes 17.5 from a
   * million keys on, and a little more for fewer.
   */
  public double mostBitsPerKey() {
    return this == WOODBIRD_COUNTING ? 4 * 10.4 : this == WOODBIRD_WINDOW ? 17.8 : 10.4;
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
