package io.woodbird.filter;

import io.woodbird.Answer;
import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.FilterStats;
import io.woodbird.OpenFilter;
import io.woodbird.file.StoredFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/**
 * A large file that answers page by page, until all of it was read. From then on it answers from
 * the form that its filter has on the heap.
 */
final class WarmingFilter<K> extends HashedFilter<K> implements OpenFilter<K> {
  /*
   * A thread of its own copies the pages, as that takes a second for 2 GB. Questions that still run
   * in the old form keep its pages alive. Afterwards the garbage collector takes them.
   */
  private final Codec codec;
  private OpenFilter<K> stored;
  private StoredFile file;
  private boolean closed;
  private volatile Filter<K> asked;

  WarmingFilter(FilterSpec<K> spec, StoredFile file, Codec codec) throws CorruptFilterException {
    super(spec);
    this.codec = codec;
    this.file = file;
    this.stored = codec.stored(spec, file);
    this.asked = stored;
    file.whenComplete(this::startToMove);
  }

  private void startToMove() {
    Thread mover = new Thread(this::move, "woodbird-warm");
    mover.setDaemon(true);
    try {
      mover.start();
    } catch (OutOfMemoryError e) {
      // The system has no thread to spare. The pages answer on, and so does the caller's question.
    }
  }

  /** Copies all pages to the heap, if there is room for both forms. */
  private void move() {
    Runtime runtime = Runtime.getRuntime();
    long free = runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory();
    if (free < 2 * sizeInBytes()) {
      return; // The pages answer on, a little slower.
    }
    try {
      StoredFile pages = file();
      Filter<K> heap = codec.onHeap(spec(), pages);
      StoredFile rest = pages.withoutPages();
      OpenFilter<K> restored = codec.stored(spec(), rest);
      synchronized (this) {
        if (!closed) {
          file = rest;
          stored = restored;
          asked = heap;
        }
      }
    } catch (CorruptFilterException | OutOfMemoryError e) {
      // There is no room after all. The pages answer on.
    } catch (IllegalStateException | IndexOutOfBoundsException e) {
      // Closed meanwhile.
    }
  }

  /** Whether it answers from the heap. */
  boolean isWarm() {
    return asked != stored();
  }

  private synchronized StoredFile file() {
    return file;
  }

  private synchronized OpenFilter<K> stored() {
    return stored;
  }

  @Override
  public boolean mightContainHash(long hash) {
    return asked.mightContainHash(hash);
  }

  @Override
  public Answer ask(K key) {
    return asked.ask(key);
  }

  @Override
  public int candidates(long[] hashes, int count, int[] selected) {
    return asked.candidates(hashes, count, selected);
  }

  @Override
  public FilterStats stats() {
    FilterStats stats = asked.stats();
    return isWarm()
        ? new FilterStats(
            stats.layout(),
            stats.bits(),
            stats.expectedKeys(),
            stats.estimatedKeys(),
            stats.fill(),
            stats.promisedFpp(),
            stats.currentFpp(),
            file().doubts())
        : stats;
  }

  @Override
  public long sizeInBytes() {
    return stored().sizeInBytes();
  }

  @Override
  public void save(Path path) throws IOException {
    stored().save(path);
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    stored().writeTo(out);
  }

  @Override
  public void verify() throws IOException {
    stored().verify();
  }

  @Override
  public void close() {
    OpenFilter<K> last;
    synchronized (this) {
      closed = true; // The stored form stays what it is.
      last = stored;
    }
    try {
      last.close();
    } finally {
      asked = last; // Says that it is closed. Not before: it may have no pages to answer from.
    }
  }
}
