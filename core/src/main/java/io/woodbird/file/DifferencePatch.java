package io.woodbird.file;

import io.woodbird.CorruptFilterException;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.UntrustedFilterException;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.Arrays;

/** Makes a file of an older one and of a {@linkplain FileDifference delta} between the two. */
public final class DifferencePatch {
  private static final int HASH_BYTES = FileDifference.EDITS_AT / 2;

  private final StoredFile delta;
  private final byte[] page = new byte[Header.PAGE_BYTES];
  private final byte[] hashes;
  private final byte[] buffer = new byte[FileWriter.BUFFER_BYTES];
  private long oldLeft;
  private long newLeft;

  /** Where the next byte of the edits is in the data, and where they end. */
  private long at = FileDifference.EDITS_AT;

  private final long end;

  private DifferencePatch(StoredFile delta) throws CorruptFilterException {
    Header header = delta.header();
    long editBytes = header.parameter(2);
    this.delta = delta;
    this.oldLeft = header.parameter(0);
    this.newLeft = header.parameter(1);
    this.end = at + editBytes;
    boolean possible =
        oldLeft >= 0
            && newLeft >= 0
            && editBytes >= 0
            && editBytes <= header.dataBytes()
            && FileDifference.EDITS_AT + (editBytes + 7 & -8) == header.dataBytes();
    Header.require(possible, "length", header.parameters().subList(0, 3));
    load(0);
    this.hashes = Arrays.copyOf(page, FileDifference.EDITS_AT);
  }

  /** Whether a file is such a delta, as far as its header says. */
  public static boolean isFor(Path path) throws IOException {
    try (InputStream in = Files.newInputStream(path)) {
      byte[] head = in.readNBytes(Header.BYTES);
      return head.length == Header.BYTES
          && Header.decode(ByteBuffer.wrap(head)).layout() == LayoutId.DIFFERENCE;
    } catch (CorruptFilterException | IncompatibleFilterException e) {
      return false; // Whoever reads the file says what is wrong with it.
    }
  }

  /**
   * Writes the new file, completely or not at all. The old file was opened by the rules, and so was
   * the delta, all of whose pages are good.
   */
  public static void apply(Path base, StoredFile delta, OpenRules rules, FileEdit.Replaced target)
      throws IOException {
    if (rules.needSignature() && delta.header().parameter(3) != 1) {
      throw new IncompatibleFilterException(
          "the delta makes a file that is not signed: sign the new file, and make the delta again");
    }
    DifferencePatch patch = new DifferencePatch(delta);
    if (Files.size(base) != patch.oldLeft) {
      throw otherBase();
    }
    TemporaryFile.save(
        target.path(),
        file -> {
          patch.make(base, Channels.newOutputStream(file));
          requireTrusted(file, rules);
        },
        target::requireSame);
  }

  /**
   * Refuses a new file that the rules would not open, such as one that another key signed. Its
   * pages need no check: the delta vouches for all its bytes.
   */
  private static void requireTrusted(SteadyFile made, OpenRules rules) throws IOException {
    try {
      // Not by its name: to close another channel of the file would release its lock.
      byte[] overlay = new FileFrame(made::read, made.length(), rules).overlay();
      if (overlay != null) {
        FileReader.of(ByteBuffer.wrap(overlay), rules);
      }
    } catch (UntrustedFilterException e) {
      throw new UntrustedFilterException(
          e.reason(), "the file that the delta makes: " + e.getMessage());
    }
  }

  private static IncompatibleFilterException otherBase() {
    return new IncompatibleFilterException(
        "the delta was made for another base: apply it to the file that it was made from");
  }

  private static CorruptFilterException impossible() {
    return new CorruptFilterException("the delta is damaged: its edits make no such file");
  }

  private void make(Path base, OutputStream target) throws IOException {
    MessageDigest oldHash = FileSignature.sha256();
    MessageDigest newHash = FileSignature.sha256();
    OutputStream out = new DigestOutputStream(new BufferedOutputStream(target, 1 << 16), newHash);
    try (InputStream in =
        new DigestInputStream(
            new BufferedInputStream(new FileInputStream(base.toFile()), 1 << 16), oldHash)) {
      while (at < end) {
        copy(number(), in, out);
        long other = number();
        if (other > newLeft) {
          throw impossible();
        }
        for (long i = 0; i < other; i++) {
          out.write(next());
        }
        newLeft -= other;
        read(Math.min(other, oldLeft), in, OutputStream.nullOutputStream());
      }
      copy(newLeft, in, out);
      read(oldLeft, in, OutputStream.nullOutputStream());
    }
    out.flush();
    if (!isHash(oldHash, 0)) {
      throw otherBase();
    }
    if (!isHash(newHash, HASH_BYTES)) {
      throw impossible();
    }
  }

  private boolean isHash(MessageDigest digest, int from) {
    return Arrays.equals(hashes, from, from + HASH_BYTES, digest.digest(), 0, HASH_BYTES);
  }

  /** Copies bytes that both files have at the same place. */
  private void copy(long count, InputStream in, OutputStream out) throws IOException {
    if (count > newLeft || count > oldLeft) {
      throw impossible();
    }
    read(count, in, out);
    newLeft -= count;
  }

  private void read(long count, InputStream in, OutputStream out) throws IOException {
    for (long left = count; left > 0; ) {
      int some = (int) Math.min(left, buffer.length);
      if (in.readNBytes(buffer, 0, some) < some) {
        throw otherBase(); // It became shorter.
      }
      out.write(buffer, 0, some);
      left -= some;
    }
    oldLeft -= count;
  }

  private byte next() throws CorruptFilterException {
    if (at == end) {
      throw impossible();
    }
    if (at % page.length == 0) {
      load((int) (at / page.length));
    }
    return page[(int) (at++ % page.length)];
  }

  private void load(int number) throws CorruptFilterException {
    delta.copyData(
        (long) number * page.length, ByteBuffer.wrap(page, 0, delta.frame().pageBytes(number)));
  }

  /** Reads a number of up to 63 bits. */
  private long number() throws CorruptFilterException {
    long value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      byte part = next();
      value |= (part & 0x7fL) << shift;
      if (part >= 0) {
        return value;
      }
    }
    throw impossible();
  }
}
