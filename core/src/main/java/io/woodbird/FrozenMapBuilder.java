package io.woodbird;

import io.woodbird.filter.frozen.FrozenBuild;
import io.woodbird.filter.frozen.MapBuild;
import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Builds maps from keys to small numbers, when all keys are known. Made by {@link
 * Woodbird#frozenMap}.
 *
 * <pre>{@code
 * FrozenMap<String> lists = Woodbird.frozenMap(Keys.strings()).valueBits(3).fpp(0.001)
 *     .buildFrom(Map.of("bad.example", 1L, "worse.example", 2L).entrySet());
 * lists.get("bad.example");    // 1
 * }</pre>
 *
 * <p>A map takes log2(1 / fpp) bits for each key, and the bits of its value, and less than 1 % more
 * from a million keys on; 1.7 % more if that is one bit in all. The build is that of a {@link
 * FrozenBuilder}: the same bytes for the same entries and seed, in bounded memory, every key asked
 * again at the end.
 *
 * @param <K> the type of the keys
 */
public final class FrozenMapBuilder<K> {
  /** Keeps the settings; their setters are here once more, as a chain must end in its own type. */
  private final FrozenBuilder<K> settings;

  private int valueBits;
  private double fpp = 0.01;
  private @Nullable LongBinaryOperator combine;

  FrozenMapBuilder(KeyHasher<K> keys) {
    this.settings = new FrozenBuilder<>(keys);
  }

  /**
   * Sets how many bits a value has; as many as the largest needs by default. Values are from 0 to
   * 2^bits - 1, and with 64 bits any long.
   *
   * @param bits from 1 to 64
   * @return this
   */
  public FrozenMapBuilder<K> valueBits(int bits) {
    if (bits < 1 || bits > 64) {
      throw new IllegalArgumentException("valueBits must be from 1 to 64: " + bits);
    }
    valueBits = bits;
    return this;
  }

  /**
   * Sets the probability that a stranger, a key that is not in the map, gets a value; 1 % if
   * nothing is said.
   *
   * @param value below 1 and at least 2^-32
   * @return this
   */
  public FrozenMapBuilder<K> fpp(double value) {
    settings.fpp(value);
    fpp = value;
    return this;
  }

  /**
   * Leaves out the bits by which strangers are recognised: every key gets a value. For programs
   * that ask only what they put.
   *
   * @return this
   */
  public FrozenMapBuilder<K> withoutCheck() {
    fpp = 1;
    return this;
  }

  /**
   * Says what to do with a key that is given twice with different values, such as {@code Math::max}
   * or {@code (a, b) -> a | b}. Otherwise it is an error.
   *
   * <p>Keys are told apart by their 64-bit hashes. Of a billion keys, two have the same hash in 2.7
   * % of all builds: then both get the value of both. Without this the build fails, and another
   * {@link #seed} cures it.
   *
   * @param operator gives the value of both; called in any order, and from several threads at once
   * @return this
   */
  public FrozenMapBuilder<K> combine(LongBinaryOperator operator) {
    combine = Objects.requireNonNull(operator, "operator");
    return this;
  }

  /**
   * Fixes the seed: see {@link FrozenBuilder#seed}.
   *
   * @param value any number
   * @return this
   */
  public FrozenMapBuilder<K> seed(long value) {
    settings.seed(value);
    return this;
  }

  /**
   * Sets how many threads solve shards: see {@link FrozenBuilder#threads}.
   *
   * @param value positive
   * @return this
   */
  public FrozenMapBuilder<K> threads(int value) {
    settings.threads(value);
    return this;
  }

  /**
   * Sets about how much memory a build may take: see {@link FrozenBuilder#memoryLimit}.
   *
   * @param bytes positive
   * @return this
   */
  public FrozenMapBuilder<K> memoryLimit(long bytes) {
    settings.memoryLimit(bytes);
    return this;
  }

  /**
   * Sets the folder for the temporary file, 16 bytes per key: see {@link FrozenBuilder#tempDir}.
   *
   * @param folder exists
   * @return this
   */
  public FrozenMapBuilder<K> tempDir(Path folder) {
    settings.tempDir(folder);
    return this;
  }

  /**
   * Asks to be told how far the build is: see {@link FrozenBuilder#onProgress}.
   *
   * @param listener may be called from several threads, one at a time; if it throws, the build ends
   * @return this
   */
  public FrozenMapBuilder<K> onProgress(Consumer<BuildProgress> listener) {
    settings.onProgress(listener);
    return this;
  }

  /**
   * Leaves out asking every key again.
   *
   * @return this
   */
  public FrozenMapBuilder<K> withoutVerifying() {
    settings.withoutVerifying();
    return this;
  }

  /**
   * Builds a map on the heap.
   *
   * @param entries all keys with their values, such as {@link Map#entrySet}; read again to name a
   *     key that has two values
   * @return the map
   * @throws IllegalArgumentException if a value has too many bits, or a key has two values
   * @throws UncheckedIOException if hashes could not be written to the temporary folder
   */
  public FrozenMap<K> buildFrom(Iterable<? extends Map.Entry<? extends K, Long>> entries) {
    return onHeap(entries.iterator(), entries);
  }

  /**
   * Builds a map on the heap, of entries that can be read only once.
   *
   * @param entries all keys with their values
   * @return the map
   * @throws IllegalArgumentException if a value has too many bits, or a key has two values
   * @throws UncheckedIOException if hashes could not be written to the temporary folder
   */
  public FrozenMap<K> buildFrom(Iterator<? extends Map.Entry<? extends K, Long>> entries) {
    return onHeap(entries, null);
  }

  private FrozenMap<K> onHeap(
      Iterator<? extends Map.Entry<? extends K, Long>> entries,
      @Nullable Iterable<? extends Map.Entry<? extends K, Long>> again) {
    try {
      return build().onHeap(entries, again);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Builds a map into a file, in bounded memory whatever the number of keys.
   *
   * @param path the file, replaced if it exists, and only when the new one is complete
   * @param entries all keys with their values; read again to name a key that has two values
   * @return what was built
   * @throws IllegalArgumentException if a value has too many bits, or a key has two values
   * @throws IOException if a disk is full or fails
   */
  public FilterPlan buildTo(Path path, Iterable<? extends Map.Entry<? extends K, Long>> entries)
      throws IOException {
    return toFile(path, entries.iterator(), entries);
  }

  /**
   * Builds a map into a file, of entries that can be read only once.
   *
   * @param path the file, replaced if it exists, and only when the new one is complete
   * @param entries all keys with their values
   * @return what was built
   * @throws IllegalArgumentException if a value has too many bits, or a key has two values
   * @throws IOException if a disk is full or fails
   */
  public FilterPlan buildTo(Path path, Iterator<? extends Map.Entry<? extends K, Long>> entries)
      throws IOException {
    return toFile(path, entries, null);
  }

  private FilterPlan toFile(
      Path path,
      Iterator<? extends Map.Entry<? extends K, Long>> entries,
      @Nullable Iterable<? extends Map.Entry<? extends K, Long>> again)
      throws IOException {
    Objects.requireNonNull(path, "path");
    return FrozenBuild.built(build().toFile(entries, again, path));
  }

  private MapBuild<K> build() {
    return new MapBuild<>(settings.settings(), fpp, valueBits, combine);
  }
}
