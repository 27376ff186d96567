package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that one thread reads while another closes it. */
@Tag("jdk")
final class LockedFileTest {
  @TempDir private Path folder;

  private final CountDownLatch inRead = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);

  /** A file on a disk that takes long. */
  private final class Slow extends RandomAccessFile {
    private volatile boolean closed;

    Slow(Path path) throws IOException {
      super(path.toFile(), "r");
    }

    @Override
    public void seek(long at) throws IOException {
      inRead.countDown();
      try {
        goOn.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      super.seek(at);
    }

    @Override
    public void close() throws IOException {
      closed = true;
      super.close();
    }
  }

  /**
   * A descriptor that is closed in the middle of a read may belong to another file by the time of
   * the system call, which then moves or reads that one.
   */
  @Test
  void closing_neitherWaitsForAReader_norTakesTheDescriptorFromIt() throws Exception {
    Path path = Files.write(folder.resolve("file"), new byte[] {1, 2, 3});
    try (Slow slow = new Slow(path)) {
      LockedFile file = new LockedFile(slow);
      ExecutorService threads = Executors.newSingleThreadExecutor();
      byte[] target = new byte[2];
      Future<?> reading =
          threads.submit(
              () -> {
                file.read(1, target, 2);
                return null;
              });
      inRead.await();
      file.close(); // Would hang if it waited.
      assertThat(slow.closed).isFalse();
      goOn.countDown();
      reading.get(10, TimeUnit.MINUTES);
      assertThat(target).containsExactly(2, 3);
      assertThat(slow.closed).isTrue();
      threads.shutdown();
      assertThatThrownBy(() -> file.read(0, target, 1)).isInstanceOf(IOException.class);
      assertThatThrownBy(file::length).isInstanceOf(IOException.class);
      file.close();
    }
  }

  @Test
  void closing_closesAtOnce_ifNobodyReads() throws IOException {
    try (Slow slow = new Slow(Files.createFile(folder.resolve("file")))) {
      new LockedFile(slow).close();
      assertThat(slow.closed).isTrue();
    }
  }

  /** A thread that asks later must be told, and not wait for ever. */
  @Test
  void noCall_keepsTheFileFromOtherThreads() throws Exception {
    goOn.countDown();
    Path path = Files.write(folder.resolve("file"), new byte[] {1, 2, 3});
    ExecutorService threads = Executors.newSingleThreadExecutor();
    try (Slow slow = new Slow(path)) {
      LockedFile file = new LockedFile(slow);
      assertThat(file.length()).isEqualTo(3);
      assertThat(threads.submit(file::length).get(1, TimeUnit.MINUTES)).isEqualTo(3);
      byte[] target = new byte[2];
      file.read(1, target, 2);
      assertThatThrownBy(() -> file.read(2, target, 2)).isInstanceOf(EOFException.class);
      Callable<byte[]> reading =
          () -> {
            file.read(0, target, 2);
            return target;
          };
      assertThat(threads.submit(reading).get(1, TimeUnit.MINUTES)).containsExactly(1, 2);
      file.close();
      assertThat(slow.closed).isTrue();
      assertThatThrownBy(() -> threads.submit(file::length).get(1, TimeUnit.MINUTES))
          .hasRootCauseMessage("the file is closed");
    } finally {
      threads.shutdownNow();
    }
  }
}
