package io.woodbird.file;

import io.woodbird.CorruptFilterException;
import io.woodbird.UntrustedFilterException;
import io.woodbird.words.BufferWords;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;

/** Makes a {@link StoredFile} from a file, a buffer or a stream. */
public final class FileReader {
  /** A segment has 2^30 bytes, the largest power of two that a buffer can hold. */
  private static final int SEGMENT_SHIFT = 30;

  /**
   * A file of up to 16 MiB is read at once, which takes milliseconds. Then it answers from the form
   * that its filter has on the heap.
   */
  private static final long COPY_LIMIT = 16 << 20;

  /** 2^40 bytes: the page table of an owned file is an array. */
  private static final long MOST_OWNED = 1L << 40;

  private FileReader() {}

  /**
   * Opens a file. Its pages are read when they are first needed, or it is mapped, as the rules say;
   * a small file is read at once.
   */
  public static StoredFile open(Path path, OpenRules rules) throws IOException {
    if (!Files.exists(path)) {
      throw new NoSuchFileException(path.toString());
    }
    return SteadyFile.uninterrupted(() -> mapOrRead(path, rules)); // Only a channel can map.
  }

  private static StoredFile mapOrRead(Path path, OpenRules rules) throws IOException {
    // Not a FileChannel: asking one for its size closes it when the thread is interrupted.
    RandomAccessFile file = new RandomAccessFile(path.toFile(), "r");
    try {
      long length = file.length();
      if (length <= COPY_LIMIT) {
        byte[] copy = new byte[(int) length];
        int read = readFully(file::read, copy);
        file.close();
        return of(ByteBuffer.wrap(copy, 0, read), rules);
      }
      // So that the rest of the program has room on the heap.
      long memory = Math.min(Runtime.getRuntime().maxMemory() / 2, MOST_OWNED);
      // What was signed is checked in our own memory only: others can change a mapping afterwards.
      boolean map = !rules.needSignature() && (rules.mapped() || length > memory);
      return map ? map(file, length, rules) : OwnedFile.open(file, rules);
    } catch (EOFException | InternalError e) { // The JVM throws it where a mapped page is gone.
      file.close();
      throw new CorruptFilterException("cut short while it was being opened");
    } catch (Throwable e) {
      file.close();
      throw e;
    }
  }

  /**
   * Opens a file whose {@linkplain StoredFile#copyData data is copied} once. No page is kept, so
   * the memory of the copy is all that it takes, and no mapping keeps the file from being replaced.
   */
  public static StoredFile openToCopy(Path path) throws IOException {
    RandomAccessFile file = new RandomAccessFile(path.toFile(), "r");
    try {
      return OwnedFile.open(file, OpenRules.PLAIN, false);
    } catch (EOFException e) {
      file.close();
      throw new CorruptFilterException("cut short while it was being opened");
    } catch (Throwable e) {
      file.close();
      throw e;
    }
  }

  private static StoredFile map(RandomAccessFile file, long length, OpenRules rules)
      throws IOException {
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
    return BufferFile.of(new BufferWords(segments, SEGMENT_SHIFT, 0), length, true, file, rules);
  }

  /** A call of read, as a file has it: reads some bytes, and returns how many, or -1 at the end. */
  interface Reads {
    int read(byte[] target, int from, int count) throws IOException;
  }

  /** Reads to the end of the file or of the array: one call of read may return fewer bytes. */
  static int readFully(Reads file, byte[] target) throws IOException {
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
    try {
      return of(buffer, OpenRules.PLAIN);
    } catch (UntrustedFilterException e) {
      throw new IllegalStateException(e); // No signature was asked for.
    }
  }

  /** The same by other rules. */
  public static StoredFile of(ByteBuffer buffer, OpenRules rules)
      throws CorruptFilterException, UntrustedFilterException {
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
      return BufferFile.of(words, length, slice.isDirect(), null, rules);
    } catch (CorruptFilterException | UntrustedFilterException e) {
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException(e); // Never thrown: memory can be read.
    }
  }

  /** Reads a filter without overlay from a stream. */
  public static StoredFile read(InputStream in) throws IOException {
    return read(in, OpenRules.PLAIN);
  }

  /**
   * Reads a filter from a stream, checks all of it, and reads no byte past its end. Memory is
   * allocated as bytes arrive, so a header that claims a huge size costs nothing.
   */
  public static StoredFile read(InputStream in, OpenRules rules) throws IOException {
    byte[] start = in.readNBytes(Header.BYTES);
    if (start.length < Header.BYTES) {
      throw StreamBytes.cutShort(start.length, Header.BYTES);
    }
    ByteBuffer head = Bytes.wrap(start);
    StreamBytes bytes = new StreamBytes(in);
    bytes.add(start, Header.BYTES);
    bytes.readTo(FileWriter.sizeInBytes(Header.decode(head).dataBytes()) - FileWriter.FOOTER_BYTES);
    bytes.readSections(Header.storedCrc(head));
    StoredFile file = BufferFile.of(bytes.words(), bytes.length(), false, null, rules);
    file.verify();
    return file;
  }
}
