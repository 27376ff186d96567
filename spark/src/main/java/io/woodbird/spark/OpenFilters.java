package io.woodbird.spark;

import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ref.SoftReference;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** The filters that this JVM has open for questions of one kind of keys, by their paths. */
final class OpenFilters<K> {
  /*
   * A task asks the file that is there when it asks first. The file is opened if this JVM has not
   * opened it, or if it has been replaced since. So every task asks the file that the task before it
   * asked, or a newer one.
   *
   * The driver too asks, about rows of its own and about partitions, while it plans a query. It may
   * plan the same query again after the file was replaced, with the same objects. So it looks at the
   * file before each question.
   *
   * A replaced filter is not closed, as another task may be asking it. The garbage collector unmaps
   * it. A filter that no task asks stays open until memory is short: a job may go on for months, with
   * a file of another name each day.
   *
   * A small filter is read onto the heap, where a question takes half the time. A larger one is
   * mapped: all executors of a machine share it, and their heaps stay free.
   */

  /** The filters of strings and binary values. */
  static final OpenFilters<ByteBuffer> BYTES = new OpenFilters<>(Keys.buffers());

  /** The filters of integers. */
  static final OpenFilters<Long> LONGS = new OpenFilters<>(Keys.longs());

  private static final int ATTEMPTS = 5;

  /** A filter that takes more than this part of the heap is mapped. */
  private static final int HEAP_SHARE = 8;

  private final KeyHasher<K> keys;
  private final ConcurrentHashMap<String, OpenFile<K>> files = new ConcurrentHashMap<>();

  private OpenFilters(KeyHasher<K> keys) {
    this.keys = keys;
  }

  /**
   * The filter of a path, for one task.
   *
   * @param path null if it must be looked for again: there is no task
   */
  record Asked<K>(@Nullable UTF8String path, Filter<K> filter) {
    /** Whether the filter is the one to ask with this path. */
    @SuppressWarnings("ReferenceEquality") // To compare the bytes would take too long.
    boolean isOf(UTF8String other) {
      return path == other && other != null;
    }
  }

  /** Returns the filter in the file that is there now. */
  Asked<K> ask(UTF8String path) {
    Objects.requireNonNull(path, "the path of the filter is null");
    Filter<K> filter = files.computeIfAbsent(path.toString(), OpenFile::new).now(keys);
    return new Asked<>(TaskContext.get() == null ? null : path, filter);
  }

  /** Hadoop's settings, with those that the session had when it was started. */
  private record Settings(SparkEnv spark, Configuration hadoop) {
    // Hadoop reads several files to make them, in which time a short task could be done.
    private static volatile @Nullable Settings latest;

    @SuppressWarnings("ReferenceEquality") // Another session has another object.
    static Configuration now() {
      SparkEnv spark = SparkEnv.get();
      if (spark == null) {
        return SparkHadoopUtil.get().conf();
      }
      Settings known = latest;
      if (known == null || known.spark != spark) {
        known = new Settings(spark, SparkHadoopUtil.get().newConfiguration(spark.conf()));
        latest = known;
      }
      return known.hadoop;
    }
  }

  /** A file, and its filter as it was opened last. */
  private static final class OpenFile<K> {
    private final String uri;
    private @Nullable String version;
    private SoftReference<Filter<K>> filter = new SoftReference<>(null);

    OpenFile(String uri) {
      this.uri = uri;
    }

    /** Returns the filter of the file that is there now. One thread opens it, others wait. */
    synchronized Filter<K> now(KeyHasher<K> keys) {
      try {
        Path path = new Path(uri);
        FileSystem fileSystem = path.getFileSystem(Settings.now());
        Path whole = fileSystem.makeQualified(path);
        java.nio.file.Path file = LocalFiles.of(whole);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
          String current = file != null ? version(file) : version(fileSystem, whole);
          Filter<K> known = filter.get();
          if (known == null || !current.equals(version)) {
            known = file != null ? opened(file, keys) : copied(fileSystem, whole, current, keys);
          }
          if (known != null) {
            filter = new SoftReference<>(known);
            version = current; // If the file was replaced since, the next task sees it.
            return known;
          }
        }
        throw new IOException("it was replaced each time while it was copied");
      } catch (IOException e) {
        throw new UncheckedIOException(
            "could not open the filter " + uri + ": " + e.getMessage(), e);
      }
    }

    private static String version(java.nio.file.Path file) throws IOException {
      BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
      return found.lastModifiedTime() + " " + found.size() + " " + found.fileKey();
    }

    /** A text that differs when the file was replaced. Object stores say it by their etag. */
    private static String version(FileSystem fileSystem, Path path) throws IOException {
      FileStatus found = fileSystem.getFileStatus(path);
      String etag = found instanceof EtagSource source ? source.getEtag() : "";
      return found.getModificationTime() + " " + found.getLen() + " " + etag;
    }

    private static <K> Filter<K> opened(java.nio.file.Path file, KeyHasher<K> keys)
        throws IOException {
      boolean small = Files.size(file) <= Runtime.getRuntime().maxMemory() / HEAP_SHARE;
      return small ? Woodbird.open(file, keys) : Woodbird.map(file, keys);
    }

    /** Opens a copy of a file that is not on this machine; null if it is not the version wanted. */
    private static <K> @Nullable Filter<K> copied(
        FileSystem fileSystem, Path path, String wanted, KeyHasher<K> keys) throws IOException {
      java.nio.file.Path copy = Files.createTempFile("woodbird", ".wbird");
      try {
        try (InputStream in = fileSystem.open(path)) {
          Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
        }
        return version(fileSystem, path).equals(wanted) ? opened(copy, keys) : null;
      } finally {
        // On Linux an open file can be read after this, and its room is free when nobody asks it.
        if (!copy.toFile().delete()) {
          copy.toFile().deleteOnExit();
        }
      }
    }
  }
}
