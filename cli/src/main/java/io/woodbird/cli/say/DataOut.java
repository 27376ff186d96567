package io.woodbird.cli.say;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Buffered stdout, whose failures are reported as those of stdout and not of a file. */
public final class DataOut extends OutputStream {
  /** The program that read our output has ended. That is no error, and is not reported. */
  public static final class Closed extends RuntimeException {
    private static final long serialVersionUID = 1;

    Closed(IOException cause) {
      super(cause);
    }
  }

  /** Forces to the disk what was written. */
  public interface Disk {
    void sync() throws IOException;
  }

  private final OutputStream out;
  private final Disk disk;
  private final byte[] buffer = new byte[1 << 16];
  private int count;

  /** Whether {@link #flushToDisk} forces anything to a disk. */
  private boolean syncs;

  /** Writes to a stream behind which there is no disk. */
  public DataOut(OutputStream out) {
    this(out, () -> {});
  }

  /** Writes to a stream whose bytes can be forced to a disk, unless that fails at once. */
  public DataOut(OutputStream out, Disk disk) {
    this.out = out;
    this.disk = disk;
  }

  /** Writes to the stdout of this process. */
  public static DataOut stdout() {
    return new DataOut(new FileOutputStream(FileDescriptor.out), FileDescriptor.out::sync);
  }

  @Override
  public void write(int b) {
    if (count == buffer.length) {
      drain();
    }
    buffer[count++] = (byte) b;
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    if (length > buffer.length - count) {
      drain();
    }
    if (length > buffer.length) {
      pass(bytes, offset, length);
    } else {
      System.arraycopy(bytes, offset, buffer, count, length);
      count += length;
    }
  }

  /** Writes text in UTF-8. */
  public void print(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    write(bytes, 0, bytes.length);
  }

  @Override
  public void flush() {
    drain();
    try {
      out.flush();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /**
   * Finds out whether there is a disk behind stdout, before anything is written: a pipe or a
   * terminal can't be forced to a disk. Java does not say why it failed. On a file it can only be
   * about bytes that another program wrote.
   */
  public void lookForDisk() {
    try {
      disk.sync();
      syncs = true;
    } catch (IOException e) {
      syncs = Files.isRegularFile(Path.of("/dev/stdout"));
    }
  }

  /** Flushes, and forces the bytes to the disk if there is one. */
  public void flushToDisk() {
    flush();
    if (syncs) {
      try {
        disk.sync();
      } catch (IOException e) {
        throw failed(e); // The disk may have lost bytes that it had taken.
      }
    }
  }

  private void drain() {
    int length = count;
    count = 0; // Also if it fails: nothing is written twice.
    if (length > 0) {
      pass(buffer, 0, length);
    }
  }

  private void pass(byte[] bytes, int offset, int length) {
    try {
      out.write(bytes, offset, length);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private static RuntimeException failed(IOException e) {
    String message = String.valueOf(e.getMessage());
    if (message.contains("roken pipe") || message.contains("Stream closed")) {
      return new Closed(e);
    }
    boolean closed = message.contains("descriptor");
    return Problem.CANNOT_WRITE.failure(
        e,
        "stdout can't be written.",
        message,
        closed ? "> FILE (stdout is not open)" : "df . (is the disk full?)");
  }
}
