package io.woodbird.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A new file in the folder of its target, which it replaces when it is complete. */
final class TemporaryFile implements Closeable {
  /*
   * A killed process leaves its temporary file behind. The next process that writes a file into the
   * folder removes it. It may only remove files that no process is still writing. A lock shows
   * that: the writer holds it until the file is renamed, and the system releases it when the
   * process ends for any reason. Process ids and file ages show nothing: ids are reused, other
   * hosts have their own, and a build may compute for hours before it writes.
   *
   *   writer   create, lock, check that the name still exists (if not: start again), write, rename
   *   remover  lock, delete, unlock
   *
   * So the writer notices a file that was removed between "create" and "lock", and after that only
   * the writer gets the lock. Where files can't be locked, nothing is removed. Where locks hold
   * only on one host (NFS 3 mounted with "nolock"), another host may remove the file of a running
   * writer; then the rename fails, and the old file stays.
   *
   * POSIX drops a process's lock on a file when the process closes any channel of that file. So a
   * remover never opens the files of its own process: the UUIDs in their names have the same first
   * half.
   *
   * The new file gets the permissions of the one that it replaces: a list that only its owner may
   * read stays so. Until then only the owner may read it, as it may hold the same keys.
   */
  private static final Pattern NAME =
      Pattern.compile("\\..+\\.([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})\\.wbird\\.tmp");

  /** Stops at a loop of links. */
  private static final int MOST_LINKS = 40;

  /** Most systems allow names of 255 bytes: 3 * 60 for the stem, 48 for the rest. */
  private static final int LONGEST_STEM = 60;

  /** The first half of this process's UUIDs. Random: in containers every process may have id 1. */
  private static final long PROCESS = UUID.randomUUID().getMostSignificantBits();

  private static final Set<PosixFilePermission> OWNER_ONLY =
      Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

  private final Path target;
  private final Path path;
  private final SteadyFile file;

  /** The permissions of the file to replace; null if there is none, or if it has no such thing. */
  private final @Nullable Set<PosixFilePermission> permissions;

  private TemporaryFile(
      Path target, Path path, SteadyFile file, @Nullable Set<PosixFilePermission> permissions) {
    this.target = target;
    this.path = path;
    this.file = file;
    this.permissions = permissions;
  }

  /**
   * Creates a file that will replace another, or what that points to if it is a symbolic link.
   * First removes the temporary files of killed processes from the folder.
   */
  static TemporaryFile create(Path file) throws IOException {
    Path target = follow(file);
    if (target.getFileName() == null || (Files.exists(target) && !Files.isRegularFile(target))) {
      // Renaming over a device would replace it for every program of the machine.
      throw new FileSystemException(file.toString(), null, "not a regular file");
    }
    removeUnfinished(target);
    TemporaryFile created = null;
    while (created == null) {
      created = tryCreate(target);
    }
    return created;
  }

  /** Returns null if the file was removed before it was locked. */
  private static @Nullable TemporaryFile tryCreate(Path target) throws IOException {
    String last = "" + target.getFileName();
    // A char takes up to three bytes.
    String stem = last.length() <= LONGEST_STEM ? last : "filter";
    UUID own = new UUID(PROCESS, UUID.randomUUID().getLeastSignificantBits());
    Path path = target.resolveSibling("." + stem + "." + own + ".wbird.tmp");
    try {
      Set<PosixFilePermission> permissions = permissions(target);
      TemporaryFile created = new TemporaryFile(target, path, SteadyFile.create(path), permissions);
      if (lock(created.channel()) && Files.exists(path)) {
        if (permissions != null) {
          hide(path);
        }
        return created;
      }
      created.close();
      return null;
    } catch (IOException e) {
      throw about(target, path, e);
    }
  }

  private static @Nullable Set<PosixFilePermission> permissions(Path path) throws IOException {
    if (!path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      return null; // Windows.
    }
    try {
      return Files.getPosixFilePermissions(path);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  private static void hide(Path path) {
    try {
      Files.setPosixFilePermissions(path, OWNER_ONLY);
    } catch (IOException e) {
      return; // On a disk where all files have the same permissions, the old one is no secret.
    }
  }

  /** Gives a file the permissions of another, which may be gone, or else some that it had. */
  static void copyPermissions(Path from, @Nullable Set<PosixFilePermission> before, Path to)
      throws IOException {
    Set<PosixFilePermission> now = permissions(from);
    Set<PosixFilePermission> wanted = now == null ? before : now;
    if (wanted != null && !wanted.equals(permissions(to))) {
      Files.setPosixFilePermissions(to, wanted);
    }
  }

  /** Returns false if another process has the lock; true also where files can't be locked. */
  private static boolean lock(FileChannel channel) {
    try {
      return channel.tryLock() != null; // Held until the channel is closed.
    } catch (IOException e) {
      return true;
    }
  }

  /** Returns what the last of a chain of symbolic links points to; it need not exist. */
  private static Path follow(Path file) throws IOException {
    Path path = file.toAbsolutePath();
    for (int links = 0; Files.isSymbolicLink(path); links++) {
      if (links == MOST_LINKS) {
        throw new FileSystemException(file.toString(), null, "too many symbolic links");
      }
      path = path.resolveSibling(Files.readSymbolicLink(path));
    }
    return path;
  }

  /** Removes the temporary files of killed processes from the folder of a file. */
  static void removeUnfinished(Path file) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null) {
      return;
    }
    try (DirectoryStream<Path> all =
        Files.newDirectoryStream(folder, path -> isTemporary("" + path.getFileName()))) {
      for (Path path : all) {
        removeIfUnlocked(path);
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  private static boolean isTemporary(String name) {
    Matcher parts = NAME.matcher(name);
    return parts.matches() && UUID.fromString(parts.group(1)).getMostSignificantBits() != PROCESS;
  }

  private static void removeIfUnlocked(Path path) {
    if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
      if (channel.tryLock() != null) {
        Files.deleteIfExists(path);
      }
    } catch (IOException | OverlappingFileLockException e) {
      return; // It belongs to another user, was removed meanwhile, or is in use.
    }
  }

  /** Writes the content of a file. */
  interface Content {
    void writeTo(SteadyFile file) throws IOException;
  }

  /** Writes a file, completely or not at all. */
  static void save(Path path, Content content) throws IOException {
    save(path, content, () -> {});
  }

  /** The same if a condition still holds when all is on disk and only the rename is left. */
  static void save(Path path, Content content, FileWriter.Condition last) throws IOException {
    try (TemporaryFile created = create(path)) {
      try {
        content.writeTo(created.file);
        created.finish(last);
      } catch (IOException e) {
        throw created.about(e);
      }
    }
  }

  /** Returns the channel for writing and reading, which an interrupt closes. */
  FileChannel channel() {
    return file.channel();
  }

  /** Forces the file to disk, and renames it to its target, whose permissions it gets. */
  void finish() throws IOException {
    finish(() -> {});
  }

  private void finish(FileWriter.Condition last) throws IOException {
    copyPermissions(target, permissions, path);
    file.sync();
    last.require();
    // Still locked, so no process removes it before it is renamed.
    Files.move(path, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    FileWriter.syncFolder(target);
  }

  /** Returns the same failure, named after the target, which is the path that the caller knows. */
  IOException about(IOException e) {
    return about(target, path, e);
  }

  private static IOException about(Path target, Path path, IOException e) {
    String reason;
    if (e instanceof FileSystemException system && path.toString().equals(system.getFile())) {
      reason =
          e instanceof AccessDeniedException
              ? "permission denied"
              : e instanceof NoSuchFileException
                  ? "its folder or its temporary file is gone"
                  : system.getReason();
    } else if (e.getClass() == IOException.class) {
      reason = e.getMessage(); // A failed write, such as "No space left on device".
    } else {
      return e;
    }
    FileSystemException named = new FileSystemException(target.toString(), null, reason);
    named.initCause(e);
    return named;
  }

  /** Deletes the file if it was not finished. */
  @Override
  public void close() throws IOException {
    file.close();
    Files.deleteIfExists(path);
  }
}
