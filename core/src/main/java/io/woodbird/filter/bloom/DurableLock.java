package io.woodbird.filter.bloom;

import java.io.Closeable;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Lets one writer at a time change a file, whatever name it is opened by. Internal. */
public final class DurableLock {
  private static final int MAX_LINKS = 40;

  /** The end of the name of the file that keeps openers in this process out. */
  private static final String HERE = ".lock";

  /** The end of the name of the file that keeps other processes out. */
  private static final String OTHERS = ".lock2";

  private static final int TOKEN_BYTES = 16;

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
    LockFile here = LockFile.lock(file, HERE);
    try {
      LockFile others = LockFile.lock(file, OTHERS);
      try {
        return new Held(here, others);
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
    /*
     * A lock can go without a word. Somebody removes the files, which look as if they were left over.
     * Some other code in this process opens and closes both files, as a backup of the folder does: on
     * POSIX that drops the locks. A file server ends the lease of a machine that it could not reach.
     * The Java runtime still takes such a lock for valid.
     *
     * So each opener that has both locks writes a random token into the second file before it reads
     * the filter. While the token is there, and both names belong to the files that were locked,
     * nobody else has opened the filter.
     */
    private final LockFile here;
    private final LockFile others;
    private final byte[] token = new byte[TOKEN_BYTES];

    /** Guards the position and the end of the files, and released. */
    private final ReentrantLock use = new ReentrantLock();

    private boolean released;

    private Held(LockFile here, LockFile others) throws IOException {
      this.here = here;
      this.others = others;
      new SecureRandom().nextBytes(token);
      others.write(token);
    }

    /** Throws if another process may have the lock, or may have had it before this released it. */
    void requireHeld() throws IOException {
      use.lock();
      try {
        if (!released) {
          requireNow();
        }
      } finally {
        use.unlock();
      }
    }

    private void requireNow() throws IOException {
      others.requireNamed();
      here.requireNamed();
      if (!Arrays.equals(others.read(), token)) {
        throw new IOException(
            others.path
                + " was locked by somebody else while the filter was open, so another process may"
                + " have opened it; open it again");
      }
    }

    /**
     * Releases the lock, and throws if it was lost meanwhile: two programs may have changed the
     * file at the same time, and then one of them has lost what it saved.
     */
    @Override
    public void close() throws IOException {
      use.lock();
      try (here;
          others) {
        requireHeld();
        released = true;
      } finally {
        use.unlock();
      }
    }
  }

  /** A file that is locked until it is closed. */
  private static final class LockFile implements Closeable {
    private final Path path;

    /** Not a channel of its own, which an interrupt would close while it reads. */
    private final RandomAccessFile file;

    /** What tells the file from all others; null on Windows. */
    private final @Nullable Object key;

    private LockFile(Path path, RandomAccessFile file) throws IOException {
      this.path = path;
      this.file = file;
      this.key = key(path);
    }

    static LockFile lock(Path filter, String suffix) throws IOException {
      Path path = filter.resolveSibling(filter.getFileName() + suffix);
      RandomAccessFile file = open(path);
      try {
        if (isLocked(file.getChannel())) {
          return new LockFile(path, file);
        }
      } catch (Throwable e) {
        file.close();
        throw e;
      }
      file.close();
      throw new IOException(filter + " is open in another process, or elsewhere in this one");
    }

    private static RandomAccessFile open(Path path) throws IOException {
      try {
        return new RandomAccessFile(path.toFile(), "rw");
      } catch (FileNotFoundException e) { // Whatever the reason is. A channel tells them apart.
        FileChannel.open(
                path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)
            .close();
        throw e;
      }
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
      try {
        return channel.tryLock() != null;
      } catch (OverlappingFileLockException e) {
        return false; // Open in this process.
      }
    }

    private static @Nullable Object key(Path path) throws IOException {
      return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    /** Throws if the name now belongs to no file or to another, which somebody else can lock. */
    void requireNamed() throws IOException {
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

    void write(byte[] bytes) throws IOException {
      file.seek(0);
      file.write(bytes);
    }

    /** Returns the token in the file, or nothing if it was cut. */
    byte[] read() throws IOException {
      byte[] bytes = new byte[TOKEN_BYTES];
      try {
        file.seek(0);
        file.readFully(bytes);
        return bytes;
      } catch (EOFException e) {
        return new byte[0];
      }
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
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
