package io.woodbird.filter.bloom;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** Lets one writer at a time change a file, whatever name it is opened by. Internal. */
public final class DurableLock {
  private static final int MAX_LINKS = 40;

  /** The end of the name of the file that keeps other processes out. */
  private static final String OTHERS = ".lock2";

  private DurableLock() {}

  /**
   * Returns the one name of a file, with all symbolic links followed: journals and locks lie beside
   * it, and it is what a save replaces.
   */
  public static Path realPath(Path path) throws IOException {
    Path file = path.toAbsolutePath();
    for (int i = 0; i < MAX_LINKS; i++) {
      if (exists(file)) {
        return file.toRealPath();
      }
      Path folder = file.getParent();
      if (folder == null || file.getFileName() == null) {
        throw new IOException("not a file: " + path);
      }
      file = folder.toRealPath().resolve(file.getFileName());
      if (!Files.isSymbolicLink(file)) {
        return file; // To be made.
      }
      file = file.resolveSibling(Files.readSymbolicLink(file));
    }
    throw new IOException("too many symbolic links: " + path);
  }

  /** Whether there is a file; an error is not taken for "no", or a filter would begin empty. */
  static boolean exists(Path file) throws IOException {
    try {
      BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
      if (!found.isRegularFile()) {
        throw new IOException("not a regular file: " + file);
      }
      return true;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /**
   * Locks two files. On POSIX a process loses its lock on a file as soon as it closes any channel
   * of that file, and a second opener in this process opens a channel and closes it again. So such
   * an opener is refused at the first file, and never opens the second one, which keeps other
   * processes out.
   */
  public static Held lock(Path file) throws IOException {
    FileChannel here = lockFile(file, ".lock");
    try {
      FileChannel others = lockFile(file, OTHERS);
      try {
        return new Held(here, others, file.resolveSibling(file.getFileName() + OTHERS));
      } catch (Throwable e) {
        others.close();
        throw e;
      }
    } catch (Throwable e) {
      here.close();
      throw e;
    }
  }

  /** Two files that are locked until this is closed. */
  public static final class Held implements Closeable {
    private final FileChannel here;
    private final FileChannel others;
    private final Path path;
    private final @Nullable Object key;

    private Held(FileChannel here, FileChannel others, Path path) throws IOException {
      this.here = here;
      this.others = others;
      this.path = path;
      this.key = key(path);
    }

    /** Returns what tells a file from all others; null on Windows. */
    private static @Nullable Object key(Path path) throws IOException {
      return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    /**
     * Throws if the file that keeps other processes out is no longer there. It looks as if it were
     * left over, and somebody may have removed it. Then another process can lock a new one.
     */
    void requireHeld() throws IOException {
      // Asks for the name only: to open and close the file would give up the lock.
      boolean same;
      try {
        same = key == null || key.equals(key(path));
      } catch (NoSuchFileException e) {
        same = false;
      }
      if (!same) {
        throw new IOException(
            path
                + " was removed while the filter was open, so another process may have opened it;"
                + " open it again");
      }
    }

    /**
     * Releases the lock, and throws if it was removed meanwhile: two programs may have changed the
     * file at the same time, and then one of them has lost what it saved.
     */
    @Override
    public void close() throws IOException {
      try {
        requireHeld();
      } finally {
        others.close();
        here.close();
      }
    }
  }

  private static FileChannel lockFile(Path file, String suffix) throws IOException {
    FileChannel channel =
        FileChannel.open(
            file.resolveSibling(file.getFileName() + suffix),
            StandardOpenOption.WRITE,
            StandardOpenOption.CREATE);
    try {
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return channel;
      }
    } catch (OverlappingFileLockException e) {
      // Open in this process.
    } catch (Throwable e) {
      channel.close();
      throw e;
    }
    channel.close();
    throw new IOException(file + " is open in another process, or elsewhere in this one");
  }

  /**
   * Refuses a file that has hard links: a save gives one of its names a new file, and the other
   * name keeps the old one, which lacks the keys put since.
   */
  static void requireOneName(Path file) throws IOException {
    if (!file.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      return; // Windows does not tell.
    }
    int names = (Integer) Files.getAttribute(file, "unix:nlink");
    if (names > 1) {
      throw new IOException(
          file
              + " has "
              + names
              + " names (hard links), and the others would keep the filter as it is now; make"
              + " copies of it instead");
    }
  }
}
