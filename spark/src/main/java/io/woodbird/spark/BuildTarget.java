package io.woodbird.spark;

import io.woodbird.file.DataSource;
import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;

/** Where a filter is written: it appears there whole, or what was there stays as it was. */
final class BuildTarget {
  /*
   * How a file is replaced in one step depends on the file system:
   *
   *   file     java.nio, as every filter is saved. Hadoop's own would write a checksum file beside
   *            it, which goes stale as soon as something else replaces the filter.
   *   s3a      an object appears when its stream is closed, and the stream can be aborted. Written
   *            in place.
   *   hdfs     a temporary file, renamed over the target.
   *   others   a temporary file, renamed if there is no target. Their rename deletes the target
   *            first, so an existing one is refused, before anything is built.
   */
  private final Path path;
  private final Configuration conf;
  private final FileSystem fileSystem;
  private final java.nio.file.@Nullable Path local;

  /** Checks that a file can be written to. */
  BuildTarget(String uri, Configuration conf) throws IOException {
    this.conf = conf;
    this.fileSystem = new Path(uri).getFileSystem(conf);
    this.path = fileSystem.makeQualified(new Path(uri));
    this.local = LocalFiles.of(path);
    if (local != null) {
      java.nio.file.Path folder = local.getParent();
      if (folder == null || !Files.isDirectory(folder)) {
        throw new NoSuchFileException(uri, null, "there is no such folder");
      }
    } else if (!appearsWhenClosed() && !replaces() && fileSystem.exists(path)) {
      throw new IOException(
          uri
              + " exists, and a file of "
              + fileSystem.getScheme()
              + " can't be replaced in one step: write to a new path");
    }
  }

  private boolean appearsWhenClosed() throws IOException {
    return fileSystem.hasPathCapability(path, CommonPathCapabilities.ABORTABLE_STREAM);
  }

  private boolean replaces() {
    return "hdfs".equals(path.toUri().getScheme());
  }

  void write(Header header, DataSource data) throws IOException {
    if (local != null) {
      FileWriter.save(header, data, local);
    } else if (appearsWhenClosed()) {
      writeInPlace(header, data);
    } else {
      writeBeside(header, data);
    }
  }

  private void writeInPlace(Header header, DataSource data) throws IOException {
    FSDataOutputStream out = fileSystem.create(path, true);
    try {
      FileWriter.writeTo(header, data, out);
    } catch (Throwable e) {
      out.abort();
      throw e;
    }
    out.close();
  }

  private void writeBeside(Header header, DataSource data) throws IOException {
    String name = "." + path.getName() + "." + UUID.randomUUID() + ".tmp";
    Path temporary = new Path(path.getParent(), name);
    boolean renamed = false;
    try {
      try (FSDataOutputStream out = fileSystem.create(temporary, false)) {
        FileWriter.writeTo(header, data, out);
        out.hsync();
      }
      rename(temporary);
      renamed = true;
    } finally {
      if (!renamed) {
        fileSystem.delete(temporary, false);
      }
    }
  }

  private void rename(Path temporary) throws IOException {
    if (replaces()) {
      FileContext.getFileContext(path.toUri(), conf)
          .rename(temporary, path, Options.Rename.OVERWRITE);
    } else if (fileSystem.exists(path) || !fileSystem.rename(temporary, path)) {
      throw new IOException("could not rename " + temporary + " to " + path);
    }
  }

  @Override
  public String toString() {
    return path.getName();
  }
}
