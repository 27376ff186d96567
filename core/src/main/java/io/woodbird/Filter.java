package io.woodbird;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

/**
 * A set that answers "not here", which is certain, or "maybe here".
 *
 * <p><b>The guarantee.</b> A filter never says "not here" about a key whose {@code put} has
 * returned, in any thread that knows of it. When it can't know (a damaged page, a lost connection)
 * it says "maybe here" or throws, but never "not here". Excepted are keys that were removed or
 * whose window is over, and what a {@link DeletableFilter} loses if a key is removed that was never
 * put; the guide has all exceptions on one page, {@code docs/explanation/guarantee.md}. About keys
 * that were never put it says "maybe here" with the false positive probability (fpp) that its
 * builder was asked for, as long as it holds no more keys than planned.
 *
 * <p><b>Threads.</b> All methods may be called from any number of threads at once, without locks. A
 * question sees every put that happened before it in the sense of the Java memory model: the
 * putting thread's own, those before a hand-over through a queue, a lock or a volatile field.
 * Without such an edge it sees a put a moment later: a thread that asks in a loop sees the puts of
 * others in bounded time.
 *
 * <p><b>Keys and hashes.</b> Each question about a key is a question about its 64-bit hash. Hash
 * once with {@link #hashOf} and ask many filters that share a seed with {@link #mightContainHash}.
 * No method accepts null.
 *
 * @param <K> the type of the keys
 */
public interface Filter<K> {
  /**
   * Asks about a key and tells "maybe" from "can't tell".
   *
   * @param key the key
   * @return the answer
   */
  default Answer ask(K key) {
    return mightContain(key) ? Answer.MAYBE_HERE : Answer.NOT_HERE;
  }

  /**
   * Returns false if the key is certainly not here, true in every other case.
   *
   * @param key the key
   * @return whether the key may be here
   */
  default boolean mightContain(K key) {
    return mightContainHash(hashOf(key));
  }

  /**
   * Asks about a long without boxing it: the same as {@link #mightContain} for filters of longs and
   * ints, and a {@link ClassCastException} for others. It has a name of its own, so that no key of
   * another type is taken for a long by mistake.
   *
   * @param key the key
   * @return whether the key may be here
   */
  default boolean mightContainLong(long key) {
    return mightContainHash(hashOfLong(key));
  }

  /**
   * Returns the hash of a long without boxing it, as {@link #mightContainLong} does.
   *
   * @param key the key
   * @return the hash
   */
  @SuppressWarnings("unchecked") // Where K is not Long, the hasher's own cast fails.
  default long hashOfLong(long key) {
    return hashOf((K) (Object) key);
  }

  /**
   * Returns the hash of a key under this filter's seed.
   *
   * @param key the key
   * @return the hash, for {@link #mightContainHash} of this filter and of others with its seed
   */
  long hashOf(K key);

  /**
   * Returns false if the key with this hash is certainly not here, true in every other case.
   *
   * @param hash from {@link #hashOf}
   * @return whether the key may be here
   */
  boolean mightContainHash(long hash);

  /**
   * Returns the keys that may be here: those worth an expensive look-up. Asking for many keys at
   * once overlaps their cache misses and is two to three times as fast as asking one by one.
   *
   * @param keys the keys to ask about
   * @return those that are not certainly absent, in the order of {@code keys}
   */
  List<K> candidates(Collection<? extends K> keys);

  /**
   * Finds the hashes that may be here: the same for hashes, and without allocation.
   *
   * @param hashes the hashes to ask about
   * @param count how many of them
   * @param selected receives the indexes of those that may be here, ascending; must have room for
   *     {@code count}
   * @return how many were selected
   */
  int candidates(long[] hashes, int count, int[] selected);

  /**
   * {@return a look at the filter as it is now} Counts bits, so it takes milliseconds on large
   * filters.
   */
  FilterStats stats();

  /** {@return how many bytes {@link #writeTo} and {@link #save} will write, exactly} */
  long sizeInBytes();

  /**
   * Writes the filter to a file, so that after any crash either the old or the new file is there,
   * whole: temporary file, fsync, rename, fsync of the folder. The bytes depend on the keys and the
   * seed alone. Keys put while this runs may or may not be in the file.
   *
   * <p>A symbolic link is followed: the link stays, and the file it points to is replaced. The new
   * file has the permissions of the one that it replaces. A device, a pipe or a folder is refused;
   * {@link #writeTo} writes to those. Temporary files that killed processes left in the folder are
   * removed.
   *
   * @param path the file, replaced if it exists
   * @throws IOException if it could not be written; then the old file is as it was
   */
  void save(Path path) throws IOException;

  /**
   * Writes what {@link #save} writes to a stream, and does not close it.
   *
   * @param out the stream
   * @throws IOException if the stream fails
   */
  void writeTo(OutputStream out) throws IOException;
}
