package io.woodbird.file;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** What the formats of this package share: numbers are little-endian, checksums are CRC32C. */
final class Bytes {
  private Bytes() {}

  static ByteBuffer allocate(int count) {
    return wrap(new byte[count]);
  }

  static ByteBuffer wrap(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns the checksum of some buffers, each from its position to its limit. */
  static int crc(ByteBuffer... parts) {
    CRC32C crc = new CRC32C();
    for (ByteBuffer part : parts) {
      crc.update(part);
    }
    return (int) crc.getValue();
  }
}
