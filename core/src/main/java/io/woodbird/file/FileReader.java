package io.woodbird.file;

import io.woodbird.CorruptFilterException;
import io.woodbird.words.BufferWords;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Makes a {@link StoredFile} from a file, a buffer or a stream. */
public final class FileReader {
  /** A segment has 2^30 bytes, the largest power of two that a buffer can hold. */
  private static final int SEGMENT_SHIFT = 30;

  private static final int CHUNK_SHIFT = 18;

  /**
   * A file of up to 16 MiB is read at once, which takes milliseconds. Then it answers from the form
   * that its filter has on the heap.
   */
  private static final long COPY_LIMIT = 16 << 20;

  /** 2^40 bytes: the page table of an owned file is an array. */
  private static final long MOST_OWNED = 1L << 40;

  private FileReader() {}

  /**
   * Opens a file. Its pages are read when they are first needed.
   *
   * @param mapped whether it is mapped instead, unless it is small
   */
  public static StoredFile open(Path path, boolean mapped) throws IOException {
    if (!Files.exists(path)) {
      throw new NoSuchFileException(path.toString());
    }
    return SteadyFile.uninterrupted(() -> mapOrRead(path, mapped)); // Only a channel can map.
  }

  private static StoredFile mapOrRead(Path path, boolean mapped) throws IOException {
    // Not a FileChannel: asking one for its size closes it when the thread is interrupted.
    RandomAccessFile file = new RandomAccessFile(path.toFile(), "r");
    try {
      long length = file.length();
      if (length <= COPY_LIMIT) {
        byte[] copy = new byte[(int) length];
        int read = readFully(file, copy);
        file.close();
        return of(ByteBuffer.wrap(copy, 0, read));
      }
      // So that the rest of the program has room on the heap.
      long memory = Math.min(Runtime.getRuntime().maxMemory() / 2, MOST_OWNED);
      return mapped || length > memory ? map(file, length) : new OwnedFile(file);
    } catch (EOFException | InternalError e) { // The JVM throws it where a mapped page is gone.
      file.close();
      throw new CorruptFilterException("cut short while it was being opened");
    } catch (Throwable e) {
      file.close();
      throw e;
    }
  }

  private static StoredFile map(RandomAccessFile file, long length) throws IOException {
    if (length > FileWriter.sizeInBytes(StoredFile.MAX_DATA_BYTES)) {
      throw new CorruptFilterException(
          String.format(
              Locale.ROOT,
              "%,d bytes: no filter, or one with more data than can be opened, which is %,d bytes",
              length,
              StoredFile.MAX_DATA_BYTES));
    }
    ByteBuffer[] segments = new ByteBuffer[(int) (((length - 1) >>> SEGMENT_SHIFT) + 1)];
    for (int i = 0; i < segments.length; i++) {
      long from = (long) i << SEGMENT_SHIFT;
      long size = Math.min(1L << SEGMENT_SHIFT, length - from);
      segments[i] = file.getChannel().map(FileChannel.MapMode.READ_ONLY, from, size);
    }
    return new BufferFile(new BufferWords(segments, SEGMENT_SHIFT, 0), length, true, file);
  }

  /** Reads to the end of the file or of the array: one call of read may return fewer bytes. */
  private static int readFully(RandomAccessFile file, byte[] target) throws IOException {
    int read = 0;
    while (read < target.length) {
      int more = file.read(target, read, target.length - read);
      if (more < 0) {
        break; // The file became shorter; the checks of its bytes will fail.
      }
      read += more;
    }
    return read;
  }

  /** Uses the bytes of a buffer from its position to its limit, without copying them. */
  public static StoredFile of(ByteBuffer buffer) throws CorruptFilterException {
    ByteBuffer slice = buffer.slice();
    int length = slice.limit();
    // A buffer may have up to 2^31 - 1 bytes, a segment has 2^30.
    ByteBuffer[] segments =
        length <= 1 << SEGMENT_SHIFT
            ? new ByteBuffer[] {slice}
            : new ByteBuffer[] {
              slice, slice.slice(1 << SEGMENT_SHIFT, length - (1 << SEGMENT_SHIFT))
            };
    // A direct buffer may be a mapping that the caller made.
    BufferWords words = new BufferWords(segments, SEGMENT_SHIFT, 0);
    try {
      return new BufferFile(words, length, slice.isDirect(), null);
    } catch (CorruptFilterException e) {
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException(e); // Never thrown: memory can be read.
    }
  }

  /**
   * Reads a filter from a stream, checks all of it, and reads no byte past its end. Memory is
   * allocated as bytes arrive, so a header that claims a huge size costs nothing.
   */
  public static StoredFile read(InputStream in) throws IOException {
    ByteBuffer head = ByteBuffer.wrap(in.readNBytes(Header.BYTES)).order(ByteOrder.LITTLE_ENDIAN);
    if (head.limit() < Header.BYTES) {
      throw cutShort(head.limit(), Header.BYTES);
    }
    long length = FileWriter.sizeInBytes(Header.decode(head).dataBytes());
    long body = length - FileWriter.FOOTER_BYTES;
    List<ByteBuffer> chunks = new ArrayList<>();
    long got = 0;
    for (long from = 0; from < length; from += 1 << CHUNK_SHIFT) {
      byte[] chunk = new byte[(int) Math.min(length - from, 1 << CHUNK_SHIFT)];
      int wanted = (int) Math.max(0, Math.min(chunk.length, body - from));
      int kept = from == 0 ? head.limit() : 0;
      System.arraycopy(head.array(), 0, chunk, 0, kept);
      kept += in.readNBytes(chunk, kept, wanted - kept);
      got += kept;
      if (kept < wanted) {
        throw cutShort(got, length);
      }
      chunks.add(ByteBuffer.wrap(chunk));
    }
    byte[] footer = readFooter(in, Header.storedCrc(head), body);
    for (int i = 0; i < footer.length; i++) {
      int chunk = (int) ((body + i) >>> CHUNK_SHIFT);
      chunks.get(chunk).put((int) (body + i) & (1 << CHUNK_SHIFT) - 1, footer[i]);
    }
    BufferWords words = new BufferWords(chunks.toArray(ByteBuffer[]::new), CHUNK_SHIFT, 0);
    StoredFile file = new BufferFile(words, length, false, null);
    file.verify();
    return file;
  }

  /** Reads over the sections behind the page table, and returns the footer. */
  private static byte[] readFooter(InputStream in, int headerCrc, long tableEnd)
      throws IOException {
    long at = tableEnd;
    while (true) {
      byte[] head = in.readNBytes(FileWriter.FOOTER_BYTES);
      if (head.length < FileWriter.FOOTER_BYTES) {
        throw cutShort(at + head.length, at + FileWriter.FOOTER_BYTES);
      }
      ByteBuffer section = ByteBuffer.allocate(FileFrame.SECTION_HEAD_BYTES);
      section.order(ByteOrder.LITTLE_ENDIAN).put(head);
      if (section.getLong(0) != FileFrame.SECTION_MAGIC) {
        return head;
      }
      section.put(in.readNBytes(section.remaining()));
      long more = section.hasRemaining() ? -1 : FileFrame.sectionBytes(section, headerCrc, at);
      for (long left = more; left > 0; ) {
        int skipped = in.readNBytes((int) Math.min(left, 1 << CHUNK_SHIFT)).length;
        left = skipped == 0 ? -1 : left - skipped;
        more = left < 0 ? -1 : more;
      }
      if (more < 0) {
        throw cutShort(at, at + FileFrame.SECTION_HEAD_BYTES + FileWriter.FOOTER_BYTES);
      }
      at += FileFrame.SECTION_HEAD_BYTES + more;
    }
  }

  private static CorruptFilterException cutShort(long got, long length) {
    return new CorruptFilterException(
        String.format(
            Locale.ROOT, "cut short: the stream ends after %,d of %,d bytes", got, length));
  }
}
