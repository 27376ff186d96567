package io.woodbird.file;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** The checksums of the pages of a file: one CRC32C for every 4096 bytes of data. */
final class PageTable {
  /*
   * The checksum of a page covers the identity of the filter (see Header), the number of the page,
   * and the data. So a page at the wrong place, or a page of a filter with another seed, does not
   * match either. It does not cover the rest of the header: a key more changes one page, its
   * checksum and a count in the header, and no other page.
   */
  private PageTable() {}

  static long pages(long dataBytes) {
    return (dataBytes + Header.PAGE_BYTES - 1) / Header.PAGE_BYTES;
  }

  /** Returns the checksum of a page: the bytes of {@code data} from its position to its limit. */
  static int crc(int identity, long page, ByteBuffer data) {
    CRC32C crc = new CRC32C();
    for (int shift = 0; shift < 32; shift += 8) {
      crc.update(identity >>> shift);
    }
    for (int shift = 0; shift < 64; shift += 8) {
      crc.update((int) (page >>> shift));
    }
    crc.update(data);
    return (int) crc.getValue();
  }
}
