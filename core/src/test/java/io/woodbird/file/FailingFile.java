package io.woodbird.file;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The file of a journal, of which a chosen write or fsync fails. */
public final class FailingFile extends SteadyFile {
  private @Nullable Throwable failure;
  private int callsBefore;
  private int syncs;

  private FailingFile(RandomAccessFile file) {
    super(file);
  }

  /** Makes a new file, or takes one that is there, and writes it from its beginning. */
  public static FailingFile at(Path path) throws IOException {
    return new FailingFile(new RandomAccessFile(path.toFile(), "rw"));
  }

  /** Makes a journal of this file. */
  public Journal journal(Path path, long number, int filterCrc) throws IOException {
    return Journal.create(this, path, number, filterCrc);
  }

  /** Lets one write or fsync fail, once: the one after so many others from now on. */
  public void failAfter(int calls, Throwable with) {
    callsBefore = calls;
    failure = with;
  }

  /** Whether the failure is still to come. */
  public boolean isToFail() {
    return failure != null;
  }

  /** How often all was forced to disk. */
  public int syncs() {
    return syncs;
  }

  @Override
  void writeAt(long at, ByteBuffer bytes) throws IOException {
    step();
    super.writeAt(at, bytes);
  }

  @Override
  void sync() throws IOException {
    step();
    super.sync();
    syncs++;
  }

  private void step() throws IOException {
    Throwable thrown = failure;
    if (thrown == null || callsBefore-- > 0) {
      return;
    }
    failure = null;
    if (thrown instanceof IOException trouble) {
      throw trouble;
    }
    throw (Error) thrown;
  }
}
