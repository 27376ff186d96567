package io.woodbird;

import io.woodbird.file.Header;
import io.woodbird.filter.frozen.BuildSettings;
import io.woodbird.filter.frozen.ExactBuild;
import io.woodbird.filter.frozen.FrozenBuild;
import io.woodbird.filter.frozen.FrozenGoal;
import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Builds frozen filters: all keys are known, and the filter is as small as can be, or {@linkplain
 * #fastToAsk faster to ask}. Made by {@link Woodbird#frozen}.
 *
 * <p>Keys may repeat. The bytes of the filter depend on the keys and the {@linkplain #seed seed},
 * not on their order or on the number of threads. After building, every key is asked again, which
 * costs about a tenth of the time; {@link #withoutVerifying} leaves it out.
 *
 * <p>A build uses {@link #threads} threads until it returns. It is cancelled by interrupting the
 * thread that called it, or by a {@linkplain #onProgress listener} that throws; then, as after any
 * other exception, neither a file nor temporary data is left behind.
 *
 * @param <K> the type of the keys
 */
public final class FrozenBuilder<K> {
  private final KeyHasher<K> keys;
  private FrozenGoal goal = FrozenGoal.DEFAULT;
  private boolean hasFpp;
  private @Nullable Iterable<? extends K> others;
  private @Nullable Long seed;
  private int threads = Runtime.getRuntime().availableProcessors();
  private long memoryLimit = Runtime.getRuntime().maxMemory() / 2;
  private @Nullable Path tempDir;
  private boolean verify = true;
  private @Nullable Consumer<BuildProgress> progress;

  FrozenBuilder(KeyHasher<K> keys) {
    this.keys = Objects.requireNonNull(keys, "keys");
  }

  /**
   * Sets the false positive probability; 1 % by default.
   *
   * @param value below 1 and at least 2^-32
   * @return this
   */
  public FrozenBuilder<K> fpp(double value) {
    goal = goal.withFpp(value);
    hasFpp = true;
    return this;
  }

  /**
   * Sets the size by the bits per key instead, such as 2.0; the fpp is what they give.
   *
   * @param value positive, at most 32
   * @return this
   */
  public FrozenBuilder<K> bitsPerKey(double value) {
    goal = goal.withBitsPerKey(value);
    return this;
  }

  /**
   * Sets the size by the bytes that the file may take, all in all; the fpp is the lowest that fits.
   *
   * @param value positive
   * @return this
   */
  public FrozenBuilder<K> maxBytes(long value) {
    goal = goal.withMaxBytes(value);
    return this;
  }

  /**
   * Names others about which the filter must never be wrong: each of them is certainly "not here".
   * There may be many times more of them than keys: all certificates beside the revoked ones, all
   * customers beside the blocked ones.
   *
   * <p>With n keys and m others the filter takes about n * (log2(m / n) + 1.9) bits; no structure
   * can take less than about n * (log2(m / n) + 1.4). Keys outside of this known world, strangers,
   * are "maybe here" with a probability of about 0.7 * n / m, at most one half, which {@link
   * Filter#stats} states; {@link #fpp} makes it smaller, and the filter larger.
   *
   * <p>A build writes eight bytes for each of the others to the {@linkplain #tempDir temporary
   * folder}, and its memory is bounded as without them.
   *
   * @param known may be asked for its iterator twice: the second time to name a key in a message
   * @return this
   */
  public FrozenBuilder<K> exactAgainst(Iterable<? extends K> known) {
    others = Objects.requireNonNull(known, "known");
    return this;
  }

  /**
   * Chooses the ribbon filter, within about 1 % of the information limit from a million keys on at
   * an fpp of 1 % or less. The default.
   *
   * @return this
   */
  public FrozenBuilder<K> smallest() {
    goal = goal.withFuse(false);
    return this;
  }

  /**
   * Chooses the binary fuse filter, which answers questions about longs three to five times as fast
   * as the ribbon filter. It takes 12.5 % more than the information limit from a million keys on,
   * more for fewer, and whole bits only.
   *
   * <p>A question reads three places at once. While the filter fits into the processor's cache,
   * with up to a few million keys, nothing here is faster: 5 ns at a million longs, where the Bloom
   * filter takes 12 ns and the ribbon filter 28 ns. Beyond that each place is a cache miss, and the
   * Bloom filter, which has one or two, is faster: at 100 million 80 ns against 99 ns.
   *
   * @return this
   */
  public FrozenBuilder<K> fastToAsk() {
    goal = goal.withFuse(true);
    return this;
  }

  /**
   * Fixes the seed of the hash function, so that the same keys give the same bytes. Otherwise it is
   * random.
   *
   * @param value any number
   * @return this
   */
  public FrozenBuilder<K> seed(long value) {
    seed = value;
    return this;
  }

  /**
   * Sets how many threads solve shards; all cores by default, but no more than the {@linkplain
   * #memoryLimit memory} is enough for. Filters of up to four million keys have one shard.
   *
   * @param value positive
   * @return this
   */
  public FrozenBuilder<K> threads(int value) {
    threads = (int) Parameters.positive("threads", value);
    return this;
  }

  /**
   * Sets about how much memory a build may take; half of the heap by default. Hashes beyond it go
   * to a temporary file. Each thread needs about 200 MB besides 32 MB for all, so a build takes as
   * many threads as there is memory for, and at least one.
   *
   * @param bytes positive
   * @return this
   */
  public FrozenBuilder<K> memoryLimit(long bytes) {
    memoryLimit = Parameters.positive("memoryLimit", bytes);
    return this;
  }

  /**
   * Sets the folder for the temporary file, eight bytes per key; the system's by default.
   *
   * @param folder exists
   * @return this
   */
  public FrozenBuilder<K> tempDir(Path folder) {
    tempDir = Objects.requireNonNull(folder, "folder");
    return this;
  }

  /**
   * Asks to be told how far the build is, about once per million keys.
   *
   * @param listener may be called from several threads, one at a time; if it throws, the build ends
   * @return this
   */
  public FrozenBuilder<K> onProgress(Consumer<BuildProgress> listener) {
    progress = Objects.requireNonNull(listener, "listener");
    return this;
  }

  /**
   * Leaves out asking every key again.
   *
   * @return this
   */
  public FrozenBuilder<K> withoutVerifying() {
    verify = false;
    return this;
  }

  /**
   * Builds a filter on the heap.
   *
   * @param source all keys
   * @return the filter
   * @throws UncheckedIOException if hashes could not be written to the temporary folder
   */
  public Filter<K> buildFrom(Iterable<? extends K> source) {
    return buildFrom(source.iterator());
  }

  /**
   * Builds a filter on the heap.
   *
   * @param source all keys; not closed
   * @return the filter
   * @throws UncheckedIOException if hashes could not be written to the temporary folder
   */
  public Filter<K> buildFrom(Stream<? extends K> source) {
    return buildFrom(source.iterator());
  }

  /**
   * Builds a filter on the heap.
   *
   * @param source all keys; of a {@link java.util.PrimitiveIterator.OfLong} no longs are boxed
   * @return the filter
   * @throws UncheckedIOException if hashes could not be written to the temporary folder
   */
  public Filter<K> buildFrom(Iterator<? extends K> source) {
    try {
      return others == null
          ? new FrozenBuild<>(settings(), goal).onHeap(source)
          : exact(others).onHeap(source);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Builds a filter into a file, in bounded memory whatever the number of keys.
   *
   * @param path the file, replaced if it exists, and only when the new one is complete
   * @param source all keys
   * @return what was built
   * @throws IOException if a disk is full or fails
   */
  public FilterPlan buildTo(Path path, Iterable<? extends K> source) throws IOException {
    return buildTo(path, source.iterator());
  }

  /**
   * Builds a filter into a file, in bounded memory whatever the number of keys.
   *
   * @param path the file, replaced if it exists, and only when the new one is complete
   * @param source all keys; not closed
   * @return what was built
   * @throws IOException if a disk is full or fails
   */
  public FilterPlan buildTo(Path path, Stream<? extends K> source) throws IOException {
    return buildTo(path, source.iterator());
  }

  /**
   * Builds a filter into a file, in bounded memory whatever the number of keys.
   *
   * @param path the file, replaced if it exists, and only when the new one is complete
   * @param source all keys; of a {@link java.util.PrimitiveIterator.OfLong} no longs are boxed
   * @return what was built
   * @throws IOException if a disk is full or fails
   */
  public FilterPlan buildTo(Path path, Iterator<? extends K> source) throws IOException {
    Objects.requireNonNull(path, "path");
    Header header =
        others == null
            ? new FrozenBuild<>(settings(), goal).toFile(source, path)
            : exact(others).toFile(source, path);
    return FrozenBuild.built(header);
  }

  private ExactBuild<K> exact(Iterable<? extends K> known) {
    if (goal.fuse() || goal.bitsPerKey() != 0 || goal.maxBytes() != 0) {
      throw new IllegalArgumentException(
          "exactAgainst decides the size: leave out fastToAsk, bitsPerKey and maxBytes");
    }
    return new ExactBuild<>(settings(), hasFpp ? goal.fpp() : 1, known);
  }

  BuildSettings<K> settings() {
    return new BuildSettings<>(
        keys, Parameters.seedOrRandom(seed), threads, memoryLimit, tempDir, verify, progress, 0);
  }
}
