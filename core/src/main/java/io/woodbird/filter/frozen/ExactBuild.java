package io.woodbird.filter.frozen;

import io.woodbird.Filter;
import io.woodbird.file.Header;
import io.woodbird.file.LayoutId;
import io.woodbird.layout.FrozenSize;
import io.woodbird.layout.Ribbon;
import io.woodbird.words.HeapWords;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Builds a filter that is never wrong about a known world: the keys and the others. */
public record ExactBuild<K>(BuildSettings<K> settings, double fpp, Iterable<? extends K> others) {
  /*
   * Per shard: solve the first level from the keys, ask it about the others of the shard, and solve
   * the second level from the keys and those others that passed (see ExactKernel). The others are
   * read block by block and never sorted, so a build needs no more memory than one of the keys
   * alone, and eight bytes of disk for each of the others.
   *
   * With n keys and m others, a first level at rate p takes n * log2(1 / p) bits and the second
   * n + p * m. The sum is smallest at p = n / (m * ln 2): n * (log2(m / n) + 1.91) bits, where no
   * structure can take less than about n * (log2(m / n) + 1.44).
   *
   * Larisch and others: Clubcards (2024), with ribbons where the bumped ones are smaller.
   */

  /** For keys and others that are already hashed, and the smallest filter. */
  ExactBuild(BuildSettings<K> settings) {
    this(settings, 1, List.of());
  }

  /** A hash that is in the keys and in the others. */
  private static final class InBoth extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final long hash;

    InBoth(long hash) {
      this.hash = hash;
    }
  }

  public Filter<K> onHeap(Iterator<? extends K> keys) throws IOException {
    return settings.onHeap(sink -> solve(keys, sink));
  }

  /** Builds on the heap, of keys and others that are already hashed and have no hash in common. */
  Filter<K> onHeap(HashSpill keys, HashSpill hashedOthers) throws IOException {
    return settings.onHeap(sink -> solve(keys, hashedOthers, sink));
  }

  /** Builds into a file and returns its header. */
  public Header toFile(Iterator<? extends K> keys, Path path) throws IOException {
    return settings.toFile(path, sink -> solve(keys, sink));
  }

  private Header solve(Iterator<? extends K> keys, ShardPool.Sink sink) throws IOException {
    try (HashSpill hashed = settings.gather(keys, 2);
        HashSpill hashedOthers = settings.gather(others.iterator(), 2)) {
      return solve(hashed, hashedOthers, sink);
    } catch (InBoth e) {
      throw named(e);
    }
  }

  private IllegalArgumentException named(InBoth both) {
    @Nullable K found = settings.find(both.hash, others, Function.identity());
    return new IllegalArgumentException(
        found == null
            ? "a key with hash 0x"
                + HexFormat.of().toHexDigits(both.hash)
                + " is also one of the others"
            : "a key is also one of the others (or has the same 64-bit hash, which another seed"
                + " cures): \""
                + found
                + "\"",
        both);
  }

  private Header solve(HashSpill keys, HashSpill hashedOthers, ShardPool.Sink sink)
      throws IOException {
    BuildSettings.checkCancelled();
    long otherCount = hashedOthers.count();
    double rate = FrozenSize.firstLevelRate(keys.count(), otherCount, fpp);
    int shardBits = settings.shardBits(FrozenSize.exactShardBits(keys.count(), otherCount, rate));
    int width = rate == 1 ? 0 : FrozenSize.width(rate);
    ShardAssembly shards = new ShardAssembly(shardBits, 2);
    settings.solve(
        shards,
        1 << shardBits,
        keys.count(),
        sink,
        () -> new Worker(keys, hashedOthers, shardBits, rate));
    return shards.header(
        LayoutId.EXACT,
        settings.seed(),
        settings.keys().id(),
        shards.fpp(rate / 2),
        List.of((long) shardBits, (long) width, 0L, otherCount));
  }

  /** Solves both levels of shards. */
  private final class Worker implements ShardPool.Worker {
    private final HashSpill others;
    private final int shardBits;
    private final ShardHashes keys;
    private final RibbonSolver first;
    private final boolean hasFirst;
    private final RibbonSolver second = new RibbonSolver(1, 0, 1);
    private long[] passing = new long[1024];
    private int passed;

    Worker(HashSpill keys, HashSpill others, int shardBits, double rate) {
      this.others = others;
      this.shardBits = shardBits;
      this.keys = new ShardHashes(keys, shardBits);
      this.first = new RibbonSolver(rate, shardBits, 0);
      this.hasFirst = rate < 1;
    }

    @Override
    public ShardPool.Solved solve(int shard) throws IOException {
      keys.read(shard);
      int count = keys.count();
      ShardSolver.Shard one = first.solveMap(keys.hashes(), new long[0], hasFirst ? count : 0);
      one.entry()[ShardTable.KEYS] = count;
      ExactKernel kernel = kernel(one, null);
      passed = 0;
      others.scan(
          shard, shardBits, (from, at, words) -> pass(kernel, shard, from, at, words), () -> {});
      passed = HashSort.sortDistinct(passing, 0, passed, shardBits, new long[passed]);
      requireApart();
      ShardSolver.Shard two = solveSecond(count);
      if (settings.verify()) {
        verify(kernel(one, two), count);
      }
      return new ShardPool.Solved(List.of(one, two), hasFirst ? one.fpp() / 2 : 0.5, keys.raw());
    }

    private void pass(ExactKernel kernel, int shard, long[] from, int at, int words) {
      for (int i = at; i < at + words; i++) {
        if (HashSpill.isIn(from[i], shard, shardBits) && kernel.passesFirstLevel(from[i])) {
          if (passed == passing.length) {
            passed = HashSort.sortDistinct(passing, 0, passed, shardBits, new long[passed]);
            if (passed > passing.length / 2) {
              passing = Arrays.copyOf(passing, Math.multiplyExact(2, passing.length));
            }
          }
          passing[passed++] = from[i];
        }
      }
    }

    /** Throws if a key is one of the others. Both are sorted. */
    private void requireApart() {
      int other = 0;
      for (int i = 0; i < keys.count(); i++) {
        long hash = keys.hashes()[i];
        while (other < passed && Long.compareUnsigned(passing[other], hash) < 0) {
          other++;
        }
        if (other < passed && passing[other] == hash) {
          throw new InBoth(hash);
        }
      }
    }

    private ShardSolver.Shard solveSecond(int count) {
      int all = Math.addExact(count, passed);
      long[] hashes = new long[all];
      long[] bits = new long[all];
      for (int i = 0; i < all; i++) {
        long hash = i < count ? keys.hashes()[i] : passing[i - count];
        hashes[i] = Ribbon.inSecondLevel(Ribbon.inFirstLayer(hash, shardBits));
        bits[i] = i < count ? 1 : 0;
      }
      PairSort.sort(hashes, bits, 0, all, 0, new long[all], new long[all]);
      return second.solveMap(hashes, bits, all);
    }

    private ExactKernel kernel(ShardSolver.Shard one, ShardSolver.@Nullable Shard two) {
      long[] entries = Arrays.copyOf(one.entry(), 2 * ShardTable.ENTRY_WORDS);
      int size = one.words().length;
      long[] words = one.words();
      if (two != null) {
        System.arraycopy(two.entry(), 0, entries, ShardTable.ENTRY_WORDS, ShardTable.ENTRY_WORDS);
        entries[ShardTable.ENTRY_WORDS + ShardTable.START] = size;
        words = Arrays.copyOf(words, size + two.words().length);
        System.arraycopy(two.words(), 0, words, size, two.words().length);
      }
      return new ExactKernel(HeapWords.of(words), ShardTable.ofOne(entries, shardBits), hasFirst);
    }

    /** Checks that every key is found, and none of the others. */
    private void verify(ExactKernel kernel, int count) {
      for (int i = 0; i < count; i++) {
        if (kernel.lacks(keys.hashes()[i])) {
          throw BuildSettings.faulty();
        }
      }
      for (int i = 0; i < passed; i++) {
        if (!kernel.lacks(passing[i])) {
          throw BuildSettings.faulty();
        }
      }
    }
  }
}
