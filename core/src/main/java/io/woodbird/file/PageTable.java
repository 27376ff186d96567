package io.woodbird.file;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** The checksums of the pages of a file: one CRC32C for every 4096 bytes of data. */
final class PageTable {
  /*
   * The checksum of a page covers the checksum of the header, the number of the page, and the data.
   * So a page at the wrong place, or a page of another filter, does not match either.
   */
  private PageTable() {}

  static long pages(long dataBytes) {
    return (dataBytes + Header.PAGE_BYTES - 1) / Header.PAGE_BYTES;
  }

  /** Returns the checksum of a page: the bytes of {@code data} from its position to its limit. */
  static int crc(int headerCrc, long page, ByteBuffer data) {
    CRC32C crc = new CRC32C();
    for (int shift = 0; shift < 32; shift += 8) {
      crc.update(headerCrc >>> shift);
    }
    for (int shift = 0; shift < 64; shift += 8) {
      crc.update((int) (page >>> shift));
    }
    crc.update(data);
    return (int) crc.getValue();
  }
}
