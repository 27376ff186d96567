package io.woodbird;

import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import io.woodbird.filter.Deltas;
import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Builds deltas: small files that bring a filter that was shipped before up to date. Made by {@link
 * Woodbird#delta(Path, KeyHasher)}.
 *
 * <pre>{@code
 * Woodbird.delta(base, Keys.strings()).buildTo(delta, today, yesterday);   // where lists are made
 * Woodbird.patch(base, delta, current);                                    // where they are used
 * }</pre>
 *
 * <p>A frozen filter is solved from all its keys at once, so another key changes all of its bytes.
 * A delta is an overlay instead: a filter of the keys that the base lacks, and a filter of those
 * that were removed, which is exact against the new list. Together they take about 12 bits for each
 * added key and 13 for each removed key at an fpp of 1 %, if one key of a thousand changed. The
 * patched file holds the base as it was, and the overlay; it is the same wherever it is made.
 *
 * <p>A delta is for one base. From time to time rebuild the whole list and ship that: the overlay
 * grows with all changes since the base.
 *
 * @param <K> the type of the keys
 */
public final class DeltaBuilder<K> {
  private final Path base;
  private final KeyHasher<K> keys;

  /** Keeps the settings; FrozenMapBuilder repeats them too, as a chain must end in its own type. */
  private final FrozenBuilder<K> settings;

  DeltaBuilder(Path base, KeyHasher<K> keys) {
    this.base = Objects.requireNonNull(base, "base");
    this.keys = Objects.requireNonNull(keys, "keys");
    this.settings = new FrozenBuilder<>(keys);
  }

  /**
   * Sets how many threads solve shards: see {@link FrozenBuilder#threads}.
   *
   * @param value positive
   * @return this
   */
  public DeltaBuilder<K> threads(int value) {
    settings.threads(value);
    return this;
  }

  /**
   * Sets about how much memory a build may take, besides the base: see {@link
   * FrozenBuilder#memoryLimit}.
   *
   * @param bytes positive
   * @return this
   */
  public DeltaBuilder<K> memoryLimit(long bytes) {
    settings.memoryLimit(bytes);
    return this;
  }

  /**
   * Sets the folder for temporary files, eight bytes for each key of both lists: see {@link
   * FrozenBuilder#tempDir}.
   *
   * @param folder exists
   * @return this
   */
  public DeltaBuilder<K> tempDir(Path folder) {
    settings.tempDir(folder);
    return this;
  }

  /**
   * Asks to be told how far the build is: see {@link FrozenBuilder#onProgress}.
   *
   * @param listener may be called from several threads, one at a time; if it throws, the build ends
   * @return this
   */
  public DeltaBuilder<K> onProgress(Consumer<BuildProgress> listener) {
    settings.onProgress(listener);
    return this;
  }

  /**
   * Builds a delta into a file.
   *
   * @param path the file, replaced if it exists, and only when the new one is complete
   * @param now all keys of the new list. None of them is ever denied, whatever {@code before} is
   * @param before the keys of the old list, or only those that were removed; keys that are in the
   *     new list are left alone
   * @return what the delta changes
   * @throws CorruptFilterException if the base is damaged
   * @throws IncompatibleFilterException if the base has other keys, or is no ribbon, fuse or Bloom
   *     filter
   * @throws IOException if a file can't be read or written
   */
  public Summary buildTo(Path path, Iterable<? extends K> now, Iterable<? extends K> before)
      throws IOException {
    Objects.requireNonNull(path, "path");
    Header header =
        Deltas.build(
            base,
            keys,
            seed -> settings.seed(seed).settings(),
            now.iterator(),
            before.iterator(),
            path);
    return new Summary(
        header.keyCount(),
        header.parameter(2),
        header.parameter(3),
        header.promisedFpp(),
        FileWriter.sizeInBytes(header.dataBytes()));
  }

  /**
   * What a delta changes, and how large it is.
   *
   * @param keys how many keys the new list has
   * @param added how many of them the base denied
   * @param removed how many keys of the old list are not in the new one
   * @param fpp the false positive probability of the base with the delta
   * @param bytes the length of the file of the delta
   */
  public record Summary(long keys, long added, long removed, double fpp, long bytes) {}
}
