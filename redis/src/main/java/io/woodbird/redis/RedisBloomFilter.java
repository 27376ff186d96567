package io.woodbird.redis;

import io.woodbird.BloomFilter;
import io.woodbird.CorruptFilterException;
import io.woodbird.IncompatibleFilterException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * A Bloom filter in Redis: it can be loaded from files, and rebuilt while it is used.
 *
 * @param <K> the type of the keys
 */
public interface RedisBloomFilter<K> extends BloomFilter<K>, RedisFilter<K> {
  /**
   * Puts many keys at once, a hundred times as fast as {@link #putAll}, which has to say which are
   * new: sets the bits on the heap and sends them, a shard at a time. Takes as much memory as the
   * filter has bits.
   *
   * @param keys the keys
   * @throws RedisFilterException if it is not known that all are in
   */
  void load(Iterator<? extends K> keys);

  /**
   * Puts every key of a filter file, which must have the same parameters and seed.
   *
   * @param path a file that was saved from this filter, or from one on the heap like it
   * @throws IncompatibleFilterException if the two differ; the message shows both
   * @throws CorruptFilterException if the file is damaged
   * @throws IOException if it can't be read
   */
  void load(Path path) throws IOException;

  /**
   * Rebuilds the filter from a source: fills a new one beside the old one, and swaps them. What was
   * removed from the source is gone then. Of all clients that try at once one builds. While it
   * builds, and until its grace is over, every put of every client goes into both; so no key put
   * meanwhile is lost, and {@link #rollBack} is possible.
   *
   * <p>A key must be in the source before it is put. The source is opened when all clients are
   * known to put into both.
   *
   * @param source gives all keys; closed after use if it is {@link AutoCloseable}
   * @param options how long the build and the old generation last, and the fewest keys to accept
   * @return the number of the generation that was built and made current; nothing if another client
   *     is building, or has taken over because this one was asleep for longer than its lease
   * @throws RedisFilterException if the build failed; the old filter goes on. It fails as long as
   *     there are whole shards of a generation that the record does not name: the record is older
   *     than they are, other clients may ask them, and they may be the only copy of what was put
   */
  OptionalLong rebuild(Supplier<? extends Iterator<? extends K>> source, RedisRebuild options);

  /**
   * Rebuilds the filter from a filter file, which must have the same parameters and seed. What was
   * put before and is not in the file is gone then; what is put meanwhile is not.
   *
   * @param path a file that was saved from this filter, or from one on the heap like it
   * @param options how long the build and the old generation last; the fewest keys are not checked
   * @return as above
   * @throws IncompatibleFilterException if the two differ; the message shows both
   * @throws CorruptFilterException if the file is damaged
   * @throws IOException if it can't be read
   */
  OptionalLong rebuild(Path path, RedisRebuild options) throws IOException;

  /** {@return whether it went back to the generation before {@link #rebuild}, in its grace} */
  boolean rollBack();

  /**
   * Asks to be told how far a load, a rebuild or a save has got.
   *
   * @param bytes gets the bytes that were sent or read so far, from the thread that does it
   */
  void onProgress(LongConsumer bytes);
}
