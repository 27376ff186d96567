package io.woodbird.cli;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Filter files whose header was changed, with checksums that fit. */
final class ForgedHeaders {
  private ForgedHeaders() {}

  /** A header that says another version of the format. */
  static byte[] withVersion(byte[] good, int major) {
    ByteBuffer bytes = ByteBuffer.wrap(good.clone()).order(ByteOrder.LITTLE_ENDIAN);
    bytes.put(8, (byte) major);
    bytes.putInt(252, crc(bytes.slice(0, 252)));
    return bytes.array();
  }

  /** A signed file whose header says another number of expected keys. */
  static byte[] withOneMoreExpectedKey(byte[] good) {
    ByteBuffer bytes = ByteBuffer.wrap(good.clone()).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(24, bytes.getLong(24) + 1);
    bytes.putInt(252, crc(bytes.slice(0, 252)));
    bytes.putInt(good.length - 4, bytes.getInt(252));
    int section = 256 + (int) bytes.getLong(48) + 4;
    bytes.putInt(section + 28, crc(bytes.slice(252, 4), bytes.slice(section, 28)));
    return bytes.array();
  }

  private static int crc(ByteBuffer... parts) {
    CRC32C crc = new CRC32C();
    for (ByteBuffer part : parts) {
      crc.update(part);
    }
    return (int) crc.getValue();
  }
}
