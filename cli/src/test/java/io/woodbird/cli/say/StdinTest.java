package io.woodbird.cli.say;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import org.junit.jupiter.api.Test;

final class StdinTest {
  /** A pipe that is not waited for: every second read finds nothing. */
  private static final class NonBlocking implements ReadableByteChannel {
    private final byte[] bytes;
    private int calls;

    NonBlocking(byte... bytes) {
      this.bytes = bytes;
    }

    @Override
    public int read(ByteBuffer target) {
      if (++calls % 2 != 0) {
        return 0;
      }
      int index = calls / 2 - 1;
      if (index >= bytes.length) {
        return -1;
      }
      target.put(bytes[index]);
      return 1;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  @Test
  void aPipeThatIsNotWaitedFor_isReadToItsEnd() throws IOException {
    NonBlocking pipe = new NonBlocking((byte) 'a', (byte) 0, (byte) 0xff);
    try (Stdin in = new Stdin(InputStream.nullInputStream(), pipe)) {
      byte[] read = new byte[8];
      assertThat(in.read(read, 3, 5)).isEqualTo(1);
      assertThat(read[3]).isEqualTo((byte) 'a');
      assertThat(in.read()).isEqualTo(0);
      assertThat(in.readAllBytes()).containsExactly(0xff);
      assertThat(in.read()).isEqualTo(-1);
    }
  }
}
