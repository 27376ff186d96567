package io.woodbird.filter;

import io.woodbird.DurableFilter;
import io.woodbird.FilterStats;
import io.woodbird.file.Journal;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** A Bloom filter on the heap with a file and a journal beside it. */
final class DurableBloomFilter<K> extends HashedFilter<K> implements DurableFilter<K> {
  /*
   *   seen.wbird             the filter as of the last fold, always whole
   *   seen.wbird.journal-7   the hashes put since then
   *   seen.wbird.lock        locked while a process has the filter open
   *
   * A hash is appended to the journal and then its bits are set, both under one lock. So a key that
   * looks present has its record in a journal, and when a fold changes to a new journal under that
   * lock, all records of the old one have their bits set and go into the new file. Old journals are
   * removed when the new file is in place. Replaying a journal twice does no harm, so nothing needs
   * to say which of them a file includes.
   */

  /** A fold costs a whole file, so the journal may grow to a quarter of it, and to 1 MiB. */
  private static final long FOLD_SHARE = 4;

  private static final long FOLD_BYTES = 1 << 20;

  private final DurableFiles files;
  private final HeapBloomFilter<K> filter;
  private final boolean everyPut;
  private final Recovery recovery;
  private final Closeable lock;

  /** Held while a record is appended and its bits are set, and while the journal changes. */
  private final Object writes = new Object();

  /** Held while the file is written; taken before {@link #writes}. */
  private final Object folds = new Object();

  private volatile Journal journal;
  private volatile @Nullable Journal previous;
  private long journalNumber;
  private long unfolded;
  private volatile boolean closed;

  DurableBloomFilter(
      DurableFiles files,
      HeapBloomFilter<K> filter,
      boolean everyPut,
      Recovery recovery,
      Closeable lock)
      throws IOException {
    super(filter.setup());
    this.files = files;
    this.filter = filter;
    this.everyPut = everyPut;
    this.recovery = recovery;
    this.lock = lock;
    this.unfolded = recovery.replayedKeys();
    this.journalNumber = files.lastJournal() + 1;
    this.journal = files.newJournal(journalNumber);
  }

  @Override
  public boolean mightContainHash(long hash) {
    return filter.mightContainHash(hash);
  }

  @Override
  public int candidates(long[] hashes, int count, int[] selected) {
    return filter.candidates(hashes, count, selected);
  }

  @Override
  public boolean putHash(long hash) {
    try {
      if (filter.mightContainHash(hash)) {
        awaitEarlierPuts();
        return false;
      }
      Journal current;
      long position;
      boolean fresh;
      synchronized (writes) {
        checkOpen();
        current = journal;
        position = current.append(hash);
        fresh = filter.set(hash);
      }
      if (everyPut) {
        current.sync(position);
      }
      if (fresh) {
        filter.notice(hash);
      }
      return fresh;
    } catch (IOException e) {
      throw new UncheckedIOException("the key could not be written to the journal", e);
    }
  }

  /** The bits of a key that looks present may come from puts that are not on disk yet. */
  private void awaitEarlierPuts() throws IOException {
    checkOpen();
    if (everyPut) {
      // After the bits were seen, and in this order: a fold sets "previous" first. The other way
      // round, a journal that a fold retires between the two reads would be missed.
      VarHandle.acquireFence();
      Journal current = journal;
      Journal before = previous;
      if (before != null) {
        before.sync(before.appended());
      }
      current.sync(current.appended());
    }
  }

  @Override
  public long putAll(Collection<? extends K> all) {
    requireKeys(all);
    long[] fresh = {0};
    forEachChunk(all, (chunk, hashes) -> fresh[0] += putHashes(hashes, chunk.size()));
    return fresh[0];
  }

  @Override
  public void checkpoint() throws IOException {
    synchronized (folds) {
      checkOpen();
      Journal current = journal;
      current.sync(current.appended());
      long bytes = 8 * (unfolded + current.appended());
      if (bytes > FOLD_BYTES && bytes > filter.sizeInBytes() / FOLD_SHARE) {
        fold();
      }
    }
  }

  /** Writes the file anew and removes the journals that it makes superfluous. */
  private void fold() throws IOException {
    Journal next = files.newJournal(journalNumber + 1);
    Journal old;
    synchronized (writes) {
      old = journal;
      previous = old;
      journal = next;
    }
    // Now, not at the end: if the rest fails, the old journal is still needed.
    journalNumber++;
    unfolded += old.appended();
    old.sync(old.appended());
    filter.save(files.path());
    previous = null;
    old.close();
    files.removeJournals(journalNumber - 1);
    unfolded = 0;
  }

  @Override
  public Recovery recovery() {
    return recovery;
  }

  @Override
  public void close() throws IOException {
    synchronized (folds) {
      if (closed) {
        return;
      }
      try {
        synchronized (writes) {
          closed = true;
        }
        journal.sync(journal.appended());
        if (unfolded + journal.appended() > 0) {
          filter.save(files.path());
        }
        journal.close();
        files.removeJournals(journalNumber);
      } finally {
        lock.close();
      }
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the filter is closed");
    }
  }

  @Override
  public FilterStats stats() {
    return filter.stats();
  }

  @Override
  public long sizeInBytes() {
    return filter.sizeInBytes();
  }

  @Override
  public void save(Path path) throws IOException {
    if (Files.exists(path) && Files.isSameFile(path, files.path())) {
      throw new IOException("the filter's own file is written by checkpoint and close: " + path);
    }
    filter.save(path);
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    filter.writeTo(out);
  }
}
