package io.woodbird.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.zip.CRC32C;

/** Computes the page table and the footer while the data is written. */
final class PageChecksums {
  private final int headerCrc;
  private final int identity;
  private final int[][] table;
  private final CRC32C tableCrc = new CRC32C();

  PageChecksums(Header header) {
    long pages = PageTable.pages(header.dataBytes());
    this.headerCrc = header.crc();
    this.identity = Header.identity(header.encode());
    // 2^20 checksums (4 GiB of data) per row, as the table of a huge file does not fit one array.
    this.table = new int[Math.toIntExact((pages + (1 << 20) - 1) >>> 20)][];
    for (int row = 0; row < table.length; row++) {
      table[row] = new int[(int) Math.min(1 << 20, pages - ((long) row << 20))];
    }
  }

  void add(long offset, ByteBuffer bytes) {
    for (int at = 0; at < bytes.limit(); at += Header.PAGE_BYTES) {
      long page = (offset + at) / Header.PAGE_BYTES;
      int end = Math.min(bytes.limit(), at + Header.PAGE_BYTES);
      int crc = PageTable.crc(identity, page, bytes.duplicate().position(at).limit(end));
      table[(int) (page >>> 20)][(int) (page & (1 << 20) - 1)] = crc;
    }
  }

  void writeTo(WritableByteChannel out, ByteBuffer buffer) throws IOException {
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
