package io.woodbird.filter;

import io.woodbird.IncompatibleFilterException;
import io.woodbird.MutableFilter;
import io.woodbird.file.DataSource;
import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** What filters on the heap that take keys have in common: many keys at once, and files. */
abstract class HeapFilter<K> extends HashedFilter<K> implements MutableFilter<K> {
  HeapFilter(Setup<K> setup) {
    super(setup);
  }

  /** The filter as a file holds it, with every key whose put has returned. */
  abstract Image image();

  /** A header and the data that belongs to it, which may be read once. */
  record Image(Header header, DataSource data) {}

  /** Brings the words of some hashes into the cache. */
  abstract void touch(long[] hashes, int from, int to);

  @Override
  public final long putAll(Collection<? extends K> all) {
    requireKeys(all);
    long[] fresh = {0};
    forEachChunk(all, (chunk, hashes) -> fresh[0] += putHashes(hashes, chunk.size()));
    return fresh[0];
  }

  @Override
  public final int putHashes(long[] hashes, int count) {
    if (count < 0 || count > hashes.length) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "count must be from 0 to the length of hashes (%d): %d",
              hashes.length,
              count));
    }
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
  public final long sizeInBytes() {
    return FileWriter.sizeInBytes(image().header().dataBytes());
  }

  @Override
  public final void save(Path path) throws IOException {
    Image image = image();
    FileWriter.save(image.header(), image.data(), path);
  }

  @Override
  public final void writeTo(OutputStream out) throws IOException {
    Image image = image();
    FileWriter.writeTo(image.header(), image.data(), out);
  }

  /** Refuses another filter that does not give the same place to the same key. */
  final void requireSameShape(Object other) {
    Objects.requireNonNull(other, "other");
    if (!(other instanceof HeapFilter<?> heap) || !sameShape(heap)) {
      throw new IncompatibleFilterException(
          "only filters of one layout, size, seed and key encoding can be united\n  this:  "
              + identity()
              + "\n  other: "
              + (other instanceof HeapFilter<?> heap ? heap.identity() : other));
    }
  }

  private boolean sameShape(HeapFilter<?> other) {
    return image().header().layout() == other.image().header().layout()
        && place().equals(other.place())
        && setup().seed() == other.setup().seed()
        && setup().keys().id().equals(other.setup().keys().id());
  }

  /** What decides the place of a key, beside layout, seed and key encoding. */
  List<Long> place() {
    return image().header().parameters();
  }

  private String identity() {
    return String.format(
        Locale.ROOT,
        "%s, %,d bits, seed %d, keys %s",
        stats().layout(),
        stats().bits(),
        setup().seed(),
        setup().keys().id());
  }
}
