package io.woodbird.file;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** Writes filters: header, data, page checksums, footer. */
public final class FileWriter {
  /** u64 end magic, u32 CRC32C of the page table, u32 CRC32C of the header. */
  static final int FOOTER_BYTES = 16;

  static final long END_MAGIC = 0x0a0d_646e_6549_5789L;

  static final int BUFFER_BYTES = 1 << 16;

  private FileWriter() {}

  /** Returns the length of a file with {@code dataBytes} bytes of data. */
  public static long sizeInBytes(long dataBytes) {
    return Header.dataAt(dataBytes) + dataBytes + 4 * PageChecksums.pages(dataBytes) + FOOTER_BYTES;
  }

  /** Returns the most words of data that fit into a file of {@code fileBytes} bytes. */
  public static long dataWords(long fileBytes) {
    // 2^56 bytes is the limit of the format. Each page of data adds four bytes to the page table.
    long small = dataWords(fileBytes, Header.BYTES);
    return 8 * small <= Header.SMALL_DATA
        ? small
        : Math.max(Header.SMALL_DATA / 8, dataWords(fileBytes, Header.PAGE_BYTES));
  }

  private static long dataWords(long fileBytes, int dataAt) {
    long rest = Math.max(0, Math.min(fileBytes, 1L << 56) - dataAt - FOOTER_BYTES);
    long page = Header.PAGE_BYTES + 4;
    return rest / page * (Header.PAGE_BYTES / 8) + Math.max(0, rest % page - 4) / 8;
  }

  /** Writes a filter to a stream, which stays open. */
  public static void writeTo(Header header, DataSource data, OutputStream out) throws IOException {
    writeTo(header, data, List.of(), out);
  }

  /** The same with sections between its page table and its footer. */
  public static void writeTo(
      Header header, DataSource data, List<byte[]> sections, OutputStream out) throws IOException {
    write(header.encode(), header.dataBytes(), data, sections, Channels.newChannel(out));
    out.flush();
  }

  /** Returns the section of a delta that is laid over a file with this header. */
  public static byte[] overlay(Header header, byte[] delta) {
    return Sections.encode(Sections.OVERLAY, delta, header.crc());
  }

  /** What must hold when a new file takes the place of the old one. */
  public interface Condition {
    /** Throws if it does not hold. Then the old file stays. */
    void require() throws IOException;
  }

  /** Writes a filter to a file, completely or not at all. */
  public static void save(Header header, DataSource data, Path path) throws IOException {
    save(header, data, List.of(), path, () -> {});
  }

  /**
   * The same with sections, if a condition still holds when all is on disk and only the rename is
   * left.
   */
  public static void save(
      Header header, DataSource data, List<byte[]> sections, Path path, Condition last)
      throws IOException {
    TemporaryFile.save(
        path, file -> write(header.encode(), header.dataBytes(), data, sections, file), last);
  }

  /** Removes the temporary files of killed processes from the folder of a file. */
  public static void removeUnfinished(Path target) throws IOException {
    TemporaryFile.removeUnfinished(target);
  }

  /** Gives a file the permissions of another, if that exists, where files have such. */
  public static void copyPermissions(Path from, Path to) throws IOException {
    TemporaryFile.copyPermissions(from, null, to);
  }

  /** Forces the name of a new or renamed file to disk, so that a power cut does not lose it. */
  static void syncFolder(Path file) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || System.getProperty("os.name", "").startsWith("Windows")) {
      return; // Windows can't open a folder; NTFS journals renames itself.
    }
    SteadyFile.uninterrupted(
        () -> {
          try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
            return folder;
          }
        });
  }

  /** Writes a file with a header as it is, perhaps in another file, and with sections. */
  static void write(
      ByteBuffer head,
      long dataBytes,
      DataSource data,
      List<byte[]> sections,
      WritableByteChannel out)
      throws IOException {
    writeFully(head.duplicate(), out);
    writeFully(ByteBuffer.allocate(Header.dataAt(dataBytes) - Header.BYTES), out);
    PageChecksums checksums = new PageChecksums(head, dataBytes);
    ByteBuffer buffer = Bytes.allocate(BUFFER_BYTES);
    for (long offset = 0; offset < dataBytes; offset += BUFFER_BYTES) {
      buffer.clear().limit((int) Math.min(BUFFER_BYTES, dataBytes - offset));
      data.read(offset, buffer);
      buffer.flip();
      checksums.add(offset, buffer);
      writeFully(buffer, out);
    }
    checksums.writeTo(out, buffer, sections);
  }

  static void writeFully(ByteBuffer bytes, WritableByteChannel out) throws IOException {
    while (bytes.hasRemaining()) {
      out.write(bytes);
    }
  }
}
