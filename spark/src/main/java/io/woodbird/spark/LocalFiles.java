package io.woodbird.spark;

import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;

/** Files of this machine among Hadoop's paths. They are read and written without Hadoop. */
final class LocalFiles {
  private LocalFiles() {}

  /**
   * Returns the file of a path with the scheme {@code file}, null for another one.
   *
   * @param path with its scheme. As everywhere in Hadoop, a percent sign in it means itself
   */
  static java.nio.file.@Nullable Path of(Path path) {
    return "file".equals(path.toUri().getScheme())
        ? java.nio.file.Path.of(path.toUri().getPath())
        : null;
  }
}
