package io.woodbird.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Filters that are not on the machine that asks them, and are replaced meanwhile. */
@ExtendWith(Cluster.class)
final class RemoteFilterTest {
  private static final long KEYS = 10_000;
  private static final SparkSession SPARK = Cluster.session();

  /** Called with the stream of a file after its first bytes were read. */
  private static final AtomicReference<Runnable> MEANWHILE = new AtomicReference<>();

  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void build() throws IOException {
    WoodbirdSpark.register(SPARK);
    file = folder.resolve("remote.wbird");
    replace(0);
  }

  @AfterEach
  void calm() {
    MEANWHILE.set(null);
  }

  /** Replaces the file by one of the same length, whose keys begin with a number. */
  private void replace(long from) throws IOException {
    Path next = folder.resolve("next");
    Woodbird.frozen(Keys.longs())
        .seed(7)
        .fastToAsk() // Its length depends on the number of keys alone.
        .buildTo(next, LongStream.range(from, from + KEYS).iterator());
    Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
  }

  /** How many of the keys that begin with a number may be here, as a new task sees it. */
  private long here(String scheme, long from) {
    UTF8String path = UTF8String.fromString(scheme + "://host" + file);
    Filter<Long> filter = OpenFilters.LONGS.ask(path).filter();
    return LongStream.range(from, from + KEYS).filter(filter::mightContainLong).count();
  }

  @Test
  void mightContain_aRemoteFile_isCopiedByExecutors_andAgainWhenItWasReplaced() throws IOException {
    for (long from : new long[] {0, 500_000}) {
      replace(from);
      String query =
          "SELECT * FROM range(%d, %d) WHERE woodbird.might_contain('plain://host%s', id)"
              .formatted(from, from + KEYS, file);
      assertThat(SPARK.sql(query).count()).isEqualTo(KEYS);
    }
  }

  @Test
  void aFileOfTheSameTimeAndLength_isNoticedByItsTag() throws IOException {
    assertThat(here("tagged", 0)).isEqualTo(KEYS);
    assertThat(here("frozen", 0)).isEqualTo(KEYS);
    long length = Files.size(file);
    replace(500_000);
    assertThat(Files.size(file)).isEqualTo(length);
    assertThat(here("tagged", 500_000)).isEqualTo(KEYS);
    // The control: without a tag nothing differs, so the old filter answers.
    assertThat(here("frozen", 500_000)).isLessThan(KEYS / 10);
  }

  @Test
  void aFileThatIsReplacedWhileItIsCopied_isCopiedAgain() throws IOException {
    byte[] old = Files.readAllBytes(file);
    replace(500_000);
    byte[] fresh = Files.readAllBytes(file);
    Files.write(file, old);
    MEANWHILE.set(
        () -> {
          MEANWHILE.set(null);
          try {
            Files.write(file, fresh); // In place: the rest of the copy is the new file's.
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
    assertThat(here("tagged", 500_000)).isEqualTo(KEYS);
    assertThat(MEANWHILE.get()).isNull();
  }

  /** A file system whose clock stands still. */
  public static class Frozen extends BuildTargetTest.Plain {
    @Override
    public String getScheme() {
      return "frozen";
    }

    @Override
    public FileStatus getFileStatus(org.apache.hadoop.fs.Path path) throws IOException {
      FileStatus status = super.getFileStatus(path);
      return new FileStatus(status.getLen(), false, 1, 1, 0, path);
    }

    @Override
    public FSDataInputStream open(org.apache.hadoop.fs.Path path, int bufferSize)
        throws IOException {
      FSDataInputStream in = super.open(path, 16);
      Runnable meanwhile = MEANWHILE.get();
      if (meanwhile != null) {
        return new FSDataInputStream(new Interrupted(in, meanwhile));
      }
      return in;
    }
  }

  /** The same with tags, as object stores have them. */
  public static final class Tagged extends Frozen {
    @Override
    public String getScheme() {
      return "tagged";
    }

    @Override
    public FileStatus getFileStatus(org.apache.hadoop.fs.Path path) throws IOException {
      byte[] content = Files.readAllBytes(Path.of(path.toUri().getPath()));
      return new TaggedStatus(super.getFileStatus(path), "" + Arrays.hashCode(content));
    }
  }

  private static final class TaggedStatus extends FileStatus implements EtagSource {
    private static final long serialVersionUID = 1L;

    private final String etag;

    TaggedStatus(FileStatus status, String etag) throws IOException {
      super(status);
      this.etag = etag;
    }

    @Override
    public String getEtag() {
      return etag;
    }
  }

  /** Lets something happen after the first 1000 bytes. */
  private static final class Interrupted extends org.apache.hadoop.fs.FSInputStream {
    private final FSDataInputStream in;
    private final Runnable meanwhile;

    Interrupted(FSDataInputStream in, Runnable meanwhile) {
      this.in = in;
      this.meanwhile = meanwhile;
    }

    @Override
    public int read() throws IOException {
      if (in.getPos() == 1000) {
        meanwhile.run();
      }
      return in.read();
    }

    @Override
    public int read(byte[] to, int start, int count) throws IOException {
      int next = read(); // A byte at a time.
      to[start] = (byte) next;
      return next < 0 ? -1 : 1;
    }

    @Override
    public void seek(long position) throws IOException {
      in.seek(position);
    }

    @Override
    public long getPos() throws IOException {
      return in.getPos();
    }

    @Override
    public boolean seekToNewSource(long position) {
      return false;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
