package io.woodbird.filter;

import io.woodbird.Answer;
import io.woodbird.FilterStats;
import io.woodbird.OpenFilter;
import io.woodbird.file.FileWriter;
import io.woodbird.file.StoredFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/** What filters that answer from a file share: a "not here" must be proven. */
public abstract class StoredFilter<K> extends HashedFilter<K> implements OpenFilter<K> {
  private final StoredFile file;
  private final boolean mayVanish;

  protected StoredFilter(FilterSpec<K> spec, StoredFile file) {
    super(spec);
    this.file = file;
    this.mayVanish = file.mayVanish();
  }

  protected final StoredFile file() {
    return file;
  }

  /** Whether the words of a hash say "not here", and what they say is proven. */
  protected abstract boolean denies(long hash);

  /**
   * 0 if the words of a hash say "not here" and lie in good pages, else 1. Asks for the pages
   * before it reads the words. The caller sees to it that the file is whole.
   */
  protected abstract int keptIfWhole(long hash);

  /** Whether the words of a hash say "not here", proven or not, or can't be read. */
  protected abstract boolean lacks(long hash);

  protected abstract FilterStats look();

  @Override
  public final boolean mightContainHash(long hash) {
    try {
      return file.ended()
          || (mayVanish ? !denies(hash) || !file.unchanged() : keptIfWhole(hash) != 0);
    } catch (InternalError e) { // The file was cut short; see BufferFile.
      file.cut(); // Notes it, so that nothing more is read.
      return true;
    } catch (IndexOutOfBoundsException e) {
      throw closed(e);
    }
  }

  /** Says why words are missing that were there: the file was closed meanwhile. */
  protected final IndexOutOfBoundsException closed(IndexOutOfBoundsException e) {
    file.ended(); // Throws.
    return e;
  }

  @Override
  public final Answer ask(K key) {
    long hash = hashOf(key);
    if (!mightContainHash(hash)) {
      return Answer.NOT_HERE;
    }
    try {
      return file.ended() || lacks(hash) || file.cut() ? Answer.UNKNOWN : Answer.MAYBE_HERE;
    } catch (InternalError e) {
      return Answer.UNKNOWN;
    } catch (IndexOutOfBoundsException e) {
      throw closed(e);
    }
  }

  @Override
  public final int candidates(long[] hashes, int count, int[] selected) {
    checkBatch(hashes, count, selected);
    try {
      int kept = file.ended() ? 0 : candidatesIfWhole(hashes, count, selected);
      if (file.whole()) { // Asked once, after all was read: it is a call of the system.
        return kept;
      }
    } catch (InternalError e) {
      file.cut(); // Notes it.
    } catch (IndexOutOfBoundsException e) {
      throw closed(e);
    }
    int kept = 0; // Nobody can tell whether the file is whole: each "not here" needs its own proof.
    for (int i = 0; i < count; i++) {
      selected[kept] = i;
      kept += mightContainHash(hashes[i]) ? 1 : 0;
    }
    return kept;
  }

  private int candidatesIfWhole(long[] hashes, int count, int[] selected) {
    int kept = 0;
    for (int from = 0; from < count; from += CHUNK) {
      int to = Math.min(count, from + CHUNK);
      touch(hashes, from, to);
      for (int i = from; i < to; i++) {
        selected[kept] = i;
        kept += keptIfWhole(hashes[i]);
      }
    }
    return kept;
  }

  @Override
  public final FilterStats stats() {
    try {
      return look();
    } catch (InternalError e) {
      file.cut(); // Notes it, so that nothing more is read.
    } catch (IndexOutOfBoundsException e) {
      throw closed(e);
    }
    try {
      return look();
    } catch (InternalError e) {
      throw new IllegalStateException("the file was cut short while it was open", e);
    }
  }

  @Override
  public final void verify() throws IOException {
    file.verify();
  }

  @Override
  public final void close() {
    file.close();
  }

  @Override
  public final long sizeInBytes() {
    return FileWriter.sizeInBytes(file.header().dataBytes());
  }

  @Override
  public final void save(Path path) throws IOException {
    file.verify();
    FileWriter.save(file.header(), file::copyData, path);
  }

  @Override
  public final void writeTo(OutputStream out) throws IOException {
    file.verify();
    FileWriter.writeTo(file.header(), file::copyData, out);
  }
}
