package io.woodbird.filter;

import io.woodbird.BloomFilter;
import io.woodbird.FilterStats;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.file.FileWriter;
import io.woodbird.words.HeapWords;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** What the two Bloom filters on the heap have in common: everything but which bits a hash owns. */
abstract class HeapBloomFilter<K> extends HashedFilter<K> implements BloomFilter<K> {
  private final Notices notices;

  HeapBloomFilter(Setup<K> setup, Notices notices) {
    super(setup);
    this.notices = notices;
  }

  /** Sets the bits of a hash; true if this call was the one that completed them. */
  abstract boolean set(long hash);

  /** Brings the words of some hashes into the cache. */
  abstract void touch(long[] hashes, int from, int to);

  abstract HeapWords words();

  abstract BloomShape shape();

  @Override
  public final boolean putHash(long hash) {
    boolean fresh = set(hash);
    if (fresh) {
      notice(hash);
    }
    return fresh;
  }

  /** Tells the listener, if there is one and it is time, that a put changed a bit. */
  final void notice(long hash) {
    notices.fresh(hash, this::stats);
  }

  @Override
  public final long putAll(Collection<? extends K> all) {
    requireKeys(all);
    long[] fresh = {0};
    forEachChunk(all, (chunk, hashes) -> fresh[0] += putHashes(hashes, chunk.size()));
    return fresh[0];
  }

  @Override
  public final int putHashes(long[] hashes, int count) {
    Objects.checkFromIndexSize(0, count, hashes.length);
    int fresh = 0;
    for (int from = 0; from < count; from += CHUNK) {
      int to = Math.min(count, from + CHUNK);
      touch(hashes, from, to);
      for (int i = from; i < to; i++) {
        fresh += putHash(hashes[i]) ? 1 : 0;
      }
    }
    return fresh;
  }

  @Override
  public final void union(BloomFilter<K> other) {
    Objects.requireNonNull(other, "other");
    if (!(other instanceof HeapBloomFilter<K> heap) || !heap.fits(this)) {
      throw new IncompatibleFilterException(
          "only filters of one layout, size, seed and key encoding can be united\n  this:  "
              + identity()
              + "\n  other: "
              + (other instanceof HeapBloomFilter<K> heap ? heap.identity() : other));
    }
    HeapWords from = heap.words();
    HeapWords to = words();
    for (long word = 0; word < from.count(); word++) {
      to.setBits(HeapWords.index(word), from.get(word));
    }
  }

  private boolean fits(HeapBloomFilter<K> other) {
    return shape().equals(other.shape())
        && setup().seed() == other.setup().seed()
        && setup().keys().id().equals(other.setup().keys().id());
  }

  private String identity() {
    return String.format(
        Locale.ROOT,
        "%s, %,d bits, seed %d, keys %s",
        shape().describe(),
        shape().wordCount() * 64,
        setup().seed(),
        setup().keys().id());
  }

  @Override
  public final FilterStats stats() {
    return shape().stats(words(), setup(), List.of());
  }

  @Override
  public final long sizeInBytes() {
    return FileWriter.sizeInBytes(shape().wordCount() * 8);
  }

  @Override
  public final void save(Path path) throws IOException {
    FileWriter.save(BloomCodec.header(shape(), setup()), BloomCodec.data(words()), path);
  }

  @Override
  public final void writeTo(OutputStream out) throws IOException {
    FileWriter.writeTo(BloomCodec.header(shape(), setup()), BloomCodec.data(words()), out);
  }
}
