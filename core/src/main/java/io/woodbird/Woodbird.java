package io.woodbird;

import io.woodbird.file.FileWriter;
import io.woodbird.file.OpenRules;
import io.woodbird.filter.Deltas;
import io.woodbird.filter.StoredFilters;
import io.woodbird.filter.bloom.DurableLock;
import io.woodbird.key.KeyHasher;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.time.Duration;
import java.util.Objects;

/**
 * Builds, opens and plans filters of every kind.
 *
 * <pre>{@code
 * MutableFilter<String> seen = Woodbird.bloom(Keys.strings(), 10_000_000).fpp(0.001).build();
 * seen.put("crow");
 * if (!seen.mightContain("owl")) {
 *   // certainly never put
 * }
 * }</pre>
 *
 * <p>Choose by need: {@link #bloom} takes keys at full speed; {@link #frozen} is for keys that are
 * all known, and a third smaller; {@link #deletable} removes keys, {@link #growing} needs no number
 * of keys, {@link #window} forgets. {@link #plan} shows what each kind of filter would take, before
 * anything is built.
 */
public final class Woodbird {
  private Woodbird() {}

  /**
   * A Bloom filter: takes keys from many threads at full speed, and can't remove them.
   *
   * @param <K> the type of the keys
   * @param keys hashes the keys, see {@link io.woodbird.key.Keys}
   * @param expectedKeys how many distinct keys the promised fpp must hold for
   * @return a builder
   */
  public static <K> BloomBuilder<K> bloom(KeyHasher<K> keys, long expectedKeys) {
    return new BloomBuilder<>(keys, expectedKeys);
  }

  /**
   * A frozen filter: all keys are known beforehand, and it is as small, or as fast, as can be.
   *
   * @param <K> the type of the keys
   * @param keys hashes the keys, see {@link io.woodbird.key.Keys}
   * @return a builder
   */
  public static <K> FrozenBuilder<K> frozen(KeyHasher<K> keys) {
    return new FrozenBuilder<>(keys);
  }

  /**
   * A map from keys that are all known beforehand to small numbers, in hardly more bits than the
   * numbers have: which list a key is on, its category, its shard.
   *
   * @param <K> the type of the keys
   * @param keys hashes the keys, see {@link io.woodbird.key.Keys}
   * @return a builder
   */
  public static <K> FrozenMapBuilder<K> frozenMap(KeyHasher<K> keys) {
    return new FrozenMapBuilder<>(keys);
  }

  /**
   * A filter whose keys can be removed: each remove undoes one put. Half a byte more per key than
   * {@link #bloom}, and it counts exactly; more keys than planned are refused.
   *
   * @param <K> the type of the keys
   * @param keys hashes the keys, see {@link io.woodbird.key.Keys}
   * @param expectedKeys how many keys there may be at once, each counted as often as it was put
   * @return a builder
   */
  public static <K> DeletableBuilder<K> deletable(KeyHasher<K> keys, long expectedKeys) {
    return new DeletableBuilder<>(keys, expectedKeys);
  }

  /**
   * A filter that grows with its keys, without reading them again; keys can be removed too. For
   * when nobody can say how many there will be; otherwise {@link #bloom} or {@link #deletable} is
   * smaller and faster.
   *
   * @param <K> the type of the keys
   * @param keys hashes the keys, see {@link io.woodbird.key.Keys}
   * @return a builder
   */
  public static <K> GrowingBuilder<K> growing(KeyHasher<K> keys) {
    return new GrowingBuilder<>(keys);
  }

  /**
   * A filter that forgets: it knows the keys that were put in the last hours, or days. Putting is
   * test and add: "was it new in this window?" What it remembers, exactly: {@link
   * WindowBuilder#build}.
   *
   * @param <K> the type of the keys
   * @param keys hashes the keys, see {@link io.woodbird.key.Keys}
   * @param expectedKeys how many keys may lie in the window at once; one that is put again in a
   *     later seventh of it counts again
   * @param duration how long a key is remembered after its last put was called, at least
   * @return a builder
   */
  public static <K> WindowBuilder<K> window(
      KeyHasher<K> keys, long expectedKeys, Duration duration) {
    return new WindowBuilder<>(keys, expectedKeys, Objects.requireNonNull(duration, "duration"));
  }

  /**
   * A filter that knows the last {@code lastKeys} distinct keys, whenever they came. It takes 1.75
   * times the memory of a window of time for as many keys: a key that is put again, and so again is
   * the last, lies in two generations. What it remembers, exactly: {@link WindowBuilder#build}.
   *
   * @param <K> the type of the keys
   * @param keys hashes the keys, see {@link io.woodbird.key.Keys}
   * @param lastKeys how many distinct keys are remembered, at least
   * @return a builder
   */
  public static <K> WindowBuilder<K> window(KeyHasher<K> keys, long lastKeys) {
    return new WindowBuilder<>(keys, lastKeys, null);
  }

  /**
   * A comparison of all kinds of filters for a number of keys.
   *
   * @param keys how many keys
   * @return a planner
   */
  public static Planner plan(long keys) {
    return new Planner(keys);
  }

  /**
   * Opens a filter file of any kind. Takes milliseconds whatever the size: a part of the file is
   * read and checked when it is first needed, and then kept in memory of this process, where nobody
   * can change it. It is on the heap and grows with what is asked, in steps of 32 MiB. A file that
   * is larger than half of the maximum heap is {@linkplain #map mapped} instead.
   *
   * @param <K> the type of the keys
   * @param path the file
   * @param keys the key hasher that the filter was built with
   * @return the filter; close it after use
   * @throws CorruptFilterException if the file is damaged, cut short, or not a filter
   * @throws IncompatibleFilterException if it was built with other keys or by another version
   * @throws IOException if it can't be read
   */
  public static <K> OpenFilter<K> open(Path path, KeyHasher<K> keys) throws IOException {
    return StoredFilters.open(path, keys, OpenRules.ANY);
  }

  /**
   * Maps a filter file of any kind into memory. All processes on a machine that map a file share
   * one copy of it, which the operating system may drop and read again. The price: another process
   * can change this memory, so each "not here" must be proven, and a question about an absent key
   * takes about twice the time. Files of up to 16 MiB are read as by {@link #open}.
   *
   * <p>If somebody cuts the file short, the JVM throws an {@link InternalError} where it reads a
   * page that is gone, or some time later. A question catches it and answers "maybe"; one that
   * comes later reaches the program. Replace files by renaming, and never write into one that is
   * mapped.
   *
   * @param <K> the type of the keys
   * @param path the file
   * @param keys the key hasher that the filter was built with
   * @return the filter; close it after use
   * @throws CorruptFilterException if the file is damaged, cut short, or not a filter
   * @throws IncompatibleFilterException if it was built with other keys or by another version
   * @throws IOException if it can't be read
   */
  public static <K> OpenFilter<K> map(Path path, KeyHasher<K> keys) throws IOException {
    return StoredFilters.open(path, keys, OpenRules.MAPPED);
  }

  /**
   * Opens the file of a {@linkplain #frozenMap map}, as {@link #open} does.
   *
   * @param <K> the type of the keys
   * @param path the file
   * @param keys the key hasher that the map was built with
   * @return the map; close it after use
   * @throws CorruptFilterException if the file is damaged, cut short, or not a filter
   * @throws IncompatibleFilterException if it is no map, or was built with other keys or by another
   *     version
   * @throws IOException if it can't be read
   */
  public static <K> FrozenMap<K> openMap(Path path, KeyHasher<K> keys) throws IOException {
    OpenFilter<K> filter = open(path, keys);
    if (filter instanceof FrozenMap<K> map) {
      return map;
    }
    filter.close();
    throw new IncompatibleFilterException(
        path + " is a filter without values: open it with Woodbird.open");
  }

  /**
   * Reads a filter of any kind onto the heap, and checks all of it. What took keys before takes
   * keys again: the filter of a {@link #bloom} is a {@link BloomFilter}. While it is read it takes
   * up to twice its size, as no byte is used before its checksum was read.
   *
   * @param <K> the type of the keys
   * @param in gives what {@link Filter#writeTo} wrote; it is read to the filter's end and no
   *     further
   * @param keys the key hasher that the filter was built with
   * @return the filter
   * @throws CorruptFilterException if the bytes are damaged, cut short, or not a filter
   * @throws IncompatibleFilterException if it was built with other keys or by another version
   * @throws IOException if the stream fails
   */
  public static <K> Filter<K> readFrom(InputStream in, KeyHasher<K> keys) throws IOException {
    return StoredFilters.read(in, keys, OpenRules.ANY);
  }

  /**
   * Opens only files that one of these keys signed.
   *
   * @param key a public key of Ed25519; {@link SignedFilters#readPublicKey} reads one from a file
   * @param more other keys that may have signed, such as the next one
   * @return what opens them
   */
  public static SignedFilters signedBy(PublicKey key, PublicKey... more) {
    return new SignedFilters(key, more);
  }

  /**
   * Signs a file, in place of a signature that it may have. The file is replaced by a signed copy
   * when that is complete. Header and data stay as they are; a copy that {@link Filter#save} writes
   * of it is not signed.
   *
   * @param path a filter or a delta; if it was {@linkplain #patch patched}, its delta is signed too
   * @param key a private key of Ed25519; {@link SignedFilters#readPrivateKey} reads one from a file
   * @throws CorruptFilterException if the file is damaged, cut short, or not a filter; or if it is
   *     that of a {@link DurableFilter} that is in use, or was not closed
   * @throws IOException if it can't be read or written
   * @throws IllegalArgumentException if the key is not one of Ed25519
   */
  public static void sign(Path path, PrivateKey key) throws IOException {
    SigningKeys.sign(path, key, path);
  }

  /**
   * Signs a copy of a file, as {@link #sign(Path, PrivateKey)} signs the file itself.
   *
   * @param path a filter or a delta
   * @param key a private key of Ed25519
   * @param target the signed copy, replaced if it exists
   * @throws CorruptFilterException if the file is damaged, cut short, or not a filter; or if it is
   *     that of a {@link DurableFilter} that is in use, or was not closed
   * @throws IOException if a file can't be read or written
   * @throws IllegalArgumentException if the key is not one of Ed25519
   */
  public static void sign(Path path, PrivateKey key, Path target) throws IOException {
    SigningKeys.sign(path, key, target);
  }

  /**
   * Checks every page of a file of any kind, also of a delta, which can't be opened.
   *
   * @param path the file
   * @throws CorruptFilterException if the file is damaged, cut short, or not a filter
   * @throws IOException if it can't be read
   */
  public static void verify(Path path) throws IOException {
    StoredFilters.verify(path, OpenRules.ANY);
  }

  /**
   * Takes the right to change a filter file. A program that reads a filter, changes it and
   * {@linkplain Filter#save saves} it to the same file needs the lock: of two such programs at the
   * same time the second would replace what the first has saved, and its keys would be denied.
   *
   * <pre>{@code
   * try (Closeable lock = Woodbird.lock(path); InputStream in = Files.newInputStream(path)) {
   *   var users = (DeletableFilter<String>) Woodbird.readFrom(in, Keys.strings());
   *   users.put("alice");
   *   users.save(path);
   * }
   * }</pre>
   *
   * <p>A {@link DurableFilter} has the same lock while it is open, and so have {@code woodbird
   * add}, {@code remove} and {@code new}. Reading needs none. Symbolic links are followed, so a
   * file has one lock under all its names. The system releases it when the process ends for any
   * reason. Two small files beside the filter, which end in {@code .lock} and {@code .lock2}, stay.
   * If somebody removed one of them, or another program got the lock, that program may have saved
   * the file at the same time: then {@code close} throws, and keys may have to be put again.
   *
   * @param path the file, which need not exist
   * @return the lock; close it after the last save
   * @throws IOException if the file is locked already, or can't be
   */
  public static Closeable lock(Path path) throws IOException {
    return DurableLock.lock(DurableLock.realPath(path));
  }

  /**
   * Makes a delta: a small file that brings a filter that was shipped before up to date.
   *
   * @param <K> the type of the keys
   * @param base the file that was shipped: a frozen filter or a Bloom filter
   * @param keys the key hasher that it was built with
   * @return a builder
   */
  public static <K> DeltaBuilder<K> delta(Path base, KeyHasher<K> keys) {
    return new DeltaBuilder<>(base, keys);
  }

  /**
   * Makes a delta between two files of any kind: {@link #patch} makes the new one of the old one,
   * byte for byte, with its signature. It is small where a key changes a few bytes: Bloom,
   * deletable and growing filters. A frozen filter changes as a whole with any of its keys: for it
   * make a delta {@linkplain #delta(Path, KeyHasher) from the keys}.
   *
   * @param old the file that was shipped
   * @param now the new file
   * @param target the delta, replaced if it exists, and only when the new one is complete
   * @return how many bytes the delta has
   * @throws CorruptFilterException if one of the files is damaged
   * @throws IncompatibleFilterException if the files have so little in common that the delta would
   *     have half as many bytes as the new one
   * @throws IOException if a file can't be read or written
   */
  public static long delta(Path old, Path now, Path target) throws IOException {
    return FileWriter.sizeInBytes(Deltas.between(old, now, target).dataBytes());
  }

  /**
   * Applies a delta: writes a file that answers for the new list. It holds the base as it is, and
   * the delta in place of one that the base may have; or it is the new file, if the delta was made
   * between two files. The result is the same bytes everywhere. If anything fails, the target is as
   * it was.
   *
   * @param base the file that the delta was made for. If the delta was made from keys, it may have
   *     been patched before
   * @param delta what {@link DeltaBuilder#buildTo} or {@link #delta(Path, Path, Path)} wrote
   * @param target the new file; may be the base
   * @throws CorruptFilterException if the base or the delta is damaged
   * @throws IncompatibleFilterException if the delta was made for another base
   * @throws IOException if a file can't be read or written
   */
  public static void patch(Path base, Path delta, Path target) throws IOException {
    Deltas.patch(base, delta, target, OpenRules.ANY);
  }

  /**
   * Asks a filter of any kind straight from memory, without copying it: a slice of a mapped table
   * file, a block in a cache. Header and page table are checked now, each page when it is first
   * needed.
   *
   * @param <K> the type of the keys
   * @param buffer holds what {@link Filter#writeTo} wrote, from its position to its limit; its
   *     content must not change while the filter is in use
   * @param keys the key hasher that the filter was built with
   * @return the filter
   * @throws CorruptFilterException if the bytes are damaged, cut short, or not a filter
   * @throws IncompatibleFilterException if it was built with other keys or by another version
   */
  public static <K> Filter<K> wrap(ByteBuffer buffer, KeyHasher<K> keys)
      throws CorruptFilterException {
    return StoredFilters.of(buffer, keys);
  }
}
