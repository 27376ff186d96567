package io.woodbird.filter.frozen;

import io.woodbird.FrozenMap;
import io.woodbird.file.Header;
import io.woodbird.file.LayoutId;
import io.woodbird.layout.FrozenSize;
import io.woodbird.words.HeapWords;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/** Builds a map from keys to values, as FrozenBuild builds a filter. */
public final class MapBuild<K> {
  private final BuildSettings<K> settings;
  private final double fpp;
  private final int wantedBits;
  private final @Nullable LongBinaryOperator combine;

  /** The bits of a value; all of them until the values are known, if nothing was said. */
  private int valueBits;

  /**
   * Prepares a build; see FrozenMapBuilder.
   *
   * @param fpp 1 if strangers are not recognised
   * @param wantedBits the bits of a value; 0 for as many as the largest value needs
   * @param combine of two values of a key; null if they must be equal
   */
  public MapBuild(
      BuildSettings<K> settings, double fpp, int wantedBits, @Nullable LongBinaryOperator combine) {
    this.settings = settings;
    this.fpp = fpp;
    this.wantedBits = wantedBits;
    this.combine = combine;
    this.valueBits = wantedBits == 0 ? Long.SIZE : wantedBits;
  }

  /** Two values of a key that can't be combined. */
  private static final class TwoValues extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final long hash;
    private final long first;
    private final long second;

    TwoValues(long hash, long first, long second) {
      this.hash = hash;
      this.first = first;
      this.second = second;
    }
  }

  /**
   * Builds on the heap. To name a key in a message, the entries are read again if they still can
   * be.
   */
  public FrozenMap<K> onHeap(
      Iterator<? extends Map.Entry<? extends K, Long>> entries,
      @Nullable Iterable<? extends Map.Entry<? extends K, Long>> again)
      throws IOException {
    return (FrozenMap<K>) settings.onHeap(sink -> solve(entries, again, sink));
  }

  /** As {@link #onHeap}, into a file. */
  public Header toFile(
      Iterator<? extends Map.Entry<? extends K, Long>> entries,
      @Nullable Iterable<? extends Map.Entry<? extends K, Long>> again,
      Path path)
      throws IOException {
    return settings.toFile(path, sink -> solve(entries, again, sink));
  }

  private Header solve(
      Iterator<? extends Map.Entry<? extends K, Long>> entries,
      @Nullable Iterable<? extends Map.Entry<? extends K, Long>> again,
      ShardPool.Sink sink)
      throws IOException {
    try (HashSpill spill = gather(entries)) {
      return solve(spill, sink);
    } catch (TwoValues e) {
      throw named(e, again);
    }
  }

  private IllegalArgumentException named(
      TwoValues two, @Nullable Iterable<? extends Map.Entry<? extends K, Long>> again) {
    Map.Entry<? extends K, Long> found =
        again == null ? null : settings.find(two.hash, again, Map.Entry::getKey);
    return new IllegalArgumentException(
        String.format(
            "%s has two values, %s and %s: give it one, or say how to combine them (or two keys have"
                + " the same 64-bit hash, which another seed cures)",
            found == null
                ? "a key with hash 0x" + HexFormat.of().toHexDigits(two.hash)
                : "key \"" + found.getKey() + "\"",
            Long.toUnsignedString(two.first),
            Long.toUnsignedString(two.second)),
        two);
  }

  private long merge(long hash, long first, long second) {
    if (combine != null) {
      return inRange(combine.applyAsLong(first, second), "combined values");
    }
    if (first != second) {
      throw new TwoValues(hash, first, second);
    }
    return first;
  }

  private HashSpill gather(Iterator<? extends Map.Entry<? extends K, Long>> entries)
      throws IOException {
    HashSpill spill = HashSpill.ofPairs(settings.spillMemory(), settings.tempDir(), this::merge);
    try {
      long[] pairs = new long[2 * BuildSettings.HASH_CHUNK];
      long told = 0;
      long used = 1; // A bit that is set in any value; a value has one bit at least.
      while (entries.hasNext()) {
        int size = 0;
        while (size < BuildSettings.HASH_CHUNK && entries.hasNext()) {
          Map.Entry<? extends K, Long> entry = entries.next();
          K key = Objects.requireNonNull(entry.getKey(), "key");
          long value = inRange(Objects.requireNonNull(entry.getValue(), "value"), key);
          used |= value;
          pairs[2 * size] = settings.keys().hash(key, settings.seed());
          pairs[2 * size + 1] = value;
          size++;
        }
        spill.add(pairs, size);
        told = settings.tellOfReading(spill, told);
      }
      settings.tell("reading", spill.count(), spill.count());
      if (wantedBits == 0) {
        valueBits = Long.SIZE - Long.numberOfLeadingZeros(used);
      }
      return spill;
    } catch (Throwable e) {
      spill.close();
      throw e;
    }
  }

  private long inRange(long value, Object key) {
    if (valueBits < 64 && value >>> valueBits != 0) {
      throw new IllegalArgumentException(
          String.format(
              "a value of %s bits must be from 0 to %s: %s (%s)",
              valueBits, (1L << valueBits) - 1, value, key));
    }
    return value;
  }

  private Header solve(HashSpill spill, ShardPool.Sink sink) throws IOException {
    BuildSettings.checkCancelled();
    int shardBits = settings.shardBits(FrozenSize.mapShardBits(spill.count()));
    ShardAssembly shards = new ShardAssembly(shardBits, 1);
    settings.solve(shards, 1 << shardBits, spill.count(), sink, () -> worker(spill, shardBits));
    int width = fpp == 1 ? 0 : FrozenSize.width(fpp);
    return shards.header(
        LayoutId.RIBBON_MAP,
        settings.seed(),
        settings.keys().id(),
        fpp == 1 ? 1 : shards.fpp(Math.pow(2, -width)),
        List.of((long) shardBits, (long) width, (long) valueBits));
  }

  private ShardPool.Worker worker(HashSpill spill, int shardBits) {
    RibbonSolver solver = new RibbonSolver(fpp, shardBits, valueBits);
    ShardHashes entries = new ShardHashes(spill, shardBits);
    return shard -> {
      entries.read(shard);
      ShardSolver.Shard solved =
          solver.solveMap(entries.hashes(), entries.values(), entries.count());
      if (settings.verify()) {
        verify(solved, entries, shardBits);
      }
      return new ShardPool.Solved(List.of(solved), solved.fpp(), entries.raw());
    };
  }

  /** Checks that every key of a shard has its value. */
  private static void verify(ShardSolver.Shard solved, ShardHashes entries, int shardBits) {
    RibbonKernel kernel =
        new RibbonKernel(HeapWords.of(solved.words()), ShardTable.ofOne(solved.entry(), shardBits));
    for (int i = 0; i < entries.count(); i++) {
      long hash = entries.hashes()[i];
      if (kernel.lacks(hash) || kernel.value(hash) != entries.values()[i]) {
        throw BuildSettings.faulty();
      }
    }
  }
}
