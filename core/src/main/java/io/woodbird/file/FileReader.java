package io.woodbird.file;

import io.woodbird.CorruptFilterException;
import io.woodbird.words.BufferWords;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
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
   * A file of up to 16 MiB is read into memory, a larger one is mapped. In memory no other process
   * can truncate it, and it answers at heap speed.
   */
  private static final long COPY_LIMIT = 16 << 20;

  private FileReader() {}

  /** Opens a file: maps it, or reads it if it is small. */
  public static StoredFile open(Path path) throws IOException {
    if (!Files.exists(path)) {
      throw new NoSuchFileException(path.toString());
    }
    return SteadyFile.uninterrupted(() -> mapOrRead(path)); // Only a channel can map.
  }

  private static StoredFile mapOrRead(Path path) throws IOException {
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
      return new StoredFile(new BufferWords(segments, SEGMENT_SHIFT, 0), length, true, file);
    } catch (InternalError e) { // The JVM throws it where a mapped page no longer exists.
      file.close();
      throw new CorruptFilterException("cut short while it was being opened");
    } catch (Throwable e) {
      file.close();
      throw e;
    }
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
    return new StoredFile(
        new BufferWords(segments, SEGMENT_SHIFT, 0), length, slice.isDirect(), null);
  }

  /**
   * Reads a filter from a stream, checks all of it, and reads no byte past its end. Memory is
   * allocated as bytes arrive, so a header that claims a huge size costs nothing.
   */
  public static StoredFile read(InputStream in) throws IOException {
    byte[] head = in.readNBytes(Header.BYTES);
    if (head.length < Header.BYTES) {
      throw cutShort(head.length, Header.BYTES);
    }
    long length = FileWriter.sizeInBytes(Header.decode(ByteBuffer.wrap(head)).dataBytes());
    List<ByteBuffer> chunks = new ArrayList<>();
    long got = 0;
    while (got < length) {
      byte[] chunk = new byte[(int) Math.min(length - got, 1 << CHUNK_SHIFT)];
      int kept = got == 0 ? head.length : 0;
      System.arraycopy(head, 0, chunk, 0, kept);
      kept += in.readNBytes(chunk, kept, chunk.length - kept);
      got += kept;
      if (kept < chunk.length) {
        throw cutShort(got, length);
      }
      chunks.add(ByteBuffer.wrap(chunk));
    }
    BufferWords words = new BufferWords(chunks.toArray(ByteBuffer[]::new), CHUNK_SHIFT, 0);
    StoredFile file = new StoredFile(words, length, false, null);
    file.verify();
    return file;
  }

  private static CorruptFilterException cutShort(long got, long length) {
    return new CorruptFilterException(
        String.format(
            Locale.ROOT, "cut short: the stream ends after %,d of %,d bytes", got, length));
  }
}
