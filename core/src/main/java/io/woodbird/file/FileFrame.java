package io.woodbird.file;

import io.woodbird.CorruptFilterException;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.UntrustedFilterException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** What surrounds the data of a file: header, page table, sections and footer. */
final class FileFrame {
  private final byte[] head;
  private final Header header;
  private final int headerCrc;
  private final int identity;
  private final byte[] footer;
  private final int tableCrc;
  private final int dataAt;
  private final long tableAt;
  private final long length;
  private final @Nullable FileSignature signature;
  private final byte @Nullable [] overlay;

  /** Reads and checks all but the data. */
  FileFrame(ByteSource bytes, long length, OpenRules rules) throws IOException {
    if (length < Header.BYTES) {
      throw new CorruptFilterException(
          String.format(
              Locale.ROOT,
              "cut short: %,d bytes, less than the header's %d",
              length,
              Header.BYTES));
    }
    this.head = new byte[Header.BYTES];
    bytes.copy(0, head, head.length);
    ByteBuffer view = Bytes.wrap(head);
    this.header = Header.decode(view);
    this.headerCrc = Header.storedCrc(view);
    this.identity = Header.identity(view);
    this.dataAt = Header.dataAt(header.dataBytes());
    this.tableAt = dataAt + header.dataBytes();
    this.length = length;
    if (length < FileWriter.sizeInBytes(header.dataBytes())) {
      throw new CorruptFilterException(
          String.format(
              Locale.ROOT,
              "cut short: %,d bytes where the header says %,d",
              length,
              FileWriter.sizeInBytes(header.dataBytes())));
    }
    if (header.dataBytes() > StoredFile.MAX_DATA_BYTES) {
      throw new CorruptFilterException(
          String.format(Locale.ROOT, "%,d bytes of data: too many to be opened", length));
    }
    Sections sections = Sections.read(bytes, headerCrc, tableAt + 4L * pages(), length);
    long footerAt = sections.end();
    this.footer = new byte[FileWriter.FOOTER_BYTES];
    bytes.copy(footerAt, footer, footer.length);
    ByteBuffer end = Bytes.wrap(footer);
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
    readTable(bytes, (part, from, count) -> {});
    // Between header and data are zeros. They are checked too, so that no bit is without a check.
    if (!bytes.isZero(Header.BYTES, dataAt - Header.BYTES)) {
      throw new CorruptFilterException(
          "the header (bytes 0 to 4,095) is damaged: not zero behind byte 255");
    }
    this.overlay = sections.overlay();
    if (overlay != null && !rules.overlays()) {
      throw new IncompatibleFilterException(
          "the file was patched: it has an overlay of keys that were added and removed; open it"
              + " with Woodbird.open, or build it again");
    }
    this.signature = rules.needSignature() ? checkSignature(sections, rules) : null;
  }

  private FileSignature checkSignature(Sections sections, OpenRules rules) throws IOException {
    byte[] body = sections.signature();
    if (body == null) {
      throw new UntrustedFilterException(
          UntrustedFilterException.Reason.UNSIGNED, "the file is not signed");
    }
    return FileSignature.check(body, head, pages(), rules.signers());
  }

  /** Reads the page table, checks it, and passes it on. */
  private void readTable(ByteSource bytes, ByteSource.Taker taker) throws IOException {
    CRC32C crc = new CRC32C();
    bytes.forEachPart(
        tableAt,
        4L * pages(),
        (part, from, count) -> {
          crc.update(part, from, count);
          taker.take(part, from, count);
        });
    if (tableCrc != (int) crc.getValue()) {
      throw new CorruptFilterException(
          String.format(
              Locale.ROOT,
              "the page table (from byte %,d on) is damaged: wrong checksum",
              tableAt));
    }
  }

  Header header() {
    return header;
  }

  /** The 256 bytes of the header as they are in the file. */
  byte[] head() {
    return head;
  }

  /** Returns the overlay; null if there is none. */
  byte @Nullable [] overlay() {
    return overlay;
  }

  /** Returns the body of the section with the signature; null if there is none. */
  byte @Nullable [] signature(ByteSource bytes) throws IOException {
    return Sections.read(bytes, headerCrc, tableAt + 4L * pages(), length).signature();
  }

  /** Returns the SHA-256 of header and page table, by which a delta knows its base. */
  byte[] reference(ByteSource bytes) throws IOException {
    MessageDigest digest = FileSignature.sha256();
    digest.update(head);
    readTable(bytes, digest::update); // Checked again, as it is read again.
    return digest.digest();
  }

  /** The checksum that is stored in the header. */
  int headerCrc() {
    return headerCrc;
  }

  /** Whether these bytes are the footer. */
  boolean isFooter(byte[] bytes) {
    return Arrays.equals(bytes, footer);
  }

  /** Where the data begins. */
  int dataAt() {
    return dataAt;
  }

  /** Where the page table begins. */
  long tableAt() {
    return tableAt;
  }

  long length() {
    return length;
  }

  int pages() {
    return (int) PageChecksums.pages(header.dataBytes());
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

  /** Whether a page has the checksum of the page table, and is the one that was signed. */
  boolean fits(int page, byte[] content, int stored) {
    ByteBuffer bytes = ByteBuffer.wrap(content, 0, pageBytes(page));
    return stored == PageChecksums.crc(identity, page, bytes.duplicate())
        && (signature == null || signature.fits(page, bytes));
  }

  /** Whether these bytes are the page table. */
  boolean isTable(byte[] table) {
    return Bytes.crc(ByteBuffer.wrap(table)) == tableCrc;
  }

  /** Says how many pages are damaged, and where the first of them is. */
  String damage(long bad, int first) {
    return String.format(
        Locale.ROOT,
        "%,d of %,d %s %s at bytes %,d to %,d",
        bad,
        pages(),
        pages() == 1 ? "page" : "pages",
        bad == 1 ? "is damaged," : "are damaged, the first",
        pageAt(first),
        pageAt(first) + Header.PAGE_BYTES - 1);
  }
}
