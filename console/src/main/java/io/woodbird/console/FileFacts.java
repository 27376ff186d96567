package io.woodbird.console;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What the header of a {@code .wbird} file says, read by the specification ({@code
 * spec/file-format.md}) and for display only: answers come from {@link io.woodbird.Woodbird#open}.
 *
 * @param version major and minor version of the format
 * @param layout the number of the layout
 * @param seed of the hash function
 * @param expectedKeys how many keys the promise holds for
 * @param keyCount how many keys are in, 0 where the layout does not count
 * @param dataBytes the length of the data
 * @param parameter0 the layout's first parameter
 * @param parameter1 the layout's second parameter
 * @param parameter2 the layout's third parameter
 * @param keyId the id of the key encoding
 * @param checksum the checksum of the header
 */
record FileFacts(
    String version,
    int layout,
    long seed,
    long expectedKeys,
    long keyCount,
    long dataBytes,
    long parameter0,
    long parameter1,
    long parameter2,
    String keyId,
    int checksum) {
  static final int HEADER_BYTES = 256;
  static final int PAGE_BYTES = 4096;
  static final int BLOCKED_BLOOM = 1;
  static final int CLASSIC_BLOOM = 2;
  private static final int WINDOW = 8;

  private static final long MAGIC = 0x0a0d_4452_4942_5789L;
  private static final int CHECKSUM_AT = 252;
  private static final int KEY_ID_AT = 128;

  /** Reads the header; null if it is not one, or damaged. */
  static @Nullable FileFacts read(FileChannel file) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    readFully(file, header, 0);
    if (header.hasRemaining() || header.getLong(0) != MAGIC) {
      return null;
    }
    CRC32C crc = new CRC32C();
    crc.update(header.array(), 0, CHECKSUM_AT);
    int idLength = header.get(KEY_ID_AT) & 0xff;
    if ((int) crc.getValue() != header.getInt(CHECKSUM_AT) || idLength > 64) {
      return null;
    }
    return new FileFacts(
        header.getShort(8) + "." + header.getShort(10),
        header.getInt(12),
        header.getLong(16),
        header.getLong(24),
        header.getLong(40),
        header.getLong(48),
        header.getLong(64),
        header.getLong(72),
        header.getLong(80),
        new String(header.array(), KEY_ID_AT + 1, idLength, StandardCharsets.UTF_8),
        header.getInt(CHECKSUM_AT));
  }

  boolean bloom() {
    return layout == BLOCKED_BLOOM || layout == CLASSIC_BLOOM;
  }

  /** The family of the filter, as plans call it; "scheme" and "unknown" beside those. */
  String kind() {
    return switch (layout) {
      case BLOCKED_BLOOM -> "bloom";
      case CLASSIC_BLOOM -> "bloom-classic";
      case 3 -> "ribbon";
      case 4 -> "fuse";
      case 5 -> "deletable";
      case 6 -> "counting";
      case 7 -> "growing";
      case WINDOW -> "window";
      case 64 -> "scheme";
      default -> "unknown";
    };
  }

  /** How long a window remembers, in seconds; 0 where it counts keys, or is no window. */
  double windowSeconds() {
    return layout == WINDOW ? parameter2 / 1e9 : 0;
  }

  long pages() {
    return (dataBytes + PAGE_BYTES - 1) / PAGE_BYTES;
  }

  /** How many bits one key sets in one block of 512: 1 where it has no block. */
  int bitsPerBlock() {
    if (layout != BLOCKED_BLOOM) {
      return 1;
    }
    return switch ((int) parameter1) {
      case 1 -> 2;
      case 2 -> 4;
      case 3 -> 6;
      case 4, 5 -> 8;
      default -> 12;
    };
  }

  /** Fills the buffer from a place in the file, as far as the file goes. */
  static void readFully(FileChannel file, ByteBuffer buffer, long from) throws IOException {
    long at = from;
    while (buffer.hasRemaining()) {
      int count = file.read(buffer, at);
      if (count < 0) {
        return;
      }
      at += count;
    }
  }
}
