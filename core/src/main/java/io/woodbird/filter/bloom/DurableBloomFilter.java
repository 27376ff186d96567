package io.woodbird.filter.bloom;

import io.woodbird.DurableFilter;
import io.woodbird.FilterStats;
import io.woodbird.file.FileWriter;
import io.woodbird.file.Journal;
import io.woodbird.filter.HashedFilter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/** A Bloom filter on the heap with a file and a journal beside it. */
final class DurableBloomFilter<K> extends HashedFilter<K> implements DurableFilter<K> {
  /*
   *   seen.wbird             the filter as of the beginning of the journal that its header names
   *   seen.wbird.journal-7   the hashes put since then
   *   seen.wbird.lock        locked while a process has the filter open
   *
   * A hash is appended to the journal and then its bits are set, both under one lock. So a key that
   * looks present has its record in a journal.
   *
   * A fold goes: make the next journal; under the lock, put the old one on disk to its last hash, with
   * a note that it ends, and change to the next; write the file again, naming the next journal; remove
   * the old one. Opening does the same with what it found, and closing writes a file that names none.
   * So at every moment the file, the journal that it names and those after it hold all that was
   * promised, and each of them is known to be there: by its name in the file, or by the note in the
   * one before. As the old journal is whole on disk before the next is used, a put that must wait for
   * earlier ones waits for the newest journal alone.
   *
   * If the lock was lost, another process may have opened the filter: it has taken over what was in
   * the journal then, and removed it. So nothing is promised and nothing is saved from then on.
   *
   * A fold that fails leaves the next journal where it is: the note that the old one ends may be on
   * disk. No hash is in it, and the next attempt takes the next number.
   *
   * The heap knows all keys of the file only while no other process can put one. So an answer counts if
   * the filter was neither closed nor without its lock after the words were read.
   */

  /** A fold costs a whole file, so the journal may grow to a quarter of it, and to 1 MiB. */
  private static final long FOLD_SHARE = 4;

  private static final long FOLD_BYTES = 1 << 20;

  private final DurableFiles files;
  final HeapBloomFilter<K> filter;
  private final boolean everyPut;
  private final Recovery recovery;
  private final DurableLock.Held lock;

  /** Held while a record is appended and its bits are set, and while the journal changes. */
  final ReentrantLock writes = new ReentrantLock();

  /** Held while the file is written; taken before {@link #writes}. */
  private final ReentrantLock folds = new ReentrantLock();

  volatile Journal journal;
  private long journalNumber; // The last that was made.
  private long unfolded;
  private volatile boolean closed;

  /** Whether the lock was found to be gone. */
  private volatile boolean lost;

  /** Begins with what was found; {@code lastJournal} is the last number that a journal had. */
  DurableBloomFilter(
      DurableFiles files,
      HeapBloomFilter<K> filter,
      boolean everyPut,
      Recovery recovery,
      DurableLock.Held lock,
      long lastJournal)
      throws IOException {
    super(filter.spec());
    this.files = files;
    this.filter = filter;
    this.everyPut = everyPut;
    this.recovery = recovery;
    this.lock = lock;
    this.journalNumber = lastJournal + 1;
    this.journal = files.newJournal(journalNumber);
    try {
      files.save(filter, journalNumber, this::requireHeld);
      files.removeJournals(journalNumber - 1);
    } catch (Throwable e) {
      journal.close();
      throw e;
    }
  }

  @Override
  public boolean mightContainHash(long hash) {
    boolean maybe = filter.mightContainHash(hash);
    requireOurs();
    return maybe;
  }

  @Override
  public int candidates(long[] hashes, int count, int[] selected) {
    int kept = filter.candidates(hashes, count, selected);
    requireOurs();
    return kept;
  }

  /** Throws if another process may have put keys into the file, of which the heap knows nothing. */
  private void requireOurs() {
    VarHandle.acquireFence(); // After the words were read.
    checkOpen();
    if (lost) {
      throw new UncheckedIOException(
          new IOException("the lock of the filter was lost; open it again: " + files.path()));
    }
  }

  @Override
  public boolean putHash(long hash) {
    try {
      boolean fresh = take(hash);
      awaitPuts();
      return fresh;
    } catch (IOException e) {
      throw notWritten(e);
    }
  }

  @Override
  public int putHashes(long[] hashes, int count) {
    try {
      int fresh = take(hashes, count);
      awaitPuts();
      return fresh;
    } catch (IOException e) {
      throw notWritten(e);
    }
  }

  /** Puts all, and then waits for the disk once. */
  @Override
  public long putAll(Collection<? extends K> all) {
    try {
      long fresh =
          putChunks(
              all,
              (hashes, count) -> {
                try {
                  return take(hashes, count);
                } catch (IOException e) {
                  throw notWritten(e);
                }
              });
      awaitPuts();
      return fresh;
    } catch (IOException e) {
      throw notWritten(e);
    }
  }

  private int take(long[] hashes, int count) throws IOException {
    Objects.checkFromIndexSize(0, count, hashes.length);
    int fresh = 0;
    for (int i = 0; i < count; i++) {
      fresh += take(hashes[i]) ? 1 : 0;
    }
    return fresh;
  }

  /** Takes a hash, which need not be on disk yet; true if it was new. */
  private boolean take(long hash) throws IOException {
    if (filter.mightContainHash(hash)) {
      requireOurs(); // After the bits were seen, and before the journal is.
      return false;
    }
    boolean fresh;
    writes.lock();
    try {
      requireOurs();
      journal.append(hash);
      fresh = filter.set(hash);
    } finally {
      writes.unlock();
    }
    if (fresh) {
      filter.notice(hash);
    }
    return fresh;
  }

  private static UncheckedIOException notWritten(IOException e) {
    return new UncheckedIOException("the key could not be written to the journal", e);
  }

  /**
   * Waits for the disk, if each put must. It waits for the puts of others too: the bits of a key
   * that looks present may come from puts that are not on disk yet.
   */
  private void awaitPuts() throws IOException {
    if (everyPut) {
      Journal current = journal;
      sync(current, current.appended());
    }
  }

  /**
   * Returns when hashes are on disk, in a journal that the next opener reads. The lock is looked at
   * last: if another process opened the filter before that, it may have read the journal too early.
   */
  private void sync(Journal current, long position) throws IOException {
    current.sync(position);
    requireHeld();
  }

  private void requireHeld() throws IOException {
    try {
      lock.requireHeld();
    } catch (IOException e) {
      lost = true;
      throw e;
    }
  }

  @Override
  public void checkpoint() throws IOException {
    folds.lock();
    try {
      checkOpen();
      Journal current = journal;
      sync(current, current.appended());
      long bytes = 8 * (unfolded + current.appended());
      if (bytes > FOLD_BYTES && bytes > filter.sizeInBytes() / FOLD_SHARE) {
        fold();
      }
    } finally {
      folds.unlock();
    }
  }

  /** Writes the file again and removes the journals that it makes superfluous. */
  void fold() throws IOException {
    Journal old = journal;
    old.check(); // Or each attempt would leave another journal.
    Journal next = files.newJournal(journalNumber + 1);
    journalNumber++;
    try {
      writes.lock();
      try {
        old.end();
        journal = next;
      } finally {
        writes.unlock();
      }
    } catch (Throwable e) {
      next.close(); // The old journal has failed, and stays: puts throw.
      throw e;
    }
    // Now, not at the end: if the rest fails, the old journal is still needed.
    unfolded += old.appended();
    old.close();
    files.save(filter, journalNumber, this::requireHeld);
    files.removeJournals(journalNumber - 1);
    unfolded = 0;
  }

  @Override
  public Recovery recovery() {
    return recovery;
  }

  @Override
  public void close() throws IOException {
    folds.lock();
    try {
      if (!closed) {
        closeOnce();
      }
    } finally {
      folds.unlock();
    }
  }

  private void closeOnce() throws IOException {
    try {
      writes.lock();
      try {
        closed = true; // No record is appended after this.
      } finally {
        writes.unlock();
      }
      saveWhole();
      journal.close();
      files.removeJournals(journalNumber);
    } finally {
      try {
        journal.close();
      } finally {
        lock.close();
      }
    }
  }

  /** Writes the file whole, even if the journal has failed: the heap has every key. */
  private void saveWhole() throws IOException {
    try {
      requireHeld(); // Or what another process has saved would be lost.
      files.save(filter, 0, this::requireHeld);
      journal.superseded();
    } catch (Throwable e) {
      try {
        journal.sync(journal.appended()); // Then the journals must do.
      } catch (IOException failure) {
        e.addSuppressed(failure);
      }
      throw e;
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
  public Image image() {
    return filter.image();
  }

  @Override
  public void save(Path path) throws IOException {
    if (Files.exists(path) && Files.isSameFile(path, files.path())) {
      throw new IOException("the filter's own file is written by checkpoint and close: " + path);
    }
    Image image = filter.image();
    FileWriter.save(image.header(), image.data(), image.sections(), path, this::requireCopied);
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    filter.writeTo(out);
    requireCopied();
  }

  /** Throws if a copy may lack keys that another process has put: it would deny them. */
  private void requireCopied() throws IOException {
    requireHeld();
    checkOpen();
  }
}
