package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** One call of read may return fewer bytes than asked for. */
class FileReaderTest {
  private static final byte[] BYTES = {1, 2, 3, 4, 5, 6, 7};

  /** Reads the bytes, a few at a time, as some file systems do. */
  private static int read(byte[] target, int most) throws IOException {
    int[] at = {0};
    return FileReader.readFully(
        (to, from, count) -> {
          int some = Math.min(Math.min(count, most), BYTES.length - at[0]);
          System.arraycopy(BYTES, at[0], to, from, some);
          at[0] += some;
          return some == 0 ? -1 : some;
        },
        target);
  }

  @Test
  void readFully_readsOnAfterAShortRead() throws IOException {
    for (int most = 1; most <= BYTES.length; most++) {
      byte[] target = new byte[BYTES.length];
      assertThat(read(target, most)).isEqualTo(BYTES.length);
      assertThat(target).isEqualTo(BYTES);
    }
  }

  @Test
  void readFully_saysHowManyBytesThereAre() throws IOException {
    byte[] target = new byte[BYTES.length + 3];
    assertThat(read(target, 2)).isEqualTo(BYTES.length);
    assertThat(Arrays.copyOf(target, BYTES.length)).isEqualTo(BYTES);
  }
}
