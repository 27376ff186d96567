package io.woodbird.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.List;
import java.util.zip.CRC32C;

/** Computes the page table and the footer while the data is written. */
final class PageChecksums {
  private final int headerCrc;
  private final int identity;
  private final int[][] table;
  private final CRC32C tableCrc = new CRC32C();

  /** Makes one for a header as it is in a file. */
  PageChecksums(ByteBuffer head, long dataBytes) {
    long pages = PageTable.pages(dataBytes);
    this.headerCrc = Header.storedCrc(head);
    this.identity = Header.identity(head);
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
