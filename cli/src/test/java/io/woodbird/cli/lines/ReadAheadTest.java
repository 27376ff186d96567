package io.woodbird.cli.lines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.woodbird.testkit.Trials;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class ReadAheadTest {
  /** Gives pieces of any length, and throws at the end if it should. */
  private static InputStream pieces(byte[] bytes, SplittableRandom random, boolean fails) {
    return new ByteArrayInputStream(bytes) {
      @Override
      public synchronized int read(byte[] into, int offset, int length) {
        int read = super.read(into, offset, Math.min(length, 1 + random.nextInt(100_000)));
        if (read < 0 && fails) {
          throw new IllegalStateException("cut");
        }
        return read;
      }
    };
  }

  @Test
  void everyByte_comesInOrder_andAFailureAfterThem() {
    Trials.run(
        "blocks read ahead",
        40,
        random -> {
          byte[] bytes = new byte[random.nextInt(2_000_000)];
          random.nextBytes(bytes);
          boolean fails = random.nextBoolean();
          ByteArrayOutputStream got = new ByteArrayOutputStream();
          byte[] into = new byte[1 + random.nextInt(300_000)];
          try (ReadAhead in = new ReadAhead(pieces(bytes, random.split(), fails))) {
            int read = 0;
            while (got.size() < bytes.length) {
              read = in.read(into, 0, into.length);
              assertThat(read).isPositive();
              got.write(into, 0, read);
            }
            assertThat(got.toByteArray()).isEqualTo(bytes);
            if (fails) {
              assertThatExceptionOfType(IllegalStateException.class)
                  .isThrownBy(() -> in.read(into, 0, into.length))
                  .withMessage("cut");
            } else {
              assertThat(in.read()).isEqualTo(-1);
              assertThat(in.available()).isPositive(); // It would not wait.
            }
          }
        });
  }

  @Test
  void closing_endsTheThread_whichClosesTheStream() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    InputStream endless =
        new InputStream() {
          @Override
          public int read() {
            return 'x';
          }

          @Override
          public void close() {
            closed.countDown();
          }
        };
    ReadAhead in = new ReadAhead(endless);
    assertThat(in.read()).isEqualTo('x');
    in.close();
    assertThat(closed.await(1, TimeUnit.MINUTES)).isTrue();
  }

  @Test
  void aReaderThatWaits_canBeInterrupted() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    InputStream silent =
        new InputStream() {
          @Override
          public int read() throws IOException {
            try {
              never.await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
            return -1;
          }
        };
    ReadAhead in = new ReadAhead(silent);
    assertThat(in.available()).isZero();
    Thread.currentThread().interrupt();
    assertThatIOException()
        .isThrownBy(() -> in.read(new byte[1], 0, 1))
        .isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    in.close();
    never.countDown();
  }
}
