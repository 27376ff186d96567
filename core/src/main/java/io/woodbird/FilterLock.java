package io.woodbird;

import io.woodbird.filter.bloom.DurableLock;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The right to change a filter file. Whoever reads a filter, changes it and {@linkplain Filter#save
 * saves} it to the same file takes the lock first: of two at the same time the second would replace
 * what the first has saved, and its keys would be denied.
 *
 * <pre>{@code
 * try (FilterLock lock = FilterLock.of(path); InputStream in = Files.newInputStream(lock.file())) {
 *   var users = (DeletableFilter<String>) Woodbird.readFrom(in, Keys.strings());
 *   users.put("alice");
 *   users.save(lock.file());
 * }
 * }</pre>
 *
 * <p>A {@link DurableFilter} has the same lock while it is open, and so have {@code woodbird add},
 * {@code remove} and {@code new}. Reading needs none. The lock is of the file's one name, with
 * symbolic links followed. The system releases it when the process ends for any reason. Two empty
 * files beside the filter, which end in {@code .lock} and {@code .lock2}, stay.
 */
public final class FilterLock implements AutoCloseable {
  private final Path file;
  private final Closeable lock;

  private FilterLock(Path file, Closeable lock) {
    this.file = file;
    this.lock = lock;
  }

  /**
   * Locks a file, which need not exist.
   *
   * @param path the file
   * @return the lock; close it after the last save
   * @throws IOException if the file is locked already, or can't be
   */
  public static FilterLock of(Path path) throws IOException {
    Path file = DurableLock.realPath(path);
    return new FilterLock(file, DurableLock.lock(file));
  }

  /**
   * Returns the file, with symbolic links followed.
   *
   * @return its one name
   */
  public Path file() {
    return file;
  }

  /**
   * Lets others change the file.
   *
   * @throws IOException if the system fails to release it
   */
  @Override
  public void close() throws IOException {
    lock.close();
  }
}
