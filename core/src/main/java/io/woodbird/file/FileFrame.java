package io.woodbird.file;

import io.woodbird.CorruptFilterException;
import io.woodbird.IncompatibleFilterException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.zip.CRC32C;

/** What surrounds the data of a file: header, page table, sections and footer. */
final class FileFrame {
  /*
   *   header, zeros, data, page table, sections, footer
   *
   * A section begins with a mark, so that a reader of a stream can tell it from the footer:
   *
   *    0  mark             89 'W' 'S' 'e' 'c' 't' 0D 0A
   *    8  u32 kind, u32 flags: bit 0 says that a reader must understand the section
   *   16  u64 bytes of the body
   *   24  u32 CRC32C of the body
   *   28  u32 CRC32C of the header's CRC32C and the 28 bytes before
   *   32  the body, and zeros up to a multiple of eight
   *
   * This version knows no kind of section, so it skips or refuses each of them.
   */
  static final int SECTION_HEAD_BYTES = 32;
  static final long SECTION_MAGIC = 0x0a0d_7463_6553_5789L;

  /** Bodies beyond it are refused, so that sums can't overflow. */
  private static final long MAX_SECTION_BYTES = 1L << 56;

  private static final int MUST_UNDERSTAND = 1;

  private final Header header;
  private final int headerCrc;
  private final int identity;
  private final int tableCrc;
  private final int dataAt;
  private final long tableAt;
  private final long length;

  private FileFrame(byte[] head, ByteSource bytes, long length) throws IOException {
    ByteBuffer view = littleEndian(head);
    this.header = Header.decode(view);
    this.headerCrc = Header.storedCrc(view);
    this.identity = Header.identity(view);
    this.dataAt = Header.dataAt(header.dataBytes());
    this.tableAt = dataAt + header.dataBytes();
    this.length = length;
    requireLength(FileWriter.sizeInBytes(header.dataBytes()), "the header says ");
    if (header.dataBytes() > StoredFile.MAX_DATA_BYTES) {
      throw new CorruptFilterException(
          String.format(Locale.ROOT, "%,d bytes of data: too many to be opened", length));
    }
    long footerAt = footerAt(bytes);
    byte[] footer = new byte[FileWriter.FOOTER_BYTES];
    bytes.copy(footerAt, footer, footer.length);
    ByteBuffer end = littleEndian(footer);
    if (end.getLong(0) != FileWriter.END_MAGIC || end.getInt(12) != headerCrc) {
      throw new CorruptFilterException(
          String.format(
              Locale.ROOT,
              "the footer (from byte %,d on) is damaged or not of this file",
              footerAt));
    }
    if (length > footerAt + FileWriter.FOOTER_BYTES) {
      throw new CorruptFilterException(
          String.format(
              Locale.ROOT,
              "too long: %,d bytes where the filter has %,d",
              length,
              footerAt + FileWriter.FOOTER_BYTES));
    }
    this.tableCrc = end.getInt(8);
    checkTable(bytes);
    checkGap(bytes);
  }

  /** Reads and checks all but the data. */
  static FileFrame read(ByteSource bytes, long length) throws IOException {
    if (length < Header.BYTES) {
      throw new CorruptFilterException(
          String.format(
              Locale.ROOT,
              "cut short: %,d bytes, less than the header's %d",
              length,
              Header.BYTES));
    }
    byte[] head = new byte[Header.BYTES];
    bytes.copy(0, head, head.length);
    return new FileFrame(head, bytes, length);
  }

  private void requireLength(long least, String who) throws CorruptFilterException {
    if (length < least) {
      throw new CorruptFilterException(
          String.format(Locale.ROOT, "cut short: %,d bytes where %s%,d", length, who, least));
    }
  }

  /** Goes through the sections, and returns where the footer begins. */
  private long footerAt(ByteSource bytes) throws IOException {
    long at = tableAt + 4L * pages();
    byte[] head = new byte[SECTION_HEAD_BYTES];
    while (true) {
      bytes.copy(at, head, 8);
      if (littleEndian(head).getLong(0) != SECTION_MAGIC) {
        return at;
      }
      requireLength(at + SECTION_HEAD_BYTES + FileWriter.FOOTER_BYTES, "a section needs ");
      bytes.copy(at, head, head.length);
      at += SECTION_HEAD_BYTES + sectionBytes(littleEndian(head), headerCrc, at);
      requireLength(at + FileWriter.FOOTER_BYTES, "a section needs ");
    }
  }

  /**
   * Checks the head of a section that this version does not know, and returns the bytes that follow
   * it.
   *
   * @param at where it begins, for the message
   */
  static long sectionBytes(ByteBuffer head, int headerCrc, long at) throws CorruptFilterException {
    CRC32C crc = new CRC32C();
    for (int shift = 0; shift < 32; shift += 8) {
      crc.update(headerCrc >>> shift);
    }
    crc.update(head.duplicate().position(0).limit(SECTION_HEAD_BYTES - 4));
    long body = head.getLong(16);
    if (head.getInt(28) != (int) crc.getValue() || body < 0 || body > MAX_SECTION_BYTES) {
      throw new CorruptFilterException(
          String.format(Locale.ROOT, "the section at byte %,d is damaged: wrong checksum", at));
    }
    if ((head.getInt(12) & MUST_UNDERSTAND) != 0) {
      throw new IncompatibleFilterException(
          "the file has a section of kind "
              + head.getInt(8)
              + ", without which it must not be read and which this version of Woodbird does not"
              + " know: open it with a newer one");
    }
    return body + 7 & -8;
  }

  private void checkTable(ByteSource bytes) throws IOException {
    CRC32C crc = new CRC32C();
    long from = tableAt;
    long left = 4L * pages();
    byte[] part = new byte[(int) Math.min(left, 1 << 16)];
    while (left > 0) {
      int count = (int) Math.min(left, part.length);
      bytes.copy(from, part, count);
      crc.update(part, 0, count);
      from += count;
      left -= count;
    }
    if (tableCrc != (int) crc.getValue()) {
      throw new CorruptFilterException(
          String.format(
              Locale.ROOT,
              "the page table (from byte %,d on) is damaged: wrong checksum",
              tableAt));
    }
  }

  /** Checks the zeros between header and data, so that no bit of a file is without a check. */
  private void checkGap(ByteSource bytes) throws IOException {
    byte[] gap = new byte[dataAt - Header.BYTES];
    bytes.copy(Header.BYTES, gap, gap.length);
    for (byte zero : gap) {
      if (zero != 0) {
        throw new CorruptFilterException(
            "the header (bytes 0 to 4,095) is damaged: not zero behind byte 255");
      }
    }
  }

  Header header() {
    return header;
  }

  /** The checksum that is stored in the header. */
  int headerCrc() {
    return headerCrc;
  }

  /** Where the data begins. */
  int dataAt() {
    return dataAt;
  }

  /** Where the page table begins. */
  long tableAt() {
    return tableAt;
  }

  /** The length of the file. */
  long length() {
    return length;
  }

  int pages() {
    return (int) PageTable.pages(header.dataBytes());
  }

  /** The number of bytes in a page: fewer in the last one. */
  int pageBytes(int page) {
    long from = (long) page * Header.PAGE_BYTES;
    return (int) Math.min(Header.PAGE_BYTES, header.dataBytes() - from);
  }

  /** Where a page begins in the file. */
  long pageAt(int page) {
    return dataAt + (long) page * Header.PAGE_BYTES;
  }

  /** Whether the content of a page has the checksum that the page table has for it. */
  boolean fits(int page, byte[] content, int stored) {
    return stored == PageTable.crc(identity, page, ByteBuffer.wrap(content, 0, pageBytes(page)));
  }

  /** Whether these bytes are the page table. */
  boolean isTable(byte[] table) {
    CRC32C crc = new CRC32C();
    crc.update(table);
    return (int) crc.getValue() == tableCrc;
  }

  /** Says how many pages are damaged, and where the first of them is. */
  String damage(long bad, int first) {
    return String.format(
        Locale.ROOT,
        "%,d of %,d pages damaged, the first at bytes %,d to %,d",
        bad,
        pages(),
        pageAt(first),
        pageAt(first) + Header.PAGE_BYTES - 1);
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
