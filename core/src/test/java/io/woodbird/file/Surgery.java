package io.woodbird.file;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** Operations on the bytes of a file that leave its checksums right. */
public final class Surgery {
  private Surgery() {}

  static ByteBuffer view(byte[] file) {
    return ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
  }

  public static byte[] flipBit(byte[] file, long bit) {
    byte[] copy = file.clone();
    copy[(int) (bit >>> 3)] ^= (byte) (1 << (bit & 7));
    return copy;
  }

  /** Makes the header's checksum right. */
  static byte[] sealHeader(byte[] file) {
    view(file).putInt(252, crc(file, 0, 252));
    return file;
  }

  /** Where the data of a file begins. */
  public static int dataAt(long dataBytes) {
    return Header.dataAt(dataBytes);
  }

  /**
   * Makes all checksums right for data of so many bytes, if the file has room for that: also those
   * of sections.
   */
  static byte[] seal(byte[] file, long dataBytes) {
    sealHeader(file);
    long pages = (dataBytes + 4095) / 4096;
    if (dataBytes < 0
        || dataBytes > file.length
        || file.length < dataAt(dataBytes) + dataBytes + 4 * pages + 16) {
      return file;
    }
    ByteBuffer view = view(file);
    int first = dataAt(dataBytes);
    int table = first + (int) dataBytes;
    for (int page = 0; page < pages; page++) {
      int from = first + 4096 * page;
      ByteBuffer data = ByteBuffer.wrap(file, from, Math.min(4096, table - from));
      view.putInt(table + 4 * page, PageChecksums.crc(Header.identity(view), page, data));
    }
    int tableEnd = table + 4 * (int) pages;
    int footer = sealSections(file, tableEnd);
    view.putInt(footer + 8, crc(file, table, tableEnd - table));
    view.putInt(footer + 12, view.getInt(252));
    return file;
  }

  /** Makes the checksums of the sections right, and returns where the footer begins. */
  private static int sealSections(byte[] file, int from) {
    ByteBuffer view = view(file);
    int at = from;
    while (at + 32 + 16 <= file.length && view.getLong(at) == Sections.MAGIC) {
      long length = view.getLong(at + 16);
      if (length < 0 || length > file.length || (length + 7 & -8) > file.length - at - 48) {
        break;
      }
      view.putInt(at + 24, crc(file, at + 32, (int) length));
      CRC32C crc = new CRC32C();
      crc.update(file, 252, 4);
      crc.update(file, at, 28);
      view.putInt(at + 28, (int) crc.getValue());
      at += 32 + (int) (length + 7 & -8);
    }
    return at;
  }

  /** The bytes of a file without its sections. */
  static byte[] withoutSections(byte[] file) {
    long dataBytes = view(file).getLong(48);
    byte[] plain = Arrays.copyOf(file, (int) FileWriter.sizeInBytes(dataBytes));
    System.arraycopy(file, file.length - 16, plain, plain.length - 16, 16);
    return plain;
  }

  /** Moves a page of {@code from} to a place in a copy of {@code to}. */
  static byte[] withPage(byte[] to, int toPage, byte[] from, int fromPage) {
    byte[] copy = to.clone();
    int first = dataAt(view(to).getLong(48));
    System.arraycopy(from, first + 4096 * fromPage, copy, first + 4096 * toPage, 4096);
    return copy;
  }

  /** Moves the entry of the page table that belongs to a page, and makes the footer right. */
  static byte[] withTableEntry(byte[] to, int toPage, byte[] from, int fromPage) {
    ByteBuffer target = view(to);
    int table = dataAt(target.getLong(48)) + (int) target.getLong(48);
    target.putInt(table + 4 * toPage, view(from).getInt(table + 4 * fromPage));
    target.putInt(to.length - 8, crc(to, table, to.length - 16 - table));
    return to;
  }

  static int crc(byte[] bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, length);
    return (int) crc.getValue();
  }
}
