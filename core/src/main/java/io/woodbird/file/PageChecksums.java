package io.woodbird.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The checksums of the pages of a file: one CRC32C for every 4096 bytes of data. Computes the page
 * table and the footer while the data is written.
 */
final class PageChecksums {
  /*
   * The checksum of a page covers the identity of the filter (see Header), the number of the page,
   * and the data. So a page at the wrong place, or a page of a filter with another seed, does not
   * match either. It does not cover the rest of the header: a key more changes one page, its
   * checksum and a count in the header, and no other page.
   */
  private final int headerCrc;
  private final int identity;
  private final int[][] table;
  private final CRC32C tableCrc = new CRC32C();

  /** Makes one for a header as it is in a file. */
  PageChecksums(ByteBuffer head, long dataBytes) {
    long pages = pages(dataBytes);
    this.headerCrc = Header.storedCrc(head);
    this.identity = Header.identity(head);
    // 2^20 checksums (4 GiB of data) per row, as the table of a huge file does not fit one array.
    this.table = new int[Math.toIntExact((pages + (1 << 20) - 1) >>> 20)][];
    for (int row = 0; row < table.length; row++) {
      table[row] = new int[(int) Math.min(1 << 20, pages - ((long) row << 20))];
    }
  }

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

  void add(long offset, ByteBuffer bytes) {
    for (int at = 0; at < bytes.limit(); at += Header.PAGE_BYTES) {
      long page = (offset + at) / Header.PAGE_BYTES;
      int end = Math.min(bytes.limit(), at + Header.PAGE_BYTES);
      int crc = crc(identity, page, bytes.duplicate().position(at).limit(end));
      table[(int) (page >>> 20)][(int) (page & (1 << 20) - 1)] = crc;
    }
  }

  /** Writes the page table, sections and the footer. */
  void writeTo(WritableByteChannel out, ByteBuffer buffer, List<byte[]> sections)
      throws IOException {
    buffer.clear();
    for (int[] row : table) {
      for (int crc : row) {
        buffer.putInt(crc);
        if (!buffer.hasRemaining()) {
          flush(out, buffer);
        }
      }
    }
    flush(out, buffer);
    for (byte[] section : sections) {
      FileWriter.writeFully(ByteBuffer.wrap(section), out);
    }
    buffer.putLong(FileWriter.END_MAGIC).putInt((int) tableCrc.getValue()).putInt(headerCrc);
    FileWriter.writeFully(buffer.flip(), out);
  }

  private void flush(WritableByteChannel out, ByteBuffer buffer) throws IOException {
    buffer.flip();
    tableCrc.update(buffer.duplicate());
    FileWriter.writeFully(buffer, out);
    buffer.clear();
  }
}
