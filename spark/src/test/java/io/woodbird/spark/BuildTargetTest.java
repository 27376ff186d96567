package io.woodbird.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Woodbird;
import io.woodbird.file.DataSource;
import io.woodbird.file.Header;
import io.woodbird.file.LayoutId;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Abortable;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A target is whole or untouched, whatever the file system can do. */
final class BuildTargetTest {
  private static final int BYTES = 1 << 20;
  private static final Header HEADER =
      new Header(LayoutId.RIBBON, 1, Keys.longs().id(), 0, 0.5, 0, BYTES, List.of(0L, 1L));
  private static final DataSource ZEROS = (offset, target) -> target.position(target.limit());
  private static final DataSource FAILS =
      (offset, target) -> {
        if (offset > BYTES / 2) {
          throw new IOException("lost on the way");
        }
        target.position(target.limit());
      };

  @TempDir Path folder;
  private final Configuration conf = new Configuration(false);

  @BeforeEach
  void schemes() {
    conf.setClass("fs.plain.impl", Plain.class, FileSystem.class);
    conf.setClass("fs.store.impl", Store.class, FileSystem.class);
  }

  @Test
  void write_toANewPath_leavesTheFileAlone() throws IOException {
    for (String scheme : List.of("file", "plain", "store")) {
      Path file = folder.resolve(scheme);
      target(scheme, file).write(HEADER, ZEROS);
      assertThat(Files.size(file)).isGreaterThan(BYTES);
      assertThatThrownBy(() -> Woodbird.open(file, Keys.strings()))
          .as("its header is read, and it has other keys")
          .hasMessageContaining("int64");
    }
    assertThat(files()).containsExactlyInAnyOrder("file", "plain", "store");
  }

  @Test
  void write_thatFails_leavesWhatWasThere() throws IOException {
    for (String scheme : List.of("file", "store")) {
      Path file = Files.writeString(folder.resolve(scheme), "old");
      BuildTarget target = target(scheme, file);
      assertThatThrownBy(() -> target.write(HEADER, FAILS)).hasMessageContaining("lost");
      assertThat(file).hasContent("old");
      target.write(HEADER, ZEROS);
      assertThat(Files.size(file)).isGreaterThan(BYTES);
    }
    BuildTarget plain = target("plain", folder.resolve("plain"));
    assertThatThrownBy(() -> plain.write(HEADER, FAILS)).hasMessageContaining("lost");
    assertThat(files()).containsExactlyInAnyOrder("file", "store");
  }

  @Test
  void target_thatCantBeReplacedInOneStep_isRefused() throws IOException {
    Path file = folder.resolve("plain");
    BuildTarget before = target("plain", file);
    Files.writeString(file, "old");
    assertThatThrownBy(() -> target("plain", file)).hasMessageContaining("write to a new path");
    assertThatThrownBy(() -> before.write(HEADER, ZEROS)).hasMessageContaining("rename");
    assertThat(file).hasContent("old");
    assertThat(files()).containsExactly("plain");
  }

  private BuildTarget target(String scheme, Path file) throws IOException {
    return new BuildTarget(scheme + "://" + (scheme.equals("file") ? "" : "host") + file, conf);
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  /** A file system with files, and a rename that does not replace. */
  public static class Plain extends RawLocalFileSystem {
    @Override
    public java.net.URI getUri() {
      return java.net.URI.create(getScheme() + "://host");
    }

    @Override
    public String getScheme() {
      return "plain";
    }

    @Override
    protected void checkPath(org.apache.hadoop.fs.Path path) {}
  }

  /** An object store: an object appears when its stream is closed. */
  public static final class Store extends Plain {
    @Override
    public String getScheme() {
      return "store";
    }

    @Override
    public boolean hasPathCapability(org.apache.hadoop.fs.Path path, String capability)
        throws IOException {
      return capability.equals(CommonPathCapabilities.ABORTABLE_STREAM)
          || super.hasPathCapability(path, capability);
    }

    @Override
    public FSDataOutputStream create(
        org.apache.hadoop.fs.Path path,
        FsPermission permission,
        boolean overwrite,
        int bufferSize,
        short replication,
        long blockSize,
        Progressable progress)
        throws IOException {
      return new FSDataOutputStream(new Upload(Path.of(path.toUri().getPath())), null);
    }

    @Override
    public FSDataOutputStream create(
        org.apache.hadoop.fs.Path path,
        boolean overwrite,
        int bufferSize,
        short replication,
        long blockSize,
        Progressable progress)
        throws IOException {
      return create(path, null, overwrite, bufferSize, replication, blockSize, progress);
    }
  }

  /** The stream of an object that is complete when it is closed. */
  private static final class Upload extends OutputStream implements Abortable {
    private final Path object;
    private final java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
    private boolean aborted;

    Upload(Path object) {
      this.object = object;
    }

    @Override
    public void write(int value) {
      bytes.write(value);
    }

    @Override
    public void write(byte[] from, int start, int count) {
      bytes.write(from, start, count);
    }

    @Override
    public void close() throws IOException {
      if (!aborted) {
        Files.write(object, bytes.toByteArray());
      }
    }

    @Override
    public AbortableResult abort() {
      aborted = true;
      return new AbortableResult() {
        @Override
        public boolean alreadyClosed() {
          return false;
        }

        @Override
        public IOException anyCleanupException() {
          return null;
        }
      };
    }
  }
}
